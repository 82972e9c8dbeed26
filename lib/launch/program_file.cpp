#include "launch/program_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "launch/launcher.hpp"

namespace scope::launch {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_headers = 1024, most_entries = 65536, longest_text = 4096;

/// An open file that is read at places which it names itself.
class File {
 public:
  explicit File(const fs::path &path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  bool status(struct stat &result) const { return descriptor_ >= 0 && fstat(descriptor_, &result) == 0 && S_ISREG(result.st_mode); }

  template <class T>
  bool read(std::uint64_t offset, T &value) const {
    return offset <= INT64_MAX && pread(descriptor_, &value, sizeof value, static_cast<off_t>(offset)) == static_cast<ssize_t>(sizeof value);
  }

  /// Up to the NUL, or to the end of the file.
  std::string text(std::uint64_t offset, std::size_t longest) const {
    std::string result(std::min(longest, longest_text), '\0');
    auto length = offset <= INT64_MAX ? pread(descriptor_, result.data(), result.size(), static_cast<off_t>(offset)) : 0;
    result.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    return result.substr(0, result.find('\0'));
  }

 private:
  int descriptor_;
};

bool is_program(const Elf64_Ehdr &header) {
  constexpr auto order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == order &&
         (header.e_type == ET_EXEC || header.e_type == ET_DYN) && header.e_phentsize == sizeof(Elf64_Phdr);
}

/// Where an address is in the file; 0: nowhere.
std::uint64_t offset_of(std::uint64_t address, const std::vector<Elf64_Phdr> &segments) {
  for (const auto &segment : segments)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  return 0;
}

bool links_asan(const File &file, const Elf64_Phdr &dynamic, const std::vector<Elf64_Phdr> &segments) {
  std::vector<std::uint64_t> needed;
  std::uint64_t names = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(dynamic.p_filesz / sizeof(Elf64_Dyn), most_entries); ++i) {
    Elf64_Dyn entry;
    if (!file.read(dynamic.p_offset + i * sizeof entry, entry) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) needed.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_STRTAB) names = offset_of(entry.d_un.d_ptr, segments);
  }
  auto is_asan = [&](std::uint64_t name) { return file.text(names + name, 16).starts_with("libasan.so"); };
  return names != 0 && std::any_of(needed.begin(), needed.end(), is_asan);
}

}  // namespace

bool ProgramFile::is_musl() const { return fs::path(interpreter).filename().string().starts_with("ld-musl-"); }

std::optional<ProgramFile> read_program_file(const fs::path &path) {
  File file(path);
  struct stat status;
  Elf64_Ehdr header;
  if (!file.status(status) || !file.read(0, header) || !is_program(header)) return std::nullopt;
  std::vector<Elf64_Phdr> segments;
  for (std::size_t i = 0; i < std::min<std::size_t>(header.e_phnum, most_headers); ++i) {
    Elf64_Phdr segment;
    if (!file.read(header.e_phoff + i * sizeof segment, segment)) return std::nullopt;
    segments.push_back(segment);
  }
  ProgramFile program{path, "", (status.st_mode & (S_ISUID | S_ISGID)) != 0, false};
  for (const auto &segment : segments) {
    if (segment.p_type == PT_INTERP) program.interpreter = file.text(segment.p_offset, segment.p_filesz);
    if (segment.p_type == PT_DYNAMIC) program.needs_asan = links_asan(file, segment, segments);
  }
  return program;
}

std::vector<ProgramFile> programs_of(const std::vector<std::string> &command, const std::optional<std::string> &search_path) {
  std::vector<ProgramFile> result;
  for (const auto &word : command) {
    if (word.empty() || word.front() == '-') continue;
    auto found = find_program(word, search_path);
    if (found.path.empty() || found.error) continue;
    if (auto program = read_program_file(found.path)) result.push_back(std::move(*program));
  }
  return result;
}

}  // namespace scope::launch

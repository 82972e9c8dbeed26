#include "support/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <vector>

#include "support/error.hpp"
#include "support/gzip.hpp"

namespace scope::support {
namespace {

namespace fs = std::filesystem;

/// A file descriptor that is closed on every way out.
struct Descriptor {
  int fd = -1;
  explicit Descriptor(int open_fd) : fd(open_fd) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  /// Network file systems report a full disk here at the latest.
  int close() {
    int result = ::close(fd);
    fd = -1;
    return result;
  }
};

std::string remedy(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT: return "; free some space there or choose a file on another disk";
    case EFBIG: return "; raise the file size limit (ulimit -f)";
    case EROFS:
    case EACCES:
    case EPERM: return "; choose a file in a directory that you may write to";
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG: return "; choose another file name";
    default: return "";
  }
}

[[noreturn]] void fail_read(const fs::path &file, int error) {
  throw Error("cannot read " + file.string() + ": " + errno_text(error));
}

[[noreturn]] void fail_write(const fs::path &file, int error) {
  throw Error("cannot write " + file.string() + ": " + errno_text(error) + remedy(error));
}

/// Everything that was made on the way to the file, undone unless it was kept.
struct Undo {
  std::vector<fs::path> directories;  ///< outermost first
  fs::path temporary;
  bool keep = false;
  ~Undo() {
    if (keep) return;
    if (!temporary.empty()) ::unlink(temporary.c_str());
    for (auto directory = directories.rbegin(); directory != directories.rend(); ++directory) ::rmdir(directory->c_str());
  }
};

void make_directories(const fs::path &directory, const fs::path &file, Undo &undo) {
  if (directory.empty()) return;
  struct stat status;
  if (::stat(directory.c_str(), &status) == 0) return;
  if (errno != ENOENT) fail_write(file, errno);
  make_directories(directory.parent_path(), file, undo);
  if (::mkdir(directory.c_str(), 0777) == 0) {
    undo.directories.push_back(directory);
  } else if (errno != EEXIST) {
    fail_write(file, errno);
  }
}

void write_all(int fd, std::string_view content, const fs::path &file) {
  while (!content.empty()) {
    ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_write(file, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Devices and pipes (/dev/null, /dev/stdout) are written to: renaming onto them would replace them.
void write_in_place(const fs::path &file, std::string_view content) {
  Descriptor out(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (out.fd < 0) fail_write(file, errno);
  write_all(out.fd, content, file);
  if (out.close() != 0) fail_write(file, errno);
}

/// A new file beside `target`, with the permissions that the user's mask gives (mkstemp would make it private).
Descriptor open_temporary(const fs::path &target, const fs::path &file, Undo &undo) {
  static std::atomic<unsigned> serial{0};
  while (true) {
    std::string name = ".scope-profiler-" + std::to_string(::getpid()) + "-" + std::to_string(serial++) + ".tmp";
    fs::path temporary = target.parent_path() / name;
    int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
      undo.temporary = temporary;
      return Descriptor(fd);
    }
    if (errno != EEXIST) fail_write(file, errno);
  }
}

/// A rename is on disk only when its directory is; a file system that cannot do this has no say in the result.
void sync_directory(const fs::path &directory) {
  Descriptor handle(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.fd >= 0) ::fsync(handle.fd);
}

void replace(const fs::path &temporary, const fs::path &target, bool keep_old, const fs::path &file) {
  fs::path old = target;
  old += ".old";
  bool moved = false;
  if (keep_old) {
    moved = ::rename(target.c_str(), old.c_str()) == 0;
    if (!moved && errno != ENOENT) fail_write(old, errno);
  }
  if (::rename(temporary.c_str(), target.c_str()) == 0) return;
  int error = errno;
  if (moved) (void)::rename(old.c_str(), target.c_str());
  fail_write(file, error);
}

}  // namespace

std::string read_file(const fs::path &file, std::size_t limit_bytes) {
  Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.fd < 0) fail_read(file, errno);
  struct stat status;
  if (::fstat(in.fd, &status) != 0) fail_read(file, errno);
  if (S_ISDIR(status.st_mode)) fail_read(file, EISDIR);
  std::string content;
  constexpr std::size_t step = std::size_t{1} << 16;
  // One byte more than the size that is promised, so that the end is seen without growing the buffer.
  std::size_t expected = status.st_size > 0 ? static_cast<std::size_t>(status.st_size) + 1 : step;
  std::size_t filled = 0;
  while (true) {
    if (filled > limit_bytes)
      throw Error("cannot read " + file.string() + ": is larger than " + std::to_string(limit_bytes) + " bytes");
    if (content.size() == filled)
      content.resize(filled == 0 ? std::min(expected, limit_bytes + 1) : filled + std::max(step, filled / 2));
    ssize_t got = ::read(in.fd, content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_read(file, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  content.resize(filled);
  if (!is_gzip(content)) return content;
  try {
    return gunzip(content, limit_bytes);
  } catch (const Error &error) {
    throw Error("cannot read " + file.string() + ": " + error.what());
  }
}

void write_file_atomically(const fs::path &file, std::string_view content, bool compress, bool keep_old) {
  std::string compressed;
  if (compress) {
    compressed = gzip(content);
    content = compressed;
  }
  if (file.filename().empty()) fail_write(file, EISDIR);
  // The file behind a symbolic link is replaced, not the link.
  std::error_code ignored;
  fs::path target = fs::is_symlink(file, ignored) ? fs::weakly_canonical(file, ignored) : file;
  if (target.empty()) target = file;
  struct stat status;
  if (::stat(target.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail_write(file, EISDIR);
    if (!S_ISREG(status.st_mode)) return write_in_place(target, content);
  }
  Undo undo;
  make_directories(target.parent_path(), file, undo);
  Descriptor out = open_temporary(target, file, undo);
  write_all(out.fd, content, file);
  if (::fsync(out.fd) != 0 && errno != EINVAL && errno != ENOTSUP) fail_write(file, errno);
  if (out.close() != 0) fail_write(file, errno);
  replace(undo.temporary, target, keep_old, file);
  undo.keep = true;
  sync_directory(target.parent_path());
}

}  // namespace scope::support

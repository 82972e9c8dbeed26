// What is read of executable files: of this test's own, of made-up ones, and of damaged ones.

#include "launch/program_file.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <random>

#include "temporary_directory.hpp"

using namespace scope::launch;
using scope::test::TemporaryDirectory;
namespace fs = std::filesystem;

namespace {

/// An ELF file with an interpreter and one needed library; empty texts leave them out.
std::string elf(const std::string &interpreter, const std::string &needed) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 3;
  constexpr std::uint64_t text_at = 512, name_at = 600, dynamic_at = 700, base = 0x10000;
  Elf64_Phdr load{}, interp{}, dynamic{};
  load.p_type = PT_LOAD;
  load.p_vaddr = base;
  load.p_filesz = 1024;
  interp.p_type = interpreter.empty() ? PT_NULL : PT_INTERP;
  interp.p_offset = text_at;
  interp.p_filesz = interpreter.size() + 1;
  dynamic.p_type = needed.empty() ? PT_NULL : PT_DYNAMIC;
  dynamic.p_offset = dynamic_at;
  Elf64_Dyn entries[3]{};
  entries[0].d_tag = DT_NEEDED;
  entries[0].d_un.d_val = 4;
  entries[1].d_tag = DT_STRTAB;
  entries[1].d_un.d_ptr = base + name_at - 4;
  dynamic.p_filesz = sizeof entries;
  std::string file(1024, '\0');
  auto put = [&file](std::size_t at, const void *data, std::size_t size) { std::memcpy(file.data() + at, data, size); };
  put(0, &header, sizeof header);
  put(sizeof header, &load, sizeof load);
  put(sizeof header + sizeof load, &interp, sizeof interp);
  put(sizeof header + 2 * sizeof load, &dynamic, sizeof dynamic);
  put(text_at, interpreter.c_str(), interpreter.size() + 1);
  put(name_at, needed.c_str(), needed.size() + 1);
  put(dynamic_at, entries, sizeof entries);
  return file;
}

class ProgramFiles : public testing::Test {
 protected:
  fs::path write(const std::string &name, const std::string &text) {
    auto path = directory_.write(name, text);
    chmod(path.c_str(), 0755);
    return path;
  }
  TemporaryDirectory directory_;
};

TEST_F(ProgramFiles, ThisTest) {
  auto program = read_program_file("/proc/self/exe");
  ASSERT_TRUE(program);
  EXPECT_FALSE(program->is_static() || program->is_musl() || program->privileged);
  EXPECT_TRUE(fs::path(program->interpreter).filename().string().starts_with("ld-linux")) << program->interpreter;
}

TEST_F(ProgramFiles, WhatTheHeadersSay) {
  auto glibc = read_program_file(write("a", elf("/lib64/ld-linux-x86-64.so.2", "libm.so.6")));
  ASSERT_TRUE(glibc);
  EXPECT_EQ(std::tuple(glibc->is_static(), glibc->is_musl(), glibc->needs_asan), std::tuple(false, false, false));
  auto musl = read_program_file(write("b", elf("/lib/ld-musl-x86_64.so.1", "libc.so")));
  EXPECT_TRUE(musl && musl->is_musl() && !musl->is_static());
  auto asan = read_program_file(write("c", elf("/lib64/ld-linux-x86-64.so.2", "libasan.so.8")));
  EXPECT_TRUE(asan && asan->needs_asan);
  auto fixed = read_program_file(write("d", elf("", "")));
  EXPECT_TRUE(fixed && fixed->is_static() && !fixed->is_musl());
  chmod((directory_.path / "d").c_str(), 02755);
  EXPECT_TRUE(read_program_file(directory_.path / "d")->privileged);
}

TEST_F(ProgramFiles, WhatIsNoProgram) {
  EXPECT_FALSE(read_program_file(write("script", "#!/bin/sh\n")));
  EXPECT_FALSE(read_program_file(write("empty", "")));
  EXPECT_FALSE(read_program_file(directory_.path));
  EXPECT_FALSE(read_program_file(directory_.path / "none"));
  EXPECT_FALSE(read_program_file("/dev/null"));
  auto other = elf("", "");
  other[EI_CLASS] = ELFCLASS32;
  EXPECT_FALSE(read_program_file(write("small", other)));
}

TEST_F(ProgramFiles, DamagedOnesEndSomewhere) {
  const auto whole = elf("/lib64/ld-linux-x86-64.so.2", "libasan.so.8");
  for (std::size_t size = 0; size < whole.size(); size += 7) read_program_file(write("cut", whole.substr(0, size)));
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    auto damaged = whole;
    for (int change = 0; change < 8; ++change) damaged[16 + random() % 760] = static_cast<char>(random());
    read_program_file(write("changed", damaged));
  }
}

TEST_F(ProgramFiles, AreThoseWordsThatCanBeExecuted) {
  write("launch", elf("/lib64/ld-linux-x86-64.so.2", "libc.so.6"));
  auto sim = write("sim", elf("", "")), data = write("data", elf("", ""));
  chmod(data.c_str(), 0644);
  auto programs = programs_of({"launch", "-n", "2", sim.string(), data.string(), "--flag", ""}, directory_.path.string());
  ASSERT_EQ(programs.size(), 2u);
  EXPECT_EQ(programs[0].path, directory_.path / "launch");
  EXPECT_EQ(programs[1].path, sim);
}

}  // namespace

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <csignal>
#include <set>
#include <thread>

#include "expect_error.hpp"
#include "support/files.hpp"
#include "temporary_directory.hpp"

using namespace scope::support;
using scope::test::contains;
using scope::test::error_of;
using scope::test::TemporaryDirectory;

// In place of the C library's, for the whole test program: how often something is waited for until it is on the disk.
static std::atomic<int> syncs;
extern "C" int fsync(int fd) {
  ++syncs;
  return static_cast<int>(syscall(SYS_fsync, fd));
}

namespace {

namespace fs = std::filesystem;

/// 300,000 bytes that do not compress to nothing.
std::string long_text() {
  std::string text;
  unsigned state = 1;
  while (text.size() < 300000) text += static_cast<char>('a' + ((state = state * 1103515245u + 12345u) >> 16) % 26);
  return text;
}

std::string raw_bytes(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(ReadFile, GivesTheWholeFile) {
  TemporaryDirectory directory;
  EXPECT_EQ(read_file(directory.write("a", "")), "");
  EXPECT_EQ(read_file(directory.write("b", std::string("x\0y", 3))), std::string("x\0y", 3));
  EXPECT_EQ(read_file(directory.write("c", long_text())), long_text());
  EXPECT_EQ(contains(read_file("/proc/self/status"), "Pid:"), true) << "a file whose size is not known";
}

TEST(ReadFile, NamesFileAndReason) {
  TemporaryDirectory directory;
  EXPECT_EQ(error_of([&] { read_file(directory.path / "none"); }),
            "cannot read " + (directory.path / "none").string() + ": No such file or directory");
  EXPECT_EQ(error_of([&] { read_file(directory.path); }), "cannot read " + directory.path.string() + ": Is a directory");
  fs::path file = directory.write("big", "0123456789");
  EXPECT_EQ(read_file(file, 10), "0123456789");
  EXPECT_EQ(error_of([&] { read_file(file, 9); }), "cannot read " + file.string() + ": is larger than 9 bytes");
}

TEST(PassingFile, IsReplacedWholeAndNotWaitedFor) {
  TemporaryDirectory directory;
  fs::path file = directory.write("a", "before");
  const int before = syncs;
  write_passing_file(file, long_text());
  EXPECT_EQ(syncs - before, 0);
  EXPECT_EQ(raw_bytes(file), long_text());
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path), {}), 1) << "nothing is left beside it";
  EXPECT_EQ(error_of([&] { write_passing_file(file / "b", "x"); }), "cannot write " + (file / "b").string() + ": Not a directory; choose another file name");
  write_file_atomically(file, "to stay", false, false);
  EXPECT_EQ(syncs - before, 2) << "the file, and the directory for its name";
}

TEST(Gzip, ComesBackWhateverTheNameIs) {
  TemporaryDirectory directory;
  for (const std::string &text : {std::string(), std::string("x"), long_text()}) {
    write_file_atomically(directory.path / "packed", text, true, false);
    EXPECT_EQ(raw_bytes(directory.path / "packed").substr(0, 2), "\x1f\x8b");
    EXPECT_EQ(read_file(directory.path / "packed"), text);
  }
}

TEST(Gzip, IsTheSameForTheSameText) {
  TemporaryDirectory directory;
  write_file_atomically(directory.path / "a", long_text(), true, false);
  write_file_atomically(directory.path / "b", long_text(), true, false);
  std::string bytes = raw_bytes(directory.path / "a");
  EXPECT_EQ(bytes, raw_bytes(directory.path / "b"));
  EXPECT_EQ(bytes.substr(4, 4), std::string(4, '\0')) << "no time in the header";
}

TEST(Gzip, ReadsSeveralMembers) {
  TemporaryDirectory directory;
  write_file_atomically(directory.path / "a", "first ", true, false);
  write_file_atomically(directory.path / "b", "second", true, false);
  fs::path both = directory.write("both", raw_bytes(directory.path / "a") + raw_bytes(directory.path / "b"));
  EXPECT_EQ(read_file(both), "first second");
}

TEST(Gzip, RefusesDamage) {
  TemporaryDirectory directory;
  write_file_atomically(directory.path / "good", long_text(), true, false);
  std::string bytes = raw_bytes(directory.path / "good");
  for (std::size_t length : {std::size_t{2}, std::size_t{10}, bytes.size() / 2, bytes.size() - 1}) {
    fs::path cut = directory.write("cut", bytes.substr(0, length));
    EXPECT_EQ(error_of([&] { read_file(cut); }), "cannot read " + cut.string() + ": is truncated: the gzip data end early");
  }
  bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
  fs::path changed = directory.write("changed", bytes);
  EXPECT_TRUE(contains(error_of([&] { read_file(changed); }), changed.string() + ": is damaged: bad gzip data"));
}

TEST(Gzip, IsNotExpandedBeyondTheLimit) {
  TemporaryDirectory directory;
  fs::path zeros = directory.path / "zeros";
  write_file_atomically(zeros, std::string(1 << 20, '\0'), true, false);
  EXPECT_EQ(error_of([&] { read_file(zeros, 100000); }),
            "cannot read " + zeros.string() + ": is larger than 100000 bytes when decompressed");
}

TEST(WriteFile, MakesDirectoriesAndLeavesOnlyTheFile) {
  TemporaryDirectory directory;
  write_file_atomically(directory.path / "a" / "b" / "file", "text", false, false);
  EXPECT_EQ(raw_bytes(directory.path / "a" / "b" / "file"), "text");
  write_file_atomically(directory.path / "a" / "b" / "file", "new", false, false);
  EXPECT_EQ(raw_bytes(directory.path / "a" / "b" / "file"), "new");
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto &entry : fs::directory_iterator(directory.path / "a" / "b")) ++entries;
  EXPECT_EQ(entries, 1u);
}

TEST(WriteFile, HasThePermissionsOfTheMask) {
  TemporaryDirectory directory;
  mode_t before = ::umask(027);
  write_file_atomically(directory.path / "file", "text", false, false);
  ::umask(before);
  EXPECT_EQ(fs::status(directory.path / "file").permissions(), static_cast<fs::perms>(0640));
}

TEST(WriteFile, KeepsTheEarlierFile) {
  TemporaryDirectory directory;
  fs::path file = directory.path / "trace.json";
  write_file_atomically(file, "1", false, true);
  EXPECT_EQ(directory.entries(), 1u);
  write_file_atomically(file, "2", false, true);
  write_file_atomically(file, "3", false, true);
  EXPECT_EQ(raw_bytes(file), "3");
  EXPECT_EQ(raw_bytes(directory.path / "trace.json.old"), "2");
  EXPECT_EQ(directory.entries(), 2u);
}

TEST(WriteFile, TwoAtOnceAreBothKept) {
  for (int round = 0; round < 50; ++round) {
    TemporaryDirectory directory;
    fs::path file = directory.path / "trace.json";
    std::barrier start(2);
    auto write = [&](const char *content) {
      start.arrive_and_wait();
      write_file_atomically(file, content, false, true);
    };
    std::thread other(write, "a");
    write("b");
    other.join();
    EXPECT_EQ((std::set{raw_bytes(file), raw_bytes(directory.path / "trace.json.old")}), (std::set<std::string>{"a", "b"}));
    EXPECT_EQ(directory.entries(), 2u);
  }
}

TEST(WriteFile, TheNameIsNeverMissingOrTorn) {
  TemporaryDirectory directory;
  fs::path file = directory.path / "trace.json";
  const std::string first = long_text(), second(first.rbegin(), first.rend());
  write_file_atomically(file, first, false, true);
  std::atomic<bool> done = false;
  auto write = [&](const std::string &content) {
    for (int i = 0; i < 30; ++i) write_file_atomically(file, content, false, true);
  };
  std::thread reader([&] {
    while (!done) {
      std::string content = read_file(file);  // throws when it is missing
      EXPECT_TRUE(content == first || content == second);
    }
  });
  std::thread writers[] = {std::thread(write, first), std::thread(write, second), std::thread(write, first)};
  for (auto &writer : writers) writer.join();
  done = true;
  reader.join();
  EXPECT_EQ(directory.entries(), 2u);
}

TEST(WriteFile, WritesThroughALink) {
  TemporaryDirectory directory;
  directory.write("real", "old");
  fs::create_symlink("real", directory.path / "link");
  write_file_atomically(directory.path / "link", "new", false, false);
  EXPECT_TRUE(fs::is_symlink(directory.path / "link"));
  EXPECT_EQ(raw_bytes(directory.path / "real"), "new");
}

TEST(WriteFile, DoesNotReplaceADevice) {
  write_file_atomically("/dev/null", "text", false, true);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_FALSE(fs::exists("/dev/null.old"));
}

TEST(WriteFile, SaysWhatToDoWhenTheDiskIsFull) {
  EXPECT_EQ(error_of([] { write_file_atomically("/dev/full", "text", false, false); }),
            "cannot write /dev/full: No space left on device; free some space there or choose a file on another disk");
}

TEST(WriteFile, LeavesNothingBehindOnFailure) {
  TemporaryDirectory directory;
  fs::path file = directory.path / "new" / "trace.json";
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string error = error_of([&] { write_file_atomically(file, long_text(), false, false); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error, "cannot write " + file.string() + ": File too large; raise the file size limit (ulimit -f)");
  EXPECT_EQ(directory.entries(), 0u);
}

TEST(WriteFile, KeepsTheEarlierFileInPlaceOnFailure) {
  TemporaryDirectory directory;
  fs::path file = directory.write("trace.json", "1");
  fs::create_directory(directory.path / "trace.json.old");  // cannot be replaced by a file
  EXPECT_TRUE(contains(error_of([&] { write_file_atomically(file, "2", false, true); }), "trace.json.old: Is a directory"));
  EXPECT_EQ(raw_bytes(file), "1");
  EXPECT_EQ(directory.entries(), 2u);
}

TEST(WriteFile, RefusesDirectories) {
  TemporaryDirectory directory;
  EXPECT_TRUE(contains(error_of([&] { write_file_atomically(directory.path, "x", false, false); }), ": Is a directory"));
  directory.write("file", "");
  EXPECT_TRUE(contains(error_of([&] { write_file_atomically(directory.path / "file" / "x", "x", false, false); }),
                       ": Not a directory; choose another file name"));
}

}  // namespace

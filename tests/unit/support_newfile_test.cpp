#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "support/files.hpp"
#include "temporary_directory.hpp"

using scope::support::NewFile;
using scope::support::read_file;
using scope::test::error_of;
using scope::test::TemporaryDirectory;

namespace {

TEST(NewFile, IsThereOnceItIsCommitted) {
  TemporaryDirectory directory;
  const auto path = directory.path / "a" / "file";
  NewFile file(path);
  file.write("0123");
  file.write("4567");
  file.rewrite(2, "xyz");
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit(false);
  EXPECT_EQ(read_file(path), "01xyz567");
  NewFile second(path);
  second.write("new");
  second.commit(true);
  EXPECT_EQ(read_file(path) + read_file(directory.path / "a" / "file.old"), "new01xyz567");
}

TEST(NewFile, LeavesNothingBehindUncommitted) {
  TemporaryDirectory directory;
  directory.write("file", "old");
  {
    NewFile file(directory.path / "file");
    file.write("new");
    NewFile other(directory.path / "sub" / "file");
  }
  EXPECT_EQ(read_file(directory.path / "file"), "old");
  EXPECT_EQ(directory.entries(), 1u);
}

TEST(NewFile, WritesToDevicesInPlace) {
  NewFile file("/dev/null");
  file.write("text");
  file.rewrite(0, "t");
  file.commit(true);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(error_of([] {
              NewFile full("/dev/full");
              full.write("text");
            }),
            "cannot write /dev/full: No space left on device; free some space there or choose a file on another disk");
}

}  // namespace

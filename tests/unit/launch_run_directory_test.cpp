#include "launch/run_directory.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "support/error.hpp"

using namespace scope::launch;
namespace fs = std::filesystem;

namespace {

class RunDirectoryTest : public testing::Test {
 protected:
  RunDirectoryTest() {
    std::string name = testing::TempDir() + "run-XXXXXX";
    root = mkdtemp(name.data());
  }
  ~RunDirectoryTest() override { fs::remove_all(root); }

  void file(const fs::path &name) { std::ofstream(root / name) << "text"; }

  template <typename Function>
  std::string error_of(Function function) {
    try {
      function();
    } catch (const scope::support::Error &error) {
      EXPECT_EQ(error.exit_code(), 125);
      return error.what();
    }
    return "";
  }

  fs::path root;
};

}  // namespace

TEST(RunId, Is128RandomBitsInHexadecimal) {
  auto first = make_run_id();
  EXPECT_TRUE(std::regex_match(first, std::regex("[0-9a-f]{32}"))) << first;
  EXPECT_NE(first, make_run_id());
}

TEST_F(RunDirectoryTest, LiesBesideTheOutputWhoseDirectoryIsMade) {
  auto directory = make_run_directory(root / "new" / "deep" / "t.json");
  EXPECT_EQ(directory.path.parent_path(), root / "new" / "deep");
  EXPECT_TRUE(std::regex_match(directory.path.filename().string(), std::regex(R"(\.scope-profiler-.{6})")));
  EXPECT_TRUE(directory.links.empty());
  struct stat status {};
  ASSERT_EQ(stat(directory.path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
  remove_run_directory(directory);
  EXPECT_FALSE(fs::exists(directory.path));
}

TEST_F(RunDirectoryTest, TemplateIsAbsolute) {
  EXPECT_EQ(run_directory_template("t.json"), fs::current_path() / ".scope-profiler-XXXXXX");
  EXPECT_EQ(run_directory_template("/a/b/../t.json"), "/a/.scope-profiler-XXXXXX");
}

TEST_F(RunDirectoryTest, NamesPathAndReasonWhenItCannotBeMade) {
  file("plain");
  EXPECT_EQ(error_of([&] { make_run_directory(root / "plain" / "t.json"); }),
            "cannot make the directory '" + (root / "plain").string() +
                "': Not a directory. Choose another place for the profile with -o FILE.");
  EXPECT_EQ(
      error_of([&] { make_run_directory(root); }),
      "cannot write the profile '" + root.string() + "': Is a directory. Choose another place for the profile with -o FILE.");
  EXPECT_EQ(error_of([&] { make_run_directory("/proc/t.json"); }),
            "cannot make the run directory '/proc/.scope-profiler-XXXXXX': No such file or directory. "
            "Ranks leave their data beside the profile. Choose another place for the profile with -o FILE.");
}

TEST_F(RunDirectoryTest, APathThatPreloadCarriesNeedsNoLink) {
  auto directory = make_run_directory(root / "t.json");
  EXPECT_EQ(carriable_path(directory, "/opt/lib/x.so"), "/opt/lib/x.so");
  EXPECT_EQ(planned_carriable_path(directory.path, "/opt/lib/x.so"), "/opt/lib/x.so");
  EXPECT_TRUE(directory.links.empty());
}

TEST_F(RunDirectoryTest, LinksToOtherPathsLieInTheRunDirectory) {
  auto directory = make_run_directory(root / "t.json");
  auto link = carriable_path(directory, "/my tools/x.so");
  EXPECT_EQ(link, directory.path / "x.so");
  EXPECT_EQ(fs::read_symlink(link), "/my tools/x.so");
  EXPECT_EQ(carriable_path(directory, "/my tools/x.so"), link);
  EXPECT_EQ(planned_carriable_path("/a/.scope-profiler-XXXXXX", "/my tools/x.so"), "/a/.scope-profiler-XXXXXX/x.so");
}

TEST_F(RunDirectoryTest, LinksLieUnderTmpWhereTheRunDirectoryHasASpaceToo) {
  auto directory = make_run_directory(root / "sp ace" / "t.json");
  auto link = carriable_path(directory, "/my:tools/x.so");
  EXPECT_TRUE(std::regex_match(link.string(), std::regex("/tmp/scope-profiler-.{6}/x[.]so"))) << link;
  EXPECT_EQ(fs::read_symlink(link), "/my:tools/x.so");
  EXPECT_EQ(planned_carriable_path("/a b/r", "/my:tools/x.so"), "/tmp/scope-profiler-XXXXXX/x.so");
  remove_links(directory);
  EXPECT_FALSE(fs::exists(link.parent_path()));
  EXPECT_TRUE(fs::exists(directory.path));
}

TEST_F(RunDirectoryTest, InfoIsReadAsItWasWritten) {
  RunInfo info{"id", "a\nlabel", "2024-01-01T00:00:00Z", "openmpi", {{"k", "v=w"}, {"z", ""}}, {"mpiexec", "", "a b\n"}};
  write_run_info(root, info);
  EXPECT_EQ(read_run_info(root), info);
  EXPECT_EQ(read_run_info(root / "none"), RunInfo{});
}

TEST_F(RunDirectoryTest, CopiesFilesOfRanksAndNothingElse) {
  fs::create_directories(root / "from");
  fs::create_directories(root / "to");
  for (const char *name : {"rank-abc-0.json", "live-h-1-2.block", "run.info", "libx.so", "rank-abc-0.json.tmp"})
    file(fs::path("from") / name);
  copy_rank_files(root / "from", root / "to");
  EXPECT_EQ(rank_files(root / "to"), (std::vector<fs::path>{root / "to/live-h-1-2.block", root / "to/rank-abc-0.json"}));
  EXPECT_TRUE(fs::exists(root / "to/run.info"));
  EXPECT_FALSE(fs::exists(root / "to/libx.so"));
  EXPECT_FALSE(fs::exists(root / "to/rank-abc-0.json.tmp"));
}

TEST_F(RunDirectoryTest, PreparesADirectoryAndLeavesNothingInIt) {
  prepare_directory(root / "dumps", "--keep-dumps");
  EXPECT_TRUE(fs::is_empty(root / "dumps"));
  file("plain");
  EXPECT_EQ(error_of([&] { prepare_directory(root / "plain", "--keep-dumps"); }),
            "cannot make the directory '" + (root / "plain").string() +
                "': Not a directory. Choose another directory with --keep-dumps.");
}

TEST_F(RunDirectoryTest, RefusalsAreCountedByReason) {
  fs::create_symlink("28", root / "refused-node1-17");
  fs::create_symlink("28", root / "refused-node1-18");
  fs::create_symlink("27", root / "refused-node2-17");
  fs::create_symlink("nonsense", root / "refused-node2-18");
  file("refused-node3-1");
  file("rank-x-0.json");
  EXPECT_EQ(refusals(root), (std::map<int, int>{{27, 1}, {28, 2}}));
  EXPECT_EQ(refusals(root / "missing"), (std::map<int, int>{}));
}

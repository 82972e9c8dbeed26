#include "launch/run_directory.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "launch/rank_watch.hpp"

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
  RunInfo info{"id", "a\nlabel", "2024-01-01T00:00:00Z", "openmpi", {{"k", "v=w"}, {"z", ""}}, {"mpiexec", "", "a b\n"}, "node-1", 4711, 18446744073709551615u};
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

TEST_F(RunDirectoryTest, RefusalsNameTheirProcess) {
  fs::create_symlink("28", root / "refused-node-with-hyphens-17");
  auto found = refused_processes(root);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].host, "node-with-hyphens");
  EXPECT_EQ(found[0].pid, 17);
  EXPECT_EQ(found[0].error, 28);
}

TEST_F(RunDirectoryTest, TellsWhetherAFileIsYoungerThanTheRun) {
  file("earlier");
  fs::last_write_time(root / "earlier", fs::file_time_type::clock::now() - std::chrono::hours(1));
  file("later");
  fs::last_write_time(root / "later", fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_FALSE(written_since(root, root / "later")) << "no run was described there";
  write_run_info(root, {});
  EXPECT_FALSE(written_since(root, root / "earlier"));
  EXPECT_TRUE(written_since(root, root / "later"));
  EXPECT_FALSE(written_since(root, root / "missing"));
}

TEST_F(RunDirectoryTest, OfAPlaceAreFound) {
  EXPECT_TRUE(run_directories_in(root).empty());
  auto one = make_run_directory(root / "a.json"), two = make_run_directory(root / "b.json");
  EXPECT_TRUE(run_directories_in(root).empty()) << "nothing says that they are";
  write_run_info(one.path, {});
  write_run_info(two.path, {});
  fs::create_directory(root / "other");
  std::vector<fs::path> both{one.path, two.path};
  std::sort(both.begin(), both.end());
  EXPECT_EQ(run_directories_in(root), both);
  EXPECT_EQ(run_directories_in(one.path), std::vector{one.path});
  EXPECT_EQ(error_of([&] { run_directories_in(root / "none"); }),
            "cannot read the directory '" + (root / "none").string() +
                "': No such file or directory. Name the directory of the run, or the one that the profile goes to.");
}

TEST_F(RunDirectoryTest, RunsWhileSomebodyLives) {
  auto directory = make_run_directory(root / "a.json");
  const BlockName self = own_name();
  RunInfo info;
  info.host = self.host;
  info.pid = self.pid;
  info.start_time = self.start_time;
  write_run_info(directory.path, info);
  EXPECT_TRUE(is_running(directory.path));
  ++info.start_time;  // the number was given to another process
  write_run_info(directory.path, info);
  EXPECT_FALSE(is_running(directory.path));
  const std::string rank = std::to_string(self.pid) + "-" + std::to_string(self.start_time) + ".block";
  std::ofstream(directory.path / ("live-" + self.host + "-" + std::to_string(self.pid) + "-1.block")) << "dead";
  EXPECT_FALSE(is_running(directory.path));
  std::ofstream(directory.path / ("live-" + self.host + "-" + rank)) << "alive";
  EXPECT_TRUE(is_running(directory.path));
  fs::remove(directory.path / ("live-" + self.host + "-" + rank));
  std::ofstream(directory.path / "live-elsewhere-1-1.block") << "not known";
  EXPECT_TRUE(is_running(directory.path));
}

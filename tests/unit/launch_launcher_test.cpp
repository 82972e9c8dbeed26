#include "launch/launcher.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "launch/inventory.hpp"
#include "support/error.hpp"

using namespace scope::launch;
namespace fs = std::filesystem;

namespace {

/// A directory with a few files, gone at the end.
class Launcher : public testing::Test {
 protected:
  Launcher() {
    std::string name = testing::TempDir() + "launcher-XXXXXX";
    root = mkdtemp(name.data());
    fs::create_directories(root / "one");
    fs::create_directories(root / "two" / "adir");
    file("one/plain", 0644);
    file("two/plain", 0755);
    file("two/heat2d", 0755);
    file("two/noexec", 0644);
    path = (root / "one").string() + ":" + (root / "two").string();
  }
  ~Launcher() override { fs::remove_all(root); }

  void file(const fs::path &name, mode_t mode) {
    std::ofstream(root / name) << "#!/bin/sh\n";
    chmod((root / name).c_str(), mode);
  }

  std::string error_of(const std::string &word, int *code) {
    try {
      require_program(word, path);
    } catch (const scope::support::Error &error) {
      *code = error.exit_code();
      return error.what();
    }
    *code = 0;
    return "";
  }

  fs::path root;
  std::string path;
};

const VersionOf never = [](const fs::path &) -> std::string { throw std::logic_error("asked for a version"); };
VersionOf says(const std::string &text) {
  return [text](const fs::path &) { return text; };
}

}  // namespace

TEST_F(Launcher, FindsTheFirstExecutableOnThePath) {
  EXPECT_EQ(find_program("plain", path).path, root / "two" / "plain");
  EXPECT_EQ(find_program("plain", path).error, 0);
  EXPECT_EQ(find_program((root / "two/heat2d").string(), path).path, root / "two/heat2d");
}

TEST_F(Launcher, TellsNotFoundFromNotExecutable) {
  EXPECT_EQ(find_program("none", path).error, ENOENT);
  EXPECT_TRUE(find_program("none", path).path.empty());
  EXPECT_EQ(find_program("noexec", path).error, EACCES);
  EXPECT_EQ(find_program("noexec", path).path, root / "two" / "noexec");
  EXPECT_EQ(find_program("adir", path).error, ENOENT);
  EXPECT_EQ(find_program("", path).error, ENOENT);
}

TEST_F(Launcher, NamesTheReasonAndTheNearestProgram) {
  int code = 0;
  EXPECT_EQ(error_of("heat2", &code), "cannot find the program 'heat2' on PATH. Did you mean 'heat2d'?");
  EXPECT_EQ(code, 127);
  auto wrong = (root / "two/haet2d").string();
  EXPECT_EQ(error_of(wrong, &code), "cannot find the program '" + wrong + "': No such file or directory. Did you mean '" +
                                        (root / "two/heat2d").string() + "'?");
  EXPECT_EQ(code, 127);
  EXPECT_EQ(error_of("zzzzzz", &code), "cannot find the program 'zzzzzz' on PATH.");
  EXPECT_EQ(code, 127);
  EXPECT_EQ(error_of("noexec", &code),
            "cannot execute '" + (root / "two/noexec").string() + "': Permission denied. Is it executable (chmod +x)?");
  EXPECT_EQ(code, 126);
  EXPECT_EQ(error_of((root / "two").string(), &code), "cannot execute '" + (root / "two").string() + "': Is a directory");
  EXPECT_EQ(code, 126);
}

TEST_F(Launcher, SuggestsAProgramOfTheCurrentDirectory) {
  auto before = fs::current_path();
  fs::current_path(root / "two");
  path = "/nowhere";
  int code = 0;
  auto message = error_of("heat2d", &code);
  fs::current_path(before);
  EXPECT_EQ(message, "cannot find the program 'heat2d' on PATH. Did you mean './heat2d'?");
}

TEST_F(Launcher, RecognisesByNameWithoutAskingForAVersion) {
  EXPECT_EQ(recognise("/usr/bin/orterun", never), LauncherKind::openmpi);
  EXPECT_EQ(recognise("/x/mpiexec.openmpi", never), LauncherKind::openmpi);
  EXPECT_EQ(recognise("/x/mpiexec.hydra", never), LauncherKind::hydra);
  EXPECT_EQ(recognise("/x/mpirun.mpich", never), LauncherKind::hydra);
  EXPECT_EQ(recognise("/x/srun", never), LauncherKind::srun);
  EXPECT_EQ(recognise("/x/jsrun", never), LauncherKind::other);
  EXPECT_EQ(recognise("/x/sim", never), LauncherKind::none);
  EXPECT_EQ(recognise("/x/mpiexec.sh", never), LauncherKind::none);
}

TEST_F(Launcher, RecognisesByTheFileBehindALink) {
  file("one/mpiexec.hydra", 0755);
  fs::create_symlink("mpiexec.hydra", root / "one/alternative");
  fs::create_symlink("alternative", root / "one/mpiexec");
  EXPECT_EQ(recognise(root / "one/mpiexec", never), LauncherKind::hydra);
}

TEST_F(Launcher, RecognisesByVersionWhereTheNameIsShared) {
  file("one/mpiexec", 0755);
  auto program = root / "one/mpiexec";
  EXPECT_EQ(recognise(program, says("mpiexec (OpenRTE) 4.1.4\n")), LauncherKind::openmpi);
  EXPECT_EQ(recognise(program, says("mpirun (Open MPI) 5.0.1\n")), LauncherKind::openmpi);
  EXPECT_EQ(recognise(program, says("HYDRA build details:\n    Version: 4.0.2\n")), LauncherKind::hydra);
  EXPECT_EQ(recognise(program, says("Intel(R) MPI Library for Linux* OS\n")), LauncherKind::hydra);
  EXPECT_EQ(recognise(program, says("")), LauncherKind::other);
}

TEST_F(Launcher, ListsLaunchersOfThePath) {
  file("two/mpiexec", 0755);
  file("one/srun", 0755);
  auto found = find_launchers(path, says("mpiexec (OpenRTE) 4.1.4\n\nReport bugs to http://x\n"));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].path, root / "two/mpiexec");
  EXPECT_EQ(found[0].kind, LauncherKind::openmpi);
  EXPECT_EQ(found[0].version, "4.1.4");
  EXPECT_EQ(found[1].path, root / "one/srun");
  EXPECT_EQ(found[1].kind, LauncherKind::srun);
}

TEST_F(Launcher, LinksToOneFileAreOneLauncher) {
  file("two/orterun", 0755);
  for (const char *name : {"one/mpiexec", "two/mpirun"}) fs::create_symlink(root / "two/orterun", root / name);
  file("two/mpiexec.mpich", 0755);
  auto found = distinct(find_launchers(path, says("mpiexec (OpenRTE) 4.1.4\n")));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].path, root / "one/mpiexec");
  EXPECT_EQ(found[0].file, fs::canonical(root / "two/orterun"));
  EXPECT_EQ(found[0].names, (std::vector<std::string>{"mpirun", "orterun"}));
  EXPECT_EQ(found[0].kind, LauncherKind::openmpi);
  EXPECT_EQ(found[0].version, "4.1.4");
  EXPECT_EQ(found[1].path, root / "two/mpiexec.mpich");
  EXPECT_EQ(found[1].names, std::vector<std::string>{});
  EXPECT_EQ(found[1].kind, LauncherKind::hydra);
}

TEST(LibraryCandidates, AreBesideTheLauncherBeforeTheLoadersOwn) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(library_candidates(LauncherKind::openmpi, "/opt/ompi/bin/orterun"),
            (Words{"/opt/ompi/lib/libmpi.so.40", "/opt/ompi/lib/libmpi.so.20", "/opt/ompi/lib64/libmpi.so.40",
                   "/opt/ompi/lib64/libmpi.so.20", "libmpi.so.40", "libmpi.so.20"}));
  EXPECT_EQ(library_candidates(LauncherKind::hydra, "/usr/bin/mpiexec.hydra"),
            (Words{"/usr/lib/libmpi.so.12", "/usr/lib/libmpich.so.12", "/usr/lib64/libmpi.so.12", "/usr/lib64/libmpich.so.12",
                   "libmpi.so.12", "libmpich.so.12"}));
  EXPECT_EQ(library_candidates(LauncherKind::srun, "/usr/bin/srun"), Words{});
}

TEST(VersionNumber, IsInTheFirstLineOrBehindVersion) {
  EXPECT_EQ(version_number("mpiexec (OpenRTE) 4.1.4\n\nReport bugs"), "4.1.4");
  EXPECT_EQ(version_number("HYDRA build details:\n    Version:                                 4.0.2\n    Date: 1.1"), "4.0.2");
  EXPECT_EQ(version_number("slurm 22.05.8\n"), "22.05.8");
  EXPECT_EQ(version_number("no number\n"), "");
  EXPECT_EQ(version_number(""), "");
}

TEST(LauncherKindNames, AreThoseOfTheProfile) {
  EXPECT_STREQ(to_string(LauncherKind::none), "none");
  EXPECT_STREQ(to_string(LauncherKind::openmpi), "openmpi");
  EXPECT_STREQ(to_string(LauncherKind::hydra), "hydra");
  EXPECT_STREQ(to_string(LauncherKind::srun), "srun");
  EXPECT_STREQ(to_string(LauncherKind::other), "other");
  EXPECT_EQ(launcher_kind_of("hydra"), LauncherKind::hydra);
  EXPECT_EQ(launcher_kind_of("bogus"), LauncherKind::none);
}

TEST(PlanCommand, PutsTheLauncherInFront) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(plan_command({"./a", "-n", "x"}, std::nullopt, ""), (Words{"./a", "-n", "x"}));
  EXPECT_EQ(plan_command({"./a", "b c"}, 4, ""), (Words{"mpiexec", "-n", "4", "./a", "b c"}));
  EXPECT_EQ(plan_command({"./a"}, 1, "/opt/bin/mpiexec.hydra"), (Words{"/opt/bin/mpiexec.hydra", "-n", "1", "./a"}));
}

TEST(ShimPaths, AreBesideBin) {
  auto paths = shim_paths("/opt/scope/bin/scope-profiler");
  EXPECT_EQ(paths.shim, "/opt/scope/lib/scope-profiler/libscope-profiler-mpi.so");
  EXPECT_EQ(paths.agent, "/opt/scope/lib/scope-profiler/scope-profiler-agent");
  EXPECT_EQ(paths.probe, "/opt/scope/lib/scope-profiler/scope-profiler-probe");
}

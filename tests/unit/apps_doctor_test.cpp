#include "doctor_findings.hpp"

#include <gtest/gtest.h>

#include <cerrno>

using namespace scope::cli;
using scope::launch::LauncherKind;
using scope::launch::Surroundings;
using scope::model::Profile;
using scope::model::World;

namespace {

/// What two ranks leave that called MPI_Barrier so often each.
ProofFacts two_ranks(std::int64_t first = 1, std::int64_t second = 1) {
  ProofFacts facts;
  World world;
  world.size = 2;
  world.ranks_reported = 2;
  world.complete = true;
  facts.profile.worlds = {world};
  facts.profile.ranks.resize(2);
  scope::model::CallRow barrier;
  barrier.name = "MPI_Barrier";
  barrier.per_rank.calls = {first, second};
  facts.profile.calls = {barrier};
  return facts;
}

ProofFacts ended(int code, const std::string &output) {
  ProofFacts facts;
  facts.exit_code = code;
  facts.output = output;
  return facts;
}

/// "id: text".
std::string verdict(const ProofFacts &facts) {
  auto result = judge(facts);
  EXPECT_EQ(result.proven, result.id == "proven");
  EXPECT_EQ(result.proven, result.advice.empty());
  return result.id + ": " + result.text;
}

LauncherFinding launcher(const std::string &path, LauncherKind kind, std::optional<Verdict> result) {
  return {{path, path, {"mpirun"}, kind, "4.1.4"}, "/lib/libmpi.so.40", std::move(result)};
}

const Verdict good{true, "proven", "", ""}, bad{false, "time-limit", "no end after 30 s", "Wait."};

DoctorFindings healthy() {
  DoctorFindings findings;
  findings.version = "1.2.3";
  findings.files = {{"shim", "/p/shim.so", ""}, {"agent", "/p/agent", ""}};
  findings.launchers = {launcher("/bin/mpiexec", LauncherKind::openmpi, good)};
  return findings;
}

std::vector<std::string> ids(const std::vector<scope::render::Remark> &remarks) {
  std::vector<std::string> result;
  for (const auto &remark : remarks) result.push_back(remark.id);
  return result;
}
using Ids = std::vector<std::string>;

}  // namespace

TEST(DoctorVerdict, ProvenIsTwoRanksWithOneBarrierEach) {
  EXPECT_EQ(verdict(two_ranks()), "proven: 2 of 2 ranks reported, with one MPI_Barrier each");
  EXPECT_EQ(verdict(two_ranks(1, 2)), "wrong-counts: the ranks called MPI_Barrier once each, and 1, 2 calls were counted");
  auto facts = two_ranks();
  facts.profile.calls.clear();
  EXPECT_EQ(verdict(facts), "wrong-counts: the ranks called MPI_Barrier once each, and 0, 0 calls were counted");
}

TEST(DoctorVerdict, RanksThatDidNotReport) {
  EXPECT_EQ(verdict(ended(0, "")), "not-intercepted: the ranks ran, and none of their MPI calls was seen");
  auto facts = two_ranks();
  facts.profile.worlds[0].ranks_reported = 1;
  facts.profile.worlds[0].complete = false;
  EXPECT_EQ(verdict(facts), "ranks-missing: 1 of 2 ranks reported");
  facts = two_ranks();
  facts.refusals = {{ENOSPC, 2}};
  EXPECT_EQ(verdict(facts), "no-block: ranks could not record: No space left on device");
}

TEST(DoctorVerdict, TwoSingletonsAreNoWorld) {
  auto facts = two_ranks();
  facts.profile.worlds[0].size = facts.profile.worlds[0].ranks_reported = 1;
  facts.profile.worlds.push_back(facts.profile.worlds[0]);
  EXPECT_EQ(verdict(facts), "worlds-apart: 2 MPI worlds, where there should be one of size 2");
  facts = two_ranks();
  facts.profile.worlds[0].size = 1;
  EXPECT_EQ(verdict(facts), "worlds-apart: an MPI world of size 1, where there should be one of size 2");
}

TEST(DoctorVerdict, LaunchersThatRefuse) {
  EXPECT_EQ(verdict(ended(1, "-----\nmpirun has detected an attempt to run as root.\n")), "run-as-root: refused to run as root");
  EXPECT_EQ(verdict(ended(1, "There are not enough slots available in the system\n")),
            "too-few-slots: too few slots for 2 ranks");
  EXPECT_EQ(verdict(ended(7, "\n------\n  no such host\nmore\n")), "launcher-failed: ended with exit code 7: no such host");
  EXPECT_EQ(verdict(ended(139, "")), "launcher-failed: ended with exit code 139");
  auto facts = two_ranks();
  facts.timed_out = true;
  EXPECT_EQ(verdict(facts), "time-limit: no end after 30 s");
}

TEST(DoctorVerdict, AnExitCodeCountsThoughAllRanksReported) {
  auto facts = two_ranks();
  facts.exit_code = 3;
  EXPECT_EQ(verdict(facts), "launcher-failed: ended with exit code 3");
}

TEST(DoctorFindings, WorkWhenNothingIsWrongAndSomethingIsProven) {
  EXPECT_TRUE(works(healthy()));
  auto findings = healthy();
  findings.launchers.push_back(launcher("/bin/srun", LauncherKind::srun, std::nullopt));
  EXPECT_TRUE(works(findings));
  findings.launchers.erase(findings.launchers.begin());
  EXPECT_EQ(ids(problems_of(findings)), Ids{"no-launcher"});
  findings = healthy();
  findings.launchers.push_back(launcher("/bin/mpiexec.mpich", LauncherKind::hydra, bad));
  ASSERT_EQ(ids(problems_of(findings)), Ids{"time-limit"});
  EXPECT_EQ(problems_of(findings)[0].text, "/bin/mpiexec.mpich: no end after 30 s. Wait.");
  findings.launchers.back().verdict = Verdict{false, "not-started", "It can't be.", ""};
  EXPECT_EQ(problems_of(findings)[0].text, "/bin/mpiexec.mpich: It can't be.");
  findings = healthy();
  findings.files[0].fault = "is missing.";
  findings.launchers[0].verdict.reset();
  ASSERT_EQ(ids(problems_of(findings)), Ids{"shim"});
  EXPECT_EQ(problems_of(findings)[0].text, "The shim '/p/shim.so' is missing.");
  findings = healthy();
  findings.faults = {{"temporary-directory", "full"}};
  EXPECT_FALSE(works(findings));
}

TEST(DoctorHints, OneForEachFact) {
  EXPECT_EQ(ids(hints_of(Surroundings{"", "/tmp", false, "", true})), Ids{});
  auto hints = hints_of(Surroundings{"/x/tool.so", "/scratch", true, "2", false});
  ASSERT_EQ(ids(hints), (Ids{"preload", "noexec", "hidepid", "clock"}));
  EXPECT_NE(hints[0].text.find("/x/tool.so"), std::string::npos);
  EXPECT_NE(hints[1].text.find("'/scratch' is mounted noexec"), std::string::npos);
  EXPECT_NE(hints[2].text.find("hidepid=2"), std::string::npos);
  EXPECT_NE(hints[3].text.find("constant_tsc"), std::string::npos);
}

TEST(DoctorPage, AsText) {
  auto findings = healthy();
  findings.launchers.push_back(launcher("/bin/mpiexec.mpich", LauncherKind::hydra, bad));
  findings.launchers.push_back({{"/bin/srun", "/bin/srun", {}, LauncherKind::srun, ""}, "", std::nullopt});
  findings.surroundings.hidepid = "2";
  EXPECT_EQ(scope::render::document(doctor_document(findings), "text", {false, true, 0}),
            "scope-profiler 1.2.3\n"
            "\n"
            "Files\n"
            "File   Path        State\n"
            "shim   /p/shim.so  good\n"
            "agent  /p/agent    good\n"
            "\n"
            "MPI launchers on PATH\n"
            "Launcher            Other names  Family    Version  Library            Interception\n"
            "/bin/mpiexec        mpirun       Open MPI  4.1.4    /lib/libmpi.so.40  proven\n"
            "/bin/mpiexec.mpich  mpirun       MPICH     4.1.4    /lib/libmpi.so.40  not proven\n"
            "/bin/srun           -            -         -        -                  not tried\n"
            "\n"
            "Problems\n"
            "- /bin/mpiexec.mpich: no end after 30 s. Wait.\n"
            "\n"
            "Hints\n"
            "- /proc hides processes of others (hidepid=2): of ranks that run under another user it is not known how they "
            "ended.\n"
            "\n"
            "1 problem\n");
  EXPECT_EQ(scope::render::document(problems_document(findings), "text", {false, true, 0}),
            "Problems\n- /bin/mpiexec.mpich: no end after 30 s. Wait.\n");
  EXPECT_EQ(scope::render::document(problems_document(healthy()), "text", {false, true, 0}), "");
}

TEST(DoctorPage, AsJson) {
  auto findings = healthy();
  findings.files.clear();
  EXPECT_EQ(scope::render::document(doctor_document(findings), "json", {}),
            "{\n  \"version\": \"1.2.3\",\n  \"works\": true,\n  \"files\": [],\n  \"launchers\": [\n    {\n"
            "      \"path\": \"/bin/mpiexec\",\n      \"names\": \"mpirun\",\n      \"family\": \"openmpi\",\n"
            "      \"version\": \"4.1.4\",\n      \"library\": \"/lib/libmpi.so.40\",\n"
            "      \"interception\": \"proven\"\n    }\n"
            "  ],\n  \"problems\": [],\n  \"hints\": []\n}\n");
}

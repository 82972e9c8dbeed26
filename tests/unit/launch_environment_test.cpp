#include "launch/environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace scope::launch;

namespace {

const std::string shim = "/opt/lib/libscope-profiler-mpi.so";
const Injection injection{shim, "/opt/lib/scope-profiler-agent", "/data/my runs/.scope-profiler-abc", "0123"};
const std::string agent_value =
    "/opt/lib/scope-profiler-agent /opt/lib/libscope-profiler-mpi.so SCOPE_PROFILER_RUN_DIR=/data/my%20runs/.scope-profiler-abc "
    "SCOPE_PROFILER_RUN_ID=0123 --";

}  // namespace

TEST(ComposePreload, PutsTheShimBeforeTheUsersEntries) {
  EXPECT_EQ(compose_preload("", shim), shim);
  EXPECT_EQ(compose_preload("/a.so", shim), shim + ":/a.so");
  EXPECT_EQ(compose_preload("/a.so:/b.so", shim), shim + ":/a.so:/b.so");
}

TEST(ComposePreload, TakesSpacesAndEmptyEntriesAsSeparators) {
  EXPECT_EQ(compose_preload(" /a.so  b.so::c.so ", shim), shim + ":/a.so:b.so:c.so");
}

TEST(ComposePreload, StandsBehindSanitizersThatLead) {
  EXPECT_EQ(compose_preload("/usr/lib/libasan.so.8 /a.so", shim), "/usr/lib/libasan.so.8:" + shim + ":/a.so");
  EXPECT_EQ(compose_preload("libtsan.so.2", shim), "libtsan.so.2:" + shim);
  EXPECT_EQ(compose_preload("libasan.so:libubsan.so:/a.so", shim), "libasan.so:libubsan.so:" + shim + ":/a.so");
  EXPECT_EQ(compose_preload("/llvm/libclang_rt.asan-x86_64.so", shim), "/llvm/libclang_rt.asan-x86_64.so:" + shim);
}

TEST(ComposePreload, ASanitizerThatDoesNotLeadStaysInItsPlace) {
  EXPECT_EQ(compose_preload("/a.so:/usr/lib/libasan.so.8", shim), shim + ":/a.so:/usr/lib/libasan.so.8");
  EXPECT_EQ(compose_preload("/libasan/a.so", shim), shim + ":/libasan/a.so");
}

TEST(ComposePreload, ReplacesTheShimOfAnOuterRun) {
  EXPECT_EQ(compose_preload(shim, shim), shim);
  EXPECT_EQ(compose_preload("/a.so:/tmp/link/libscope-profiler-mpi.so:/b.so", shim), shim + ":/a.so:/b.so");
  EXPECT_EQ(compose_preload("/a/notlibscope-profiler-mpi.so", shim), shim + ":/a/notlibscope-profiler-mpi.so");
}

TEST(Carriable, RefusesWhatTheLoaderOrOpenMpiWouldSplitOrExpand) {
  EXPECT_TRUE(carriable("/opt/scope-1.0/lib_x.so"));
  for (const char *path : {"/a b", "/a:b", "/a\tb", "/$LIB/x", "/a\nb"}) EXPECT_FALSE(carriable(path)) << path;
}

TEST(PercentEncode, IsUndoneByDecode) {
  EXPECT_EQ(percent_encode("/a b%\xc3\xa4"), "/a%20b%25%C3%A4");
  EXPECT_EQ(percent_decode("/a%20b%25%C3%A4"), "/a b%\xc3\xa4");
  EXPECT_EQ(percent_decode("100%"), "100%");
  EXPECT_EQ(percent_decode("%2"), "%2");
  EXPECT_EQ(percent_decode("%zz%41"), "%zzA");
}

TEST(ValueOf, TakesTheFirstEntryOfExactlyThatName) {
  Environment environment{"AB=1", "A=2", "A=3", "C"};
  EXPECT_EQ(value_of(environment, "A"), "2");
  EXPECT_EQ(value_of(environment, "AB"), "1");
  EXPECT_EQ(value_of(environment, "C"), std::nullopt);
  EXPECT_EQ(value_of(environment, "B"), std::nullopt);
}

TEST(ApplyChanges, ReplacesInPlaceAndDropsDuplicates) {
  EXPECT_EQ(apply_changes({"A=1", "B=2", "A=3", "AA=4"}, {{"A", "x"}, {"N", "y z"}}),
            (Environment{"A=x", "B=2", "AA=4", "N=y z"}));
  EXPECT_EQ(apply_changes({"A=1"}, {}), (Environment{"A=1"}));
}

TEST(PlanChanges, AreTheFourVariablesOfARun) {
  std::vector<Variable> expected{{"LD_PRELOAD", shim + ":/tool.so"},
                                 {"SCOPE_PROFILER_RUN_DIR", "/data/my runs/.scope-profiler-abc"},
                                 {"SCOPE_PROFILER_RUN_ID", "0123"},
                                 {"OMPI_MCA_orte_fork_agent", agent_value}};
  EXPECT_EQ(plan_changes({"LD_PRELOAD=/tool.so", "HOME=/root"}, {"mpiexec", "-n", "2", "./a"}, injection), expected);
}

TEST(PlanChanges, PreloadNothingWithoutAShim) {
  Injection regions{"", "/opt/lib/scope-profiler-agent", "/data/run", "0123", 0, "/opt/my lib/libscope-profiler-region.so"};
  const std::vector<Variable> variables{{"SCOPE_PROFILER_RUN_DIR", "/data/run"},
                                        {"SCOPE_PROFILER_RUN_ID", "0123"},
                                        {"SCOPE_PROFILER_REGION_LIBRARY", "/opt/my lib/libscope-profiler-region.so"}};
  auto expected = variables;
  expected.push_back({"OMPI_MCA_orte_fork_agent",
                      "/opt/lib/scope-profiler-agent - SCOPE_PROFILER_RUN_DIR=/data/run SCOPE_PROFILER_RUN_ID=0123 "
                      "SCOPE_PROFILER_REGION_LIBRARY=/opt/my%20lib/libscope-profiler-region.so --"});
  EXPECT_EQ(plan_changes({"LD_PRELOAD=/tool.so"}, {"mpiexec", "./a"}, regions), expected);
  auto line = parse_agent_line({"-", "SCOPE_PROFILER_RUN_DIR=/data/run", "--", "./a"});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->shim, "");
  EXPECT_EQ(agent_changes({"LD_PRELOAD=/tool.so"}, *line), (std::vector<Variable>{variables[0]}));
}

TEST(PlanChanges, LeaveTheUsersForkAgentAlone) {
  EXPECT_EQ(plan_changes({"OMPI_MCA_orte_fork_agent=/usr/bin/env A=b"}, {"mpiexec", "./a"}, injection).size(), 3u);
  EXPECT_EQ(plan_changes({}, {"mpiexec", "--mca", "orte_fork_agent", "xterm", "./a"}, injection).size(), 3u);
  EXPECT_EQ(plan_changes({}, {"mpiexec", "-gmca", "orte_fork_agent", "xterm", "./a"}, injection).size(), 3u);
  EXPECT_EQ(plan_changes({}, {"mpiexec", "--mca", "orte_base_help", "1", "./a"}, injection).size(), 4u);
  EXPECT_EQ(plan_changes({}, {"mpiexec", "--path", "/opt/bin", "a"}, injection).size(), 3u);
}

TEST(PlanChanges, ReplaceTheForkAgentOfAnOuterRun) {
  auto changes = plan_changes({"OMPI_MCA_orte_fork_agent=/x/scope-profiler-agent /x/y.so A=b --"}, {"mpiexec"}, injection);
  ASSERT_EQ(changes.size(), 4u);
  EXPECT_EQ(changes[3].value, agent_value);
}

TEST(AgentLine, UndoesWhatTheForkAgentsValueSays) {
  auto line = parse_agent_line(
      {shim, "SCOPE_PROFILER_RUN_DIR=/data/my%20runs/x", "SCOPE_PROFILER_RUN_ID=0123", "--", "./a", "--", "b c"});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->shim, shim);
  EXPECT_EQ(line->variables,
            (std::vector<Variable>{{"SCOPE_PROFILER_RUN_DIR", "/data/my runs/x"}, {"SCOPE_PROFILER_RUN_ID", "0123"}}));
  EXPECT_EQ(line->command, (std::vector<std::string>{"./a", "--", "b c"}));
}

TEST(AgentLine, RefusesOtherForms) {
  EXPECT_FALSE(parse_agent_line({}));
  EXPECT_FALSE(parse_agent_line({shim, "A=b"}));
  EXPECT_FALSE(parse_agent_line({shim, "A=b", "--"}));
  EXPECT_FALSE(parse_agent_line({shim, "noequals", "--", "./a"}));
  EXPECT_FALSE(parse_agent_line({"--", "./a"}));
}

TEST(AgentChanges, KeepWhatTheRankHasInItsOwnPreload) {
  AgentLine line{shim, {{"SCOPE_PROFILER_RUN_ID", "1"}}, {"./a"}};
  EXPECT_EQ(agent_changes({"LD_PRELOAD=libasan.so.8:/x.so"}, line),
            (std::vector<Variable>{{"LD_PRELOAD", "libasan.so.8:" + shim + ":/x.so"}, {"SCOPE_PROFILER_RUN_ID", "1"}}));
  EXPECT_EQ(agent_changes({"LD_PRELOAD=" + shim}, line)[0].value, shim);
}

TEST(Asan, StartsBehindTheShimAndKeepsWhatTheUserSays) {
  EXPECT_EQ(compose_asan_options(""), "verify_asan_link_order=0");
  EXPECT_EQ(compose_asan_options("a=1:b=2"), "verify_asan_link_order=0:a=1:b=2");
  EXPECT_EQ(compose_asan_options("verify_asan_link_order=1"), "verify_asan_link_order=1");
  EXPECT_EQ(compose_asan_options(compose_asan_options("a=1")), compose_asan_options("a=1"));
}

TEST(Asan, ReachesRanksThatHaveTheirOwnOptions) {
  auto with = injection;
  with.asan = true;
  auto changes = plan_changes({"ASAN_OPTIONS=a=1"}, {"mpiexec", "./a"}, with);
  EXPECT_NE(std::find(changes.begin(), changes.end(), Variable{"ASAN_OPTIONS", "verify_asan_link_order=0:a=1"}), changes.end());
  EXPECT_NE(fork_agent_value(with).find(" ASAN_OPTIONS= "), std::string::npos) << fork_agent_value(with);
  AgentLine line{shim, {{"ASAN_OPTIONS", ""}}, {"./a"}};
  EXPECT_EQ(agent_changes({"ASAN_OPTIONS=b=2"}, line)[1].value, "verify_asan_link_order=0:b=2");
}

#include <gtest/gtest.h>
#include <unistd.h>

#include "expect_error.hpp"
#include "launch/batch.hpp"
#include "launch/srun_line.hpp"

using namespace scope::launch;
using scope::test::contains;
using scope::test::error_of;
using Facts = std::map<std::string, std::string>;
using Words = std::vector<std::string>;

namespace {

TEST(BatchJob, SlurmTellsMost) {
  Environment environment{"SLURM_JOB_ID=42",          "SLURM_ARRAY_TASK_ID=7", "SLURM_JOB_NAME=sim", "SLURM_JOB_PARTITION=short",
                          "SLURM_JOB_NODELIST=n[1-2]", "SLURM_TASKS_PER_NODE=4(x2)", "SLURM_CPU_BIND=cores"};
  EXPECT_EQ(facts_of(batch_job(environment)), (Facts{{"system", "slurm"}, {"id", "42"}, {"array_index", "7"}, {"name", "sim"}, {"partition", "short"},
                                                     {"nodes", "n[1-2]"}, {"tasks_per_node", "4(x2)"}, {"binding", "cores"}}));
}

TEST(BatchJob, OtherSystems) {
  EXPECT_EQ(facts_of(batch_job({"PBS_JOBID=9[3].host", "PBS_ARRAY_INDEX=3", "PBS_QUEUE=q"})),
            (Facts{{"system", "pbs"}, {"id", "9[3].host"}, {"array_index", "3"}, {"partition", "q"}}));
  EXPECT_EQ(facts_of(batch_job({"LSB_JOBID=5", "LSB_JOBINDEX=0", "LSB_HOSTS=a a b"})), (Facts{{"system", "lsf"}, {"id", "5"}, {"nodes", "a a b"}}));
  EXPECT_EQ(facts_of(batch_job({"FLUX_JOB_ID=123"})), (Facts{{"system", "flux"}, {"id", "123"}}));
  EXPECT_EQ(facts_of(batch_job({"HOME=/"})), Facts{});
}

TEST(BatchJob, OfAWorldsKey) {
  EXPECT_EQ(facts_of(batch_job_of_world("pmi-42-0")), (Facts{{"system", "slurm"}, {"id", "42"}}));
  EXPECT_EQ(facts_of(batch_job_of_world("pmix-slurm.pmix.43.1")), (Facts{{"system", "slurm"}, {"id", "43"}}));
  for (const char *key : {"pmi-job-4", "hydra-n1_4-0", "ompi-42", "pmi--0", ""}) EXPECT_EQ(facts_of(batch_job_of_world(key)), Facts{}) << key;
}

TEST(Nodes, OfSlurmAndLsf) {
  EXPECT_EQ(expand_nodes("n[1-2,07,9-10],m3"), (Words{"n1", "n2", "n07", "n9", "n10", "m3"}));
  EXPECT_EQ(expand_nodes("r[0-1]n[08-09]x"), (Words{"r0n08x", "r0n09x", "r1n08x", "r1n09x"}));
  EXPECT_EQ(expand_nodes("a a b"), (Words{"a", "b"}));
  for (const char *text : {"", "n[1-", "n[2-1]", "n[x]", "n[0-999999999]", "n[0-99999][0-99999]"}) EXPECT_EQ(expand_nodes(text), Words{}) << text;
}

TEST(NamePatterns, AreReplaced) {
  const NameParts parts{"42", "7", "n1", "20260102T030405Z"};
  EXPECT_EQ(expand_name("out/trace-%j-%a.json.gz", parts, "-o"), "out/trace-42-7.json.gz");
  EXPECT_EQ(expand_name("%h%t%%j", parts, "-o"), "n120260102T030405Z%j");
  EXPECT_EQ(expand_name("trace.json", parts, "-o"), "trace.json");
}

TEST(NamePatterns, UnknownOnesAreRefusedWithTheirPosition) {
  const auto error = error_of([] { expand_name("a-%x.json", {}, "-o"); });
  for (const char *part : {"'a-%x.json' of -o", "unknown pattern '%x' at position 3", "%j (job id)"}) EXPECT_TRUE(contains(error, part)) << error;
  EXPECT_TRUE(contains(error_of([] { expand_name("a%", {}, "-o"); }), "a '%' at position 2"));
}

TEST(NamePatterns, OutsideAJob) {
  const auto parts = name_parts({});
  EXPECT_EQ(parts.job, std::to_string(getpid()));
  EXPECT_EQ(parts.array, "0");
  EXPECT_EQ(name_parts({"pbs", "9[3].host", "", "", "", "", "", ""}).job, "9_3_.host");
}

std::vector<std::string> exports(const Words &words) {
  std::vector<std::string> texts;
  for (const auto &option : srun_options(words, "--export")) texts.push_back(option.text);
  return texts;
}

TEST(SrunLine, OptionsEndAtTheProgram) {
  EXPECT_EQ(exports({"srun", "-n", "4", "--export=NONE", "./sim", "--export=ALL"}), (Words{"NONE"}));
  EXPECT_EQ(exports({"srun", "-n4", "-lN2", "--label", "--mpi", "pmi2", "--export", "A,B", "./sim"}), (Words{"A,B"}));
  EXPECT_EQ(exports({"srun", "-J", "sort", "--multi-prog", "--export=NONE", "x.conf"}), (Words{"NONE"}));
  EXPECT_EQ(exports({"srun", "-n1", "./a", "--export=X", ":", "--export=NONE", "./b"}), (Words{"NONE"}));
  EXPECT_EQ(exports({"srun", "./sim", "--export=NONE"}), Words{});
}

const std::vector<Variable> ours{{"LD_PRELOAD", "/s.so:/user.so"}, {"SCOPE_PROFILER_RUN_DIR", "/run"}, {"OMPI_MCA_orte_fork_agent", "/agent"}};

TEST(SrunLine, NoneBecomesAListOfOurs) {
  auto change = export_to_tasks({"srun", "--export=NONE", "./sim"}, {}, ours);
  EXPECT_EQ(change.words, (Words{"srun", "--export=LD_PRELOAD=/s.so:/user.so,SCOPE_PROFILER_RUN_DIR=/run", "./sim"}));
  EXPECT_EQ(change.told, "--export=NONE");
}

TEST(SrunLine, AListIsContinued) {
  EXPECT_EQ(export_to_tasks({"srun", "--export", "A,B=1", "./sim"}, {}, ours).words,
            (Words{"srun", "--export", "A,B=1,LD_PRELOAD=/s.so:/user.so,SCOPE_PROFILER_RUN_DIR=/run", "./sim"}));
  EXPECT_EQ(export_to_tasks({"srun", "--export=ALL,LD_PRELOAD=/own.so", "./sim"}, {}, ours).words,
            (Words{"srun", "--export=ALL,LD_PRELOAD=/s.so:/own.so", "./sim"}));
  auto quoted = ours;
  quoted[1].value = "/a,b";
  EXPECT_EQ(export_to_tasks({"srun", "--export=nil", "./sim"}, {}, quoted).words,
            (Words{"srun", "--export=LD_PRELOAD=/s.so:/user.so,SCOPE_PROFILER_RUN_DIR='/a,b'", "./sim"}));
}

TEST(SrunLine, WhatReachesTheTasksIsLeftAlone) {
  for (const char *option : {"--export=ALL", "--export=ALL,A=1", "-n4"}) {
    auto change = export_to_tasks({"srun", option, "./sim"}, {"SLURM_EXPORT_ENV=ALL"}, ours);
    EXPECT_EQ(change.words, (Words{"srun", option, "./sim"}));
    EXPECT_EQ(change.told, "");
    EXPECT_FALSE(change.variable);
  }
}

TEST(SrunLine, TheVariableOfAJobThatExportsNothing) {
  auto change = export_to_tasks({"srun", "./sim"}, {"SLURM_EXPORT_ENV=NONE"}, ours);
  EXPECT_EQ(change.variable, "LD_PRELOAD=/s.so:/user.so,SCOPE_PROFILER_RUN_DIR=/run");
  EXPECT_EQ(change.told, "SLURM_EXPORT_ENV=NONE");
}

TEST(SrunLine, WhatCanNotBeAddedIsSaid) {
  auto change = export_to_tasks({"srun", "--export=NONE", "./sim"}, {}, {{"LD_PRELOAD", "/it's.so"}});
  EXPECT_EQ(change.words, (Words{"srun", "--export=NONE", "./sim"}));
  EXPECT_EQ(change.problem, "the value of LD_PRELOAD has a quote, which srun's list can't hold");
}

}  // namespace

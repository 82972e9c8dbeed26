#include "cli.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "support/error.hpp"
#include "wire/contract.hpp"

using namespace scope::cli;
using scope::launch::Environment;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

CommandLine parse(const Words &words, const Environment &environment = {}) { return parse_command_line(words, environment); }

std::string error_of(const Words &words, int code, const Environment &environment = {}) {
  try {
    parse(words, environment);
  } catch (const scope::support::Error &error) {
    EXPECT_EQ(error.exit_code(), code);
    return error.what();
  }
  return "no error";
}

/// A file of options, gone at the end.
struct ConfigFile {
  fs::path path;
  explicit ConfigFile(const std::string &text) {
    std::string name = testing::TempDir() + "config-XXXXXX";
    path = fs::path(mkdtemp(name.data())) / "options.toml";
    std::ofstream(path) << text;
  }
  ~ConfigFile() { fs::remove_all(path.parent_path()); }
};

}  // namespace

TEST(RunLine, DefaultsAreThoseOfTheContract) {
  auto line = parse({"run", "./sim"});
  EXPECT_EQ(line.action, Action::run);
  EXPECT_EQ(line.run.command, (Words{"./sim"}));
  EXPECT_FALSE(line.run.mpi_calls || line.run.dry_run || line.run.strict || line.common.verbose || line.common.quiet);
  EXPECT_EQ(line.run.output, "trace.json");
  EXPECT_EQ(line.run.ranks, std::nullopt);
  EXPECT_EQ(line.run.mpiexec + line.run.label + line.run.keep_dumps + line.common.config, "");
  EXPECT_EQ(line.common.color, "auto");
}

TEST(RunLine, ReadsEveryOption) {
  auto line = parse({"-v",           "run",         "--mpi-calls", "-n",       "4",       "--mpiexec", "/x/mpiexec",
                     "-o",           "a b.json.gz", "--label=l m", "--tag",    "k=v=w",   "--tag",     "z=",
                     "--keep-dumps", "d",           "--dry-run",   "--strict", "--color", "never",     "./sim"});
  EXPECT_TRUE(line.run.mpi_calls && line.run.dry_run && line.run.strict && line.common.verbose);
  EXPECT_EQ(line.run.ranks, 4);
  EXPECT_EQ(line.run.mpiexec, "/x/mpiexec");
  EXPECT_EQ(line.run.output, "a b.json.gz");
  EXPECT_EQ(line.run.label, "l m");
  EXPECT_EQ(line.run.tags, (std::map<std::string, std::string>{{"k", "v=w"}, {"z", ""}}));
  EXPECT_EQ(line.run.keep_dumps, "d");
  EXPECT_EQ(line.common.color, "never");
  EXPECT_EQ(line.run.command, (Words{"./sim"}));
}

TEST(RunLine, StallOptions) {
  EXPECT_EQ(parse({"run", "./sim"}).run.stall_timeout, 0);
  EXPECT_EQ(parse({"run", "./sim"}).run.stall_action, "report");
  auto line = parse({"run", "--mpi-calls", "--stall-timeout", "2.5", "--stall-action=abort", "./sim"});
  EXPECT_EQ(line.run.stall_timeout, 2.5);
  EXPECT_EQ(line.run.stall_action, "abort");
  EXPECT_EQ(parse({"run", "--mpi-calls", "./sim"}, {"SCOPE_PROFILER_STALL_TIMEOUT=60"}).run.stall_timeout, 60);
}

TEST(RunLine, StallOptionsThatCannotBe) {
  EXPECT_EQ(error_of({"run", "--stall-timeout", "2", "./sim"}, 125),
            "--stall-timeout looks at MPI calls: it needs --mpi-calls.");
  EXPECT_EQ(error_of({"run", "--mpi-calls", "--stall-action", "abort", "./sim"}, 125),
            "--stall-action says what follows a stall, and --stall-timeout was not given.");
}

TEST(RunLine, OptionsEndAtTheFirstWordOfTheCommand) {
  EXPECT_EQ(parse({"run", "--mpi-calls", "mpiexec", "-n", "8", "./sim", "--flag", "-q", "--", "-o"}).run.command,
            (Words{"mpiexec", "-n", "8", "./sim", "--flag", "-q", "--", "-o"}));
  auto line = parse({"run", "-q", "--", "mpiexec", "--", "-x"});
  EXPECT_EQ(line.run.command, (Words{"mpiexec", "--", "-x"}));
  EXPECT_TRUE(line.common.quiet);
  EXPECT_EQ(parse({"run", "-n2", "run"}).run.command, (Words{"run"}));
  EXPECT_EQ(parse({"run", "-n2", "run"}).run.ranks, 2);
}

TEST(RunLine, RefusesWhatItDoesNotKnowWithTheNearestName) {
  const std::string end = " Options are listed by --help; a command can't begin with '-'.";
  EXPECT_EQ(error_of({"run", "--mpi-call", "./sim"}, 125), "unknown option '--mpi-call'. Did you mean '--mpi-calls'?" + end);
  EXPECT_EQ(error_of({"run", "-mpi-calls", "./sim"}, 125), "unknown option '-mpi-calls'. Did you mean '--mpi-calls'?" + end);
  EXPECT_EQ(error_of({"run", "--outptu=x", "./sim"}, 125), "unknown option '--outptu'. Did you mean '--output'?" + end);
  EXPECT_EQ(error_of({"run", "-np", "4", "./sim"}, 125), "unknown option '-np'. Did you mean '-n'?" + end);
  EXPECT_EQ(error_of({"run", "--", "--strit"}, 125), "unknown option '--strit'. Did you mean '--strict'?" + end);
  EXPECT_EQ(error_of({"run", "--zzzzzzzzzzzz", "./sim"}, 125), "unknown option '--zzzzzzzzzzzz'." + end);
}

TEST(RunLine, RefusesBadValues) {
  EXPECT_EQ(error_of({"run"}, 125), "run needs a command: scope-profiler run [OPTIONS] [--] COMMAND [ARG...]");
  EXPECT_EQ(error_of({"run", "--mpi-calls", "--"}, 125),
            "run needs a command: scope-profiler run [OPTIONS] [--] COMMAND [ARG...]");
  EXPECT_EQ(error_of({"run", "--label"}, 125), "option --label needs a value.");
  EXPECT_EQ(error_of({"run", "-n", "0", "./sim"}, 125), "-n: Value 0 not in range 1 to 16777216.");
  EXPECT_EQ(error_of({"run", "--mpiexec", "m", "./sim"}, 125), "--mpiexec names the launcher of -n, and -n was not given.");
  EXPECT_EQ(error_of({"run", "--tag", "novalue", "./sim"}, 125), "--tag is 'novalue': it has the form KEY=VALUE.");
  EXPECT_EQ(error_of({"run", "--tag", "=v", "./sim"}, 125), "--tag is '=v': it has the form KEY=VALUE.");
  EXPECT_EQ(error_of({"run", "--strict=maybe", "./sim"}, 125),
            "--strict is 'maybe': it can be true or false (1, 0, yes, no, on, off).");
}

TEST(Commands, AreNamedInErrors) {
  EXPECT_EQ(error_of({"rum", "./sim"}, 2),
            "unknown command 'rum'. Did you mean 'run'? Commands are run, report, check, export, merge, watch and doctor. To profile a program: "
            "scope-profiler run rum");
  EXPECT_EQ(error_of({}, 2), "a command is missing: run, report, check, export, merge, watch or doctor. Try 'scope-profiler --help'.");
  EXPECT_EQ(error_of({"-q"}, 2), "a command is missing: run, report, check, export, merge, watch or doctor.");
  EXPECT_EQ(
      error_of({"--verison"}, 2),
      "unknown option '--verison'. Did you mean '--version'? Options are listed by --help; a command can't begin with '-'.");
}

TEST(Commands, HelpAndVersionNeedNothingElse) {
  EXPECT_EQ(parse({"--version"}).action, Action::version);
  EXPECT_EQ(parse({"run", "--version"}).action, Action::version);
  EXPECT_EQ(parse({"report", "--version", "-v"}).action, Action::version);
  EXPECT_TRUE(parse({"--version", "-v"}).common.verbose);
  auto help = parse({"run", "--help"});
  EXPECT_EQ(help.action, Action::help);
  EXPECT_NE(help.text.find("Usage: scope-profiler run [OPTIONS] [--] COMMAND [ARG...]\n"), std::string::npos);
  for (const auto &name : option_names("run")) {
    EXPECT_NE(help.text.find((name.size() == 1 ? "-" : "--") + name), std::string::npos) << name;
  }
}

TEST(ReportLine, ReadsEveryOption) {
  auto line = parse({"report",    "t.json",    "-o",      "a.md",  "-o",        "-",     "--format",  "csv",
                     "--by",      "call,peer", "--by",    "rank",  "--sort",    "calls", "--top",     "3",
                     "--columns", "a,b",       "--ranks", "0-3,8", "--include", "Send",  "--exclude", "Recv"});
  EXPECT_EQ(line.action, Action::report);
  EXPECT_EQ(line.report.files, std::vector<std::string>{"t.json"});
  EXPECT_EQ(line.report.outputs, (Words{"a.md", "-"}));
  EXPECT_TRUE(line.report.format_given);
  const auto &options = line.report.options;
  EXPECT_EQ(options.format, "csv");
  EXPECT_EQ(options.by, (Words{"call", "peer", "rank"}));
  EXPECT_EQ(options.sort, "calls");
  EXPECT_EQ(options.top, 3);
  EXPECT_EQ(options.columns, (Words{"a", "b"}));
  EXPECT_EQ(options.ranks, "0-3,8");
  EXPECT_EQ(options.include, "Send");
  EXPECT_EQ(options.exclude, "Recv");
}

TEST(ReportLine, OptionsAndFileComeInAnyOrder) {
  EXPECT_EQ(parse({"report", "--by", "rank", "t.json"}).report.files, std::vector<std::string>{"t.json"});
  EXPECT_EQ(parse({"report", "--", "-odd"}).report.files, std::vector<std::string>{"-odd"});
  EXPECT_FALSE(parse({"report", "t.json"}).report.format_given);
  EXPECT_EQ(error_of({"report"}, 2), "file is required.");
  EXPECT_EQ(error_of({"report", "t.json", "--tpo", "3"}, 2),
            "unknown option '--tpo'. Did you mean '--top'? Options are listed by --help; a command can't begin with '-'.");
}

TEST(ReportLine, SeveralFilesAreAComparison) {
  const auto line = parse({"report", "a.json", "b.json", "c.json", "--scaling", "strong", "--top", "5"});
  EXPECT_EQ(line.report.files, (Words{"a.json", "b.json", "c.json"}));
  EXPECT_EQ(line.report.scaling, "strong");
  EXPECT_EQ(error_of({"report", "a.json", "--scaling", "weak"}, 2), "--scaling compares several profiles, and there is one.");
  EXPECT_EQ(error_of({"report", "a.json", "b.json", "--by", "rank"}, 2), "--by is about one profile, and there are 2. Report them one by one.");
  EXPECT_EQ(error_of({"report", "a.json", "b.json", "--ranks", "1"}, 2), "--ranks is about one profile, and there are 2. Report them one by one.");
}

TEST(RunLine, TraceHasALimitWithUnits) {
  auto line = parse({"run", "--trace", "./a"});
  EXPECT_TRUE(line.run.trace);
  EXPECT_EQ(line.run.trace_limit, 64u << 20);
  EXPECT_EQ(parse({"run", "--trace", "--trace-limit", "2GiB", "./a"}).run.trace_limit, std::uint64_t{2} << 30);
  EXPECT_EQ(parse({"run", "--trace", "--trace-limit=500MB", "./a"}).run.trace_limit, 500u << 20);
  EXPECT_EQ(error_of({"run", "--trace", "--trace-limit", "1023k", "./a"}, 125), "--trace-limit is at least 1MiB.");
  EXPECT_EQ(error_of({"run", "--trace", "--repeat", "3", "./a"}, 125),
            "--trace records one run, and --repeat and --versus make several. Record the timeline in a run of its own.");
  EXPECT_FALSE(parse({"run", "./a"}).run.trace);
}

TEST(ReportLine, TheOutputOfRunsInTheEnvironmentIsNotTheReports) {
  EXPECT_EQ(parse({"report", "t.json"}, {"SCOPE_PROFILER_OUTPUT=t.json"}).report.outputs, Words{});
  EXPECT_EQ(parse({"report", "t.json"}, {"SCOPE_PROFILER_REPORT_OUTPUT=a.md,b.csv"}).report.outputs, (Words{"a.md", "b.csv"}));
}

TEST(MergeLine, ReadsInputsAndOutput) {
  auto line = parse({"merge", "d", "-o", "x.json", "e"});
  EXPECT_EQ(line.action, Action::merge);
  EXPECT_EQ(line.merge.inputs, (Words{"d", "e"}));
  EXPECT_EQ(line.merge.output, "x.json");
  EXPECT_EQ(error_of({"merge"}, 2), "inputs is required.");
}

TEST(WatchLine, ReadsEveryOption) {
  auto line = parse({"watch"});
  EXPECT_EQ(line.action, Action::watch);
  EXPECT_EQ(std::tuple(line.watch.directory, line.watch.interval, line.watch.once, line.watch.format), std::tuple("", 1.0, false, "text"));
  EXPECT_EQ(std::tuple(line.watch.rows, line.watch.order, line.watch.top, line.watch.stall_timeout), std::tuple("auto", "since", 0, 10.0));
  line = parse({"watch", "out", "--interval", "0.5", "--once", "--format=json", "--rows", "states", "--order", "mpi", "--top", "7",
                "--stall-timeout", "3"});
  EXPECT_EQ(std::tuple(line.watch.directory, line.watch.interval, line.watch.once, line.watch.format), std::tuple("out", 0.5, true, "json"));
  EXPECT_EQ(std::tuple(line.watch.rows, line.watch.order, line.watch.top, line.watch.stall_timeout), std::tuple("states", "mpi", 7, 3.0));
  EXPECT_TRUE(error_of({"watch", "--interval", "0"}, 2).starts_with("--interval: Value 0 not in range 0.05"));
  EXPECT_NE(error_of({"watch", "a", "b"}, 2), "");
}

TEST(DoctorLine, ReadsEveryOption) {
  auto line = parse({"doctor"});
  EXPECT_EQ(line.action, Action::doctor);
  EXPECT_FALSE(line.doctor.coverage);
  EXPECT_EQ(line.doctor.format, "text");
  line = parse({"-q", "doctor", "--coverage", "--format", "csv"});
  EXPECT_TRUE(line.doctor.coverage && line.common.quiet);
  EXPECT_EQ(line.doctor.format, "csv");
  EXPECT_TRUE(parse({"doctor"}, {"SCOPE_PROFILER_COVERAGE=1"}).doctor.coverage);
  EXPECT_EQ(parse({"doctor", "--version"}).action, Action::version);
  EXPECT_EQ(error_of({"doctor", "./sim"}, 2), "doctor takes options only, and './sim' is none.");
  EXPECT_EQ(error_of({"doctor", "--format", "xml"}, 2), "--format: xml not in {text,markdown,csv,json}.");
}

TEST(Layers, FlagBeatsEnvironmentBeatsFile) {
  ConfigFile file("label = \"file\"\noutput = \"file.json\"\nn = 2\nmpi-calls = true\ntag = [\"a=1\", \"b=2\"]\n");
  Environment environment{"SCOPE_PROFILER_CONFIG=" + file.path.string(), "SCOPE_PROFILER_LABEL=env",
                          "SCOPE_PROFILER_OUTPUT=env.json"};
  auto line = parse({"run", "--label", "flag", "./sim"}, environment);
  EXPECT_EQ(line.run.label, "flag");
  EXPECT_EQ(line.run.output, "env.json");
  EXPECT_EQ(line.run.ranks, 2);
  EXPECT_TRUE(line.run.mpi_calls);
  EXPECT_EQ(line.run.tags, (std::map<std::string, std::string>{{"a", "1"}, {"b", "2"}}));
  EXPECT_FALSE(parse({"run", "--mpi-calls=false", "./sim"}, environment).run.mpi_calls);
  environment.push_back("SCOPE_PROFILER_TAG=c=3,d=4");
  EXPECT_EQ(parse({"run", "./sim"}, environment).run.tags, (std::map<std::string, std::string>{{"c", "3"}, {"d", "4"}}));
}

TEST(Layers, EveryOptionHasATwin) {
  Environment environment{"SCOPE_PROFILER_MPI_CALLS=yes", "SCOPE_PROFILER_N=3",       "SCOPE_PROFILER_MPIEXEC=m",
                          "SCOPE_PROFILER_OUTPUT=o",      "SCOPE_PROFILER_LABEL=l",   "SCOPE_PROFILER_TAG=k=v",
                          "SCOPE_PROFILER_KEEP_DUMPS=d",  "SCOPE_PROFILER_DRY_RUN=1", "SCOPE_PROFILER_STRICT=on",
                          "SCOPE_PROFILER_VERBOSE=true",  "SCOPE_PROFILER_QUIET=0",   "SCOPE_PROFILER_COLOR=always"};
  auto line = parse({"run", "./sim"}, environment);
  EXPECT_TRUE(line.run.mpi_calls && line.run.dry_run && line.run.strict && line.common.verbose);
  EXPECT_FALSE(line.common.quiet);
  EXPECT_EQ(line.run.ranks, 3);
  EXPECT_EQ(line.run.mpiexec + line.run.output + line.run.label + line.run.keep_dumps, "mold");
  EXPECT_EQ(line.run.tags.at("k"), "v");
  EXPECT_EQ(line.common.color, "always");
}

TEST(Layers, AnEmptyVariableIsAsGoodAsNone) {
  auto line = parse({"run", "./sim"}, {"SCOPE_PROFILER_OUTPUT=", "SCOPE_PROFILER_MPI_CALLS="});
  EXPECT_EQ(line.run.output, "trace.json");
  EXPECT_FALSE(line.run.mpi_calls);
}

TEST(Layers, ErrorsNameWhereTheValueCameFrom) {
  EXPECT_EQ(error_of({"run", "./sim"}, 125, {"SCOPE_PROFILER_N=many"}),
            "-n: Value many not in range 1 to 16777216 (from SCOPE_PROFILER_N).");
  EXPECT_EQ(error_of({"run", "./sim"}, 125, {"SCOPE_PROFILER_STRICT=perhaps"}),
            "SCOPE_PROFILER_STRICT is 'perhaps': it can be true or false (1, 0, yes, no, on, off).");
  ConfigFile file("lable = \"x\"\n");
  EXPECT_EQ(error_of({"run", "--config", file.path.string(), "./sim"}, 125),
            "'" + file.path.string() + "', line 1: unknown key 'lable'. Did you mean 'label'?");
  EXPECT_EQ(error_of({"run", "--config", "/no/such/file", "./sim"}, 125),
            "cannot read /no/such/file: No such file or directory (--config).");
}

TEST(Layers, ASectionIsThatOfACommand) {
  ConfigFile file("n = 1\n[reprot]\ntop = 5\n");
  EXPECT_EQ(error_of({"doctor", "--config", file.path.string()}, 2),
            "'" + file.path.string() + "', line 3: there is no command 'reprot' for the section. Did you mean [report]?");
}

TEST(Layers, TheFileServesAllCommands) {
  ConfigFile file("mpi-calls = true\ntop = 5\n[run]\nlabel = \"r\"\n[report]\nby = [\"rank\", \"peer\"]\n");
  auto run = parse({"run", "--config", file.path.string(), "./sim"});
  EXPECT_TRUE(run.run.mpi_calls);
  EXPECT_EQ(run.run.label, "r");
  auto report = parse({"report", "--config", file.path.string(), "t.json"});
  EXPECT_EQ(report.report.options.top, 5);
  EXPECT_EQ(report.report.options.by, (Words{"rank", "peer"}));
}

TEST(Layers, VerboseSaysWhereValuesCameFrom) {
  ConfigFile file("n = 2\n[run]\nrepeat = 4\ntag = [\"a=1\", \"b=2\"]\n");
  auto line = parse({"run", "-v", "--label", "l m", "./sim"},
                    {"SCOPE_PROFILER_CONFIG=" + file.path.string(), "SCOPE_PROFILER_LABEL=env", "SCOPE_PROFILER_OUTPUT=o.json"});
  auto setting = [&line](const std::string &option) {
    for (const auto &one : line.settings)
      if (one.option == option) return one.value + "|" + one.source;
    return std::string("not there");
  };
  EXPECT_EQ(setting("--label"), "l m|flag");
  EXPECT_EQ(setting("--output"), "o.json|environment SCOPE_PROFILER_OUTPUT");
  EXPECT_EQ(setting("-n"), "2|" + file.path.string() + ":1");
  EXPECT_EQ(setting("--tag"), "a=1, b=2|" + file.path.string() + ":4");
  EXPECT_EQ(setting("--stall-action"), "report|default");
  EXPECT_EQ(setting("--keep-dumps"), "|default");
  EXPECT_EQ(setting("--strict"), "false|default");
  EXPECT_TRUE(parse({"run", "./sim"}).settings.empty()) << "nobody asked";
  EXPECT_TRUE(parse({"run", "-v", "--version"}).settings.empty());
  line = parse({"check", "-v", "a", "b"}, {"GITHUB_ACTIONS=true"});
  EXPECT_EQ(setting("--github"), "true|environment GITHUB_ACTIONS");
  EXPECT_EQ(setting("--fail-on-missing"), "true|default");
}

TEST(Layers, AFileCannotNameAnotherOne) {
  ConfigFile file("color = \"never\"\nconfig = \"x\"\n");
  EXPECT_EQ(error_of({"doctor", "--config", file.path.string()}, 2),
            "'" + file.path.string() + "', line 2: a file of options can't name another one. Leave the key 'config' out.");
}

TEST(Layers, OfQuietAndVerboseTheFlagHolds) {
  EXPECT_FALSE(parse({"run", "-v", "./sim"}, {"SCOPE_PROFILER_QUIET=1"}).common.quiet);
  EXPECT_FALSE(parse({"run", "-q", "./sim"}, {"SCOPE_PROFILER_VERBOSE=1"}).common.verbose);
}

TEST(Twins, DoNotCollideWithTheVariablesOfRanks) {
  EXPECT_EQ(environment_twin("mpi-calls"), "SCOPE_PROFILER_MPI_CALLS");
  for (const char *command : {"run", "report", "merge", "watch", "doctor"}) {
    auto names = option_names(command);
    EXPECT_GE(names.size(), 5u);
    for (const auto &name : names) {
      for (const char *variable :
           {scope::wire::env_run_dir, scope::wire::env_run_id, scope::wire::env_clock, scope::wire::env_max_entries}) {
        EXPECT_NE(environment_twin(name), variable);
      }
    }
  }
}

#include "cli.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <fstream>
#include <memory>

#include "cli_check.hpp"
#include "cli_config.hpp"
#include "cli_layers.hpp"
#include "cli_watch.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace scope::cli {

using support::Error;

namespace {

constexpr int usage_error = 2, run_usage_error = 125;
constexpr char default_config[] = ".scope-profiler.toml";
constexpr char program_description[] =
    "Profiles MPI programs without rebuilding them.\n"
    "  scope-profiler run --mpi-calls mpiexec -n 8 ./sim    profile a program; writes trace.json\n"
    "  scope-profiler report trace.json                     look at a profile\n"
    "  scope-profiler check base.json new.json               did it get worse? for CI\n"
    "  scope-profiler export --to gha-benchmark trace.json   for other tools\n"
    "  scope-profiler merge DIRECTORY -o trace.json         merge what ranks left\n"
    "  scope-profiler watch                                 look at a job while it runs\n"
    "  scope-profiler doctor                                find out whether profiling works here\n"
    "'scope-profiler COMMAND --help' lists a command's options. Every option has an environment twin SCOPE_PROFILER_<OPTION>\n"
    "and a key in the file of --config: flag > environment > file.";
const std::vector<std::string> command_names{"run", "report", "check", "export", "merge", "watch", "doctor"};

/// CLI11's own line of usage does not know that options end at the user's command.
class Help : public CLI::Formatter {
 public:
  explicit Help(std::string usage) : usage_(std::move(usage)) { column_width(26); }
  std::string make_usage(const CLI::App *, std::string) const override { return usage_ + '\n'; }

 private:
  std::string usage_;
};

/// The command's options, bound to the fields of `line`.
struct Parser {
  CLI::App app;
  CommandLine &line;
  bool version = false;
  std::vector<std::string> tags, by, columns;

  explicit Parser(const std::string &command, CommandLine &target) : line(target) {
    app.name(command.empty() ? "scope-profiler" : "scope-profiler " + command);
    app.set_help_flag("-h,--help", "print this help and end");
    add_common(line.common);
    if (command == "run") add_run(line.run);
    else if (command == "report") add_report(line.report);
    else if (command == "merge") add_merge(line.merge);
    else if (command == "watch") add_watch();
    else if (command == "doctor") add_doctor();
    else if (command == "check") add_check();
    else if (command == "export") add_export();
    else add_overview();
  }

  void add_overview() {
    app.description(program_description);
    app.formatter(std::make_shared<Help>("Usage: scope-profiler COMMAND [OPTIONS] ..."));
  }

  void add_common(CommonOptions &common) {
    app.add_flag("--version", version,
                 "print the version and end; with -v: MPI families found, path of the shim, format versions");
    app.add_flag("-v,--verbose", common.verbose, "say more, and where the value of every option came from");
    app.add_flag("-q,--quiet", common.quiet, "only warnings and errors");
    app.add_option("--color", common.color, "auto, always or never; else NO_COLOR and CLICOLOR_FORCE decide")
        ->check(CLI::IsMember({"auto", "always", "never"}).description(""))
        ->type_name("WHEN");
    app.add_option("--config", common.config, "file of options (default: ./.scope-profiler.toml if it is there)")
        ->type_name("FILE");
  }

  void add_run(RunOptions &run) {
    app.description("Runs a program and writes its profile.");
    app.formatter(std::make_shared<Help>("Usage: scope-profiler run [OPTIONS] [--] COMMAND [ARG...]"));
    app.add_flag("--mpi-calls", run.mpi_calls, "profile the MPI calls of every rank");
    app.add_option("-n", run.ranks, "put 'mpiexec -n N' in front of the command")
        ->check(CLI::Range(1, 1 << 24).description(""))
        ->type_name("N");
    app.add_option("--mpiexec", run.mpiexec, "the launcher of -n (default: mpiexec of PATH)")->type_name("PATH");
    app.add_option("-o,--output", run.output,
                   "the profile (default: trace.json); .gz compresses; an earlier one becomes FILE.old; in its name "
                   "%j is the batch job, %a its array index, %h the host, %t the time, %% a percent sign")
        ->type_name("FILE");
    app.add_option("--label", run.label, "a text that the profile keeps")->type_name("TEXT");
    app.add_option("--tag", tags, "a key and a value that the profile keeps; may be repeated")->type_name("K=V");
    app.add_option("--keep-dumps", run.keep_dumps, "keep the ranks' files in this directory")->type_name("DIR");
    add_per_rank(run.per_rank);
    app.add_option("--collect", run.collect, "how ranks' data get here: files, node, mpi or auto (default); see share/doc/collect.md")
        ->check(CLI::IsMember({"files", "node", "mpi", "auto"}).description(""))
        ->type_name("HOW");
    app.add_option("--callsites", run.callsites,
                   "also say which code makes the calls; =DEPTH: with so many callers of it (default 1, 0: off)")
        ->expected(0, 1)
        ->check(CLI::Range(0, static_cast<int>(launch::callsite_depth_limit)).description(""))
        ->type_name("[=DEPTH]");
    app.add_flag("--trace", run.trace, "record a timeline too: when every call began and ended, who waited for whom");
    app.add_option("--trace-limit", run.trace_limit, "most that the timeline of a rank may take (default: 64MiB)")
        ->transform(CLI::AsSizeValue(false).description(""))
        ->type_name("SIZE");
    app.add_option("--stall-timeout", run.stall_timeout,
                   "say who waits for whom when no rank makes progress for so long; needs --mpi-calls")
        ->check(CLI::Range(0.1, 1e6).description(""))
        ->type_name("SEC");
    app.add_option("--stall-action", run.stall_action, "what follows: report (default) goes on, abort ends the program")
        ->check(CLI::IsMember({"report", "abort"}).description(""))
        ->type_name("WHAT");
    app.add_option("--repeat", run.repeat, "run N times; the profile has every repetition, for check")
        ->check(CLI::Range(1, 10000).description(""))
        ->type_name("N");
    app.add_option("--warmup", run.warmup, "runs before the repetitions that are not kept; needs --repeat or --versus")
        ->check(CLI::Range(0, 10000).description(""))
        ->type_name("N");
    app.add_option("--versus", run.versus, "a second command, in one word: both take turns, and are compared at the end")
        ->type_name("COMMAND");
    app.add_flag("--dry-run", run.dry_run, "print the command and the changes to its environment, and run nothing");
    app.add_flag("--strict", run.strict, "exit with 125 when the profile is incomplete and the program's own code was 0");
  }

  void add_report(ReportCommand &report) {
    app.description("Shows a profile, or compares several with the first.");
    app.formatter(std::make_shared<Help>("Usage: scope-profiler report [OPTIONS] FILE..."));
    app.add_option("file", report.files, "profiles that run wrote; several are compared with the first")->required()->type_name("FILE");
    // Not "output" in the environment: what `run` writes must not become what `report` overwrites.
    app.add_option("-o,--output,--report-output", report.outputs,
                   "write to this file (.txt .md .csv .json .html), '-' is standard output; may be repeated")
        ->type_name("OUT");
    auto &options = report.options;
    app.add_option("--format", options.format, "text, markdown, csv, json or html")
        ->check(CLI::IsMember({"text", "markdown", "csv", "json", "html"}).description(""))
        ->type_name("FORMAT");
    app.add_option("--by", by, "call, spread, rank, heat, peer, size, comm, callsite, region, wait, delay or path; may be repeated")->type_name("VIEW");
    app.add_option("--scaling", report.scaling, "of several profiles: speed-up and efficiency over their numbers of ranks, strong or weak")
        ->check(CLI::IsMember({"strong", "weak"}).description(""))
        ->type_name("KIND");
    app.add_option("--sort", options.sort, "the column to sort by")->type_name("COLUMN");
    app.add_option("--top", options.top, "rows of each table, 0 for all")
        ->check(CLI::Range(0, 1 << 30).description(""))
        ->type_name("N");
    app.add_option("--columns", columns, "the columns to show")->type_name("A,B,...");
    app.add_option("--ranks", options.ranks, "only these ranks")->type_name("0-3,8");
    app.add_option("--include", options.include, "only procedures that match this regular expression")->type_name("RE");
    app.add_option("--exclude", options.exclude, "no procedures that match this regular expression")->type_name("RE");
  }

  void add_merge(MergeCommand &merge) {
    app.description("Merges the files that ranks left, also after the launcher itself was killed.");
    app.formatter(std::make_shared<Help>("Usage: scope-profiler merge [OPTIONS] DIR|FILE..."));
    app.add_option("inputs", merge.inputs, "a run directory, or files of ranks")->required()->type_name("DIR|FILE");
    app.add_option("-o,--output", merge.output,
                   "the profile (default: trace.json); .gz compresses; an earlier one becomes FILE.old")
        ->type_name("FILE");
    add_per_rank(merge.per_rank);
  }

  void add_per_rank(std::string &per_rank) {
    app.add_option("--per-rank", per_rank, "above 1,024 ranks: auto (default) keeps how calls spread over ranks, all keeps each rank's")
        ->check(CLI::IsMember({"auto", "all"}).description(""))
        ->type_name("HOW");
  }

  void add_watch() {
    app.formatter(std::make_shared<Help>("Usage: scope-profiler watch [OPTIONS] [DIR]"));
    add_watch_options(app, line.watch);
  }

  void add_doctor() {
    app.formatter(std::make_shared<Help>("Usage: scope-profiler doctor [OPTIONS]"));
    add_doctor_options(app, line.doctor);
  }

  void add_check() {
    app.formatter(std::make_shared<Help>("Usage: scope-profiler check [OPTIONS] [BASE] NEW"));
    add_check_options(app, line.check);
  }

  void add_export() {
    app.formatter(std::make_shared<Help>("Usage: scope-profiler export --to FORMAT [OPTIONS] FILE"));
    add_export_options(app, line.export_);
  }

  std::vector<OptionSpec> specs() const {
    std::vector<OptionSpec> result;
    for (const auto *option : app.get_options()) {
      if (option->get_positional()) continue;
      OptionSpec spec;
      for (const auto &name : option->get_snames()) spec.names.push_back('-' + name);
      for (const auto &name : option->get_lnames()) spec.names.push_back("--" + name);
      spec.key = option->get_lnames().empty() ? option->get_snames().front() : option->get_lnames().back();
      spec.takes_value = option->get_items_expected_min() > 0;
      spec.value_is_optional = !spec.takes_value && option->get_items_expected_max() == 1;
      spec.repeatable = option->get_items_expected_max() > 1;
      spec.has_twin = spec.key != "help" && spec.key != "version";
      result.push_back(spec);
    }
    return result;
  }

  /// Converts and checks. CLI11 takes its arguments from the back.
  void convert(const Scanned &scanned) {
    std::vector<std::string> words;
    auto all = specs();
    for (const auto &given : scanned.given) {
      auto spec = std::find_if(all.begin(), all.end(), [&](const OptionSpec &o) { return o.key == given.key; });
      bool is_long = spec->names.back().starts_with("--");
      words.push_back(is_long ? spec->names.back() + '=' + given.value : spec->names.back() + given.value);
    }
    if (line.action != Action::run && !scanned.words.empty()) {
      words.push_back("--");
      words.insert(words.end(), scanned.words.begin(), scanned.words.end());
    }
    std::reverse(words.begin(), words.end());
    app.parse(std::move(words));
  }

  /// What holds after convert(), and why. What was not given is read back from the fields that the options are bound to.
  std::vector<Setting> settings(const Scanned &scanned) {
    std::vector<Setting> result;
    for (const auto &spec : specs()) {
      if (!spec.has_twin) continue;
      auto *option = app.get_option_no_throw(spec.names.back());
      Setting setting{spec.names.back(), "", "default"};
      for (const auto &given : scanned.given)
        if (given.key == spec.key) setting.source = given.place;
      if (is_given(scanned, spec.key)) setting.value = CLI::detail::join(option->results(), ", ");
      else setting.value = default_of(*option);
      result.push_back(std::move(setting));
    }
    return result;
  }

  static std::string default_of(CLI::Option &option) {
    option.capture_default_str();
    auto text = option.get_default_str();
    bool is_flag = option.get_items_expected_max() == 0;
    if (is_flag && text.empty()) return "false";
    return text == "[]" || text == "-1" ? "" : text;  // of lists, and of numbers that the command chooses
  }
};

/// "run, report, check, export, merge and doctor".
std::string commands_text(const std::string &last_joint) {
  std::string text;
  for (const auto &name : command_names) {
    bool last = name == command_names.back();
    text += (text.empty() ? "" : last ? ' ' + last_joint + ' ' : ", ") + name;
  }
  return text;
}

std::vector<std::string> all_keys() {
  std::vector<std::string> keys;
  for (const auto &command : command_names) {
    for (const auto &name : option_names(command)) keys.push_back(name);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

/// A section that no command reads is a slip of the hand.
void check_sections(const std::vector<FileItem> &items, const std::string &file) {
  for (const auto &item : items) {
    if (item.section.empty() || std::find(command_names.begin(), command_names.end(), item.section) != command_names.end()) continue;
    const auto name = support::ellipsize(item.section, 60, false);
    auto near = support::nearest(name, command_names);
    throw Error("'" + file + "', line " + std::to_string(item.line) + ": there is no command '" + name + "' for the section." +
                (near.empty() ? "" : " Did you mean [" + near + "]?"));
  }
}

void add_layers(Scanned &scanned, const std::vector<OptionSpec> &specs, const std::string &command,
                const launch::Environment &environment) {
  // Of two options that contradict each other the one of the nearer layer holds.
  bool flag_verbose = is_given(scanned, "verbose"), flag_quiet = is_given(scanned, "quiet");
  add_environment(scanned, specs, environment);
  auto file = value_of(scanned, "config");
  if (file.empty() && std::ifstream(default_config)) {
    file = default_config;
    scanned.given.push_back({"config", file, "", "default"});
  }
  if (!file.empty()) {
    auto items = read_config(file);
    check_sections(items, file);
    add_file(scanned, specs, items, command, file, all_keys());
  }
  std::erase_if(scanned.given, [&](const Given &given) {
    return (given.key == "quiet" && flag_verbose && !flag_quiet) || (given.key == "verbose" && flag_quiet && !flag_verbose);
  });
}

/// Where the rejected value came from, for CLI11's messages begin with the option's name: " (from SCOPE_PROFILER_N)".
std::string origin_of(const std::string &message, const Scanned &scanned, const std::vector<OptionSpec> &specs) {
  for (const auto &given : scanned.given) {
    auto spec = std::find_if(specs.begin(), specs.end(), [&](const OptionSpec &o) { return o.key == given.key; });
    bool named =
        std::any_of(spec->names.begin(), spec->names.end(), [&](const std::string &n) { return message.starts_with(n + ':'); });
    if (named && !given.origin.empty()) return " (from " + given.origin + ")";
  }
  return "";
}

std::map<std::string, std::string> parse_tags(const std::vector<std::string> &tags) {
  std::map<std::string, std::string> result;
  for (const auto &tag : tags) {
    auto equals = tag.find('=');
    if (equals == std::string::npos || equals == 0) throw Error("--tag is '" + tag + "': it has the form KEY=VALUE.");
    result[tag.substr(0, equals)] = tag.substr(equals + 1);
  }
  return result;
}

std::vector<std::string> split_lists(const std::vector<std::string> &lists) {
  std::vector<std::string> result;
  for (const auto &list : lists) {
    for (auto &part : CLI::detail::split(list, ',')) {
      if (!part.empty()) result.push_back(part);
    }
  }
  return result;
}

/// What has a meaning for one profile only, or for several.
void check_comparison(const ReportCommand &report, bool scaling_given) {
  if (report.files.size() == 1 && scaling_given) throw Error("--scaling compares several profiles, and there is one.");
  if (report.files.size() < 2) return;
  const render::ReportOptions &options = report.options;
  const std::pair<const char *, bool> given[] = {{"--by", !options.by.empty()}, {"--sort", !options.sort.empty()}, {"--columns", !options.columns.empty()},
                                                 {"--ranks", !options.ranks.empty()}, {"--include", !options.include.empty()}, {"--exclude", !options.exclude.empty()}};
  for (const auto &[option, is_there] : given)
    if (is_there) throw Error(std::string(option) + " is about one profile, and there are " + std::to_string(report.files.size()) + ". Report them one by one.");
}

void finish(Parser &parser, const Scanned &scanned) {
  auto &line = parser.line;
  line.run.tags = parse_tags(parser.tags);
  line.report.options.by = split_lists(parser.by);
  line.report.options.columns = split_lists(parser.columns);
  line.report.format_given = is_given(scanned, "format");
  if (line.action == Action::report) check_comparison(line.report, is_given(scanned, "scaling"));
  if (line.action != Action::run) return;
  line.run.command = scanned.words;
  if (line.run.command.empty()) throw Error("run needs a command: scope-profiler run [OPTIONS] [--] COMMAND [ARG...]");
  if (!line.run.mpiexec.empty() && !line.run.ranks) throw Error("--mpiexec names the launcher of -n, and -n was not given.");
  if (line.run.callsites > 0 && !line.run.mpi_calls) throw Error("--callsites says where MPI calls are made: it needs --mpi-calls.");
  if (line.run.collect != "auto" && line.run.collect != "files" && !line.run.mpi_calls)
    throw Error("--collect says how ranks' MPI calls get here: it needs --mpi-calls.");
  if (line.run.trace_limit < launch::least_trace_limit) throw Error("--trace-limit is at least 1MiB.");
  if (line.run.trace && (line.run.repeat || !line.run.versus.empty()))
    throw Error("--trace records one run, and --repeat and --versus make several. Record the timeline in a run of its own.");
  if (line.run.warmup > 0 && !line.run.repeat && line.run.versus.empty())
    throw Error("--warmup says how many runs come before those of --repeat, and that was not given.");
  if (line.run.stall_timeout > 0 && !line.run.mpi_calls) throw Error("--stall-timeout looks at MPI calls: it needs --mpi-calls.");
  if (line.run.stall_action == "abort" && line.run.stall_timeout <= 0)
    throw Error("--stall-action says what follows a stall, and --stall-timeout was not given.");
  if (line.run.output.empty()) throw Error("-o needs the name of a file.");
}

/// --github is on where GitHub runs us. Of other commands than check nobody reads it.
void take_github_default(CommandLine &line, const launch::Environment &environment) {
  line.check.github = launch::value_of(environment, "GITHUB_ACTIONS") == "true";
  for (auto &setting : line.settings)
    if (setting.option == "--github" && line.check.github) setting = {"--github", "true", "environment GITHUB_ACTIONS"};
}

CommandLine parse_for(const std::string &command, const std::vector<std::string> &arguments,
                      const launch::Environment &environment) {
  CommandLine line;
  line.action = command == "run"      ? Action::run
                : command == "report" ? Action::report
                : command == "merge"  ? Action::merge
                : command == "watch"  ? Action::watch
                : command == "doctor" ? Action::doctor
                : command == "check"  ? Action::check
                : command == "export" ? Action::export_
                                      : Action::help;
  Parser parser(command, line);
  auto specs = parser.specs();
  auto scanned = scan(specs, arguments, line.action == Action::run ? Stop::at_first_word : Stop::at_end);
  bool help = value_of(scanned, "help") == "true", version = value_of(scanned, "version") == "true";
  if (help) {
    line.action = Action::help;
    line.text = parser.app.help();
    return line;
  }
  if (line.action == Action::doctor && !scanned.words.empty())
    throw Error("doctor takes options only, and '" + scanned.words.front() + "' is none.");
  add_layers(scanned, specs, command, environment);
  try {
    bool takes_words = line.action != Action::help && line.action != Action::doctor;
    if (version) scanned.words.assign(takes_words, "");  // satisfies what is required of a command
    parser.convert(scanned);
  } catch (const CLI::ParseError &error) {
    std::string message = support::ellipsize(support::valid_utf8(error.what()), 300, false);
    throw Error(message + origin_of(message, scanned, specs) + (message.ends_with('.') ? "" : "."));
  }
  if (line.common.verbose && !version) line.settings = parser.settings(scanned);
  if (!is_given(scanned, "github")) take_github_default(line, environment);
  if (version) line.action = Action::version;
  else finish(parser, scanned);
  return line;
}

}  // namespace

std::string environment_twin(const std::string &option) {
  std::string name = "SCOPE_PROFILER_";
  for (char c : option) name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::vector<std::string> option_names(const std::string &command) {
  CommandLine line;
  std::vector<std::string> names;
  for (const auto &spec : Parser(command, line).specs()) {
    if (spec.has_twin) names.push_back(spec.key);
  }
  return names;
}

CommandLine parse_command_line(const std::vector<std::string> &arguments, const launch::Environment &environment) {
  CommandLine common;
  auto before = scan(Parser("", common).specs(), arguments, Stop::at_first_word);
  if (before.words.empty()) {
    if (before.given.empty())
      throw Error("a command is missing: " + commands_text("or") + ". Try 'scope-profiler --help'.", usage_error);
    auto line = parse_for("", arguments, environment);
    if (line.action == Action::help && line.text.empty())
      throw Error("a command is missing: " + commands_text("or") + ".", usage_error);
    return line;
  }
  auto command = before.words.front();
  if (std::find(command_names.begin(), command_names.end(), command) == command_names.end()) {
    auto near = support::nearest(command, command_names);
    throw Error("unknown command '" + command + "'." + (near.empty() ? "" : " Did you mean '" + near + "'?") +
                    " Commands are " + commands_text("and") + ". To profile a program: scope-profiler run " + command,
                usage_error);
  }
  auto rest = arguments;
  auto position = static_cast<std::ptrdiff_t>(arguments.size() - before.words.size());
  rest.erase(rest.begin() + position);
  if (position > 0 && rest[static_cast<std::size_t>(position) - 1] == "--") rest.erase(rest.begin() + position - 1);
  try {
    return parse_for(command, rest, environment);
  } catch (const Error &error) {
    throw Error(error.what(), command == "run" ? run_usage_error : usage_error);
  }
}

}  // namespace scope::cli

// Parse, dispatch, catch, exit code.

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "cli.hpp"
#include "commands.hpp"
#include "messages.hpp"
#include "support/error.hpp"

namespace {

int dispatch(const scope::cli::CommandLine &line) {
  using scope::cli::Action;
  scope::app::set_up_messages(line.common);
  for (const auto &[option, value, source] : line.settings)
    scope::app::debug(option + " = " + (value.empty() ? "none" : value) + " (" + source + ")");
  switch (line.action) {
    case Action::help: return std::fputs(line.text.c_str(), stdout) < 0;
    case Action::version: return scope::app::version_command(line);
    case Action::run: return scope::app::run_command(line);
    case Action::report: return scope::app::report_command(line);
    case Action::merge: return scope::app::merge_command(line);
    case Action::watch: return scope::app::watch_command(line);
    case Action::check: return scope::app::check_command(line);
    case Action::export_: return scope::app::export_command(line);
    case Action::doctor: return scope::app::doctor_command(line);
  }
  return scope::app::tool_fault;
}

int guarded(const std::vector<std::string> &arguments) {
  using scope::cli::Action;
  int unexpected = scope::app::tool_fault;
  try {
    auto line = scope::cli::parse_command_line(arguments, scope::launch::current_environment());
    if (line.action == Action::report || line.action == Action::merge || line.action == Action::watch ||
        line.action == Action::check || line.action == Action::export_)
      unexpected = 2;
    if (line.action == Action::doctor) unexpected = 1;
    try {
      return dispatch(line);
    } catch (const scope::support::Error &error) {
      scope::app::error(error.what());
      // Errors of files say 2; before the program started they are faults of the tool. To `doctor` a fault is a finding.
      if (line.action == Action::run && error.exit_code() == 2) return scope::app::tool_fault;
      const bool reads = line.action == Action::report || line.action == Action::merge || line.action == Action::watch;
      if (reads && error.exit_code() == scope::app::tool_fault) return 2;  // of directories that `run` uses, too
      return line.action == Action::doctor && error.exit_code() == scope::app::tool_fault ? 1 : error.exit_code();
    }
  } catch (const scope::support::Error &error) {
    scope::app::error(error.what());
    return error.exit_code();
  } catch (const std::exception &error) {
    scope::app::error(error.what());
    return unexpected;
  }
}

}  // namespace

int main(int argc, char **argv) { std::exit(guarded({argv + (argc > 0), argv + argc})); }

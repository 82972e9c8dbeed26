// `--version`, and with -v what is installed here.

#include <cstdio>
#include <filesystem>

#include "commands.hpp"
#include "launch/inventory.hpp"
#include "launch/process.hpp"
#include "model/python_profile_json.hpp"

namespace scope::app {

namespace {

std::string shim_line(const std::filesystem::path &shim) {
  std::error_code ignored;
  return "shim: " + shim.string() + (std::filesystem::exists(shim, ignored) ? "" : " (missing)") + '\n';
}

std::string launcher_lines() {
  auto version_of = [](const std::filesystem::path &program) { return launch::output_of(program, {"--version"}); };
  auto launchers = launch::find_launchers(launch::value_of(launch::current_environment(), "PATH"), version_of);
  if (launchers.empty()) return "launchers: none on PATH\n";
  std::string text = "launchers:\n";
  for (const auto &launcher : launchers) {
    text += "  " + launcher.path.string() + ": " + launch::to_string(launcher.kind) +
            (launcher.version.empty() ? "" : ' ' + launcher.version) + '\n';
  }
  return text;
}

}  // namespace

int version_command(const cli::CommandLine &line) {
  std::string text = "scope-profiler " SCOPE_VERSION "\n";
  if (line.common.verbose) {
    text += shim_line(launch::shim_paths(launch::own_executable()).shim) + launcher_lines() + "formats:\n";
    for (const auto &format : launch::format_versions()) text += "  " + format.name + ' ' + std::to_string(format.version) + '\n';
    text += std::string("  ") + model::python_format + ' ' + std::to_string(model::python_version) + '\n';
  }
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace scope::app

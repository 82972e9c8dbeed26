// `report`: one profile as text, Markdown, CSV or JSON.

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "commands.hpp"
#include "render/report.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "terminal.hpp"

namespace scope::app {

namespace fs = std::filesystem;
using support::Error;

namespace {

void print(const std::string &text) {
  bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written && errno != EPIPE) throw Error("cannot write to standard output: " + support::errno_text(errno) + ".");
}

/// The ending decides, --format where it says nothing.
std::string format_for(const std::string &output, const cli::ReportCommand &command) {
  auto format = render::format_of_file(output);
  if (!format.empty()) return format;
  if (command.format_given) return command.options.format;
  throw Error("-o '" + output + "': the ending says no format. It can be .txt, .md, .csv or .json; or give --format.");
}

void refuse_input_as_output(const cli::ReportCommand &command) {
  std::error_code ignored;
  for (const auto &output : command.outputs) {
    if (output != "-" && fs::equivalent(output, command.file, ignored)) {
      throw Error("-o '" + output + "' is the profile itself. Choose another name for the report.");
    }
  }
}

}  // namespace

int report_command(const cli::CommandLine &line) {
  const auto &command = line.report;
  refuse_input_as_output(command);
  auto profile = model::read_profile(command.file);
  auto outputs = command.outputs.empty() ? std::vector<std::string>{"-"} : command.outputs;
  for (const auto &output : outputs) {
    auto options = command.options;
    if (output == "-") {
      options.style = style_for_descriptor(1, line.common.color);
      print(render::report(profile, options));
    } else {
      options.format = format_for(output, command);
      options.style = style_for_file(line.common.color);
      support::write_file_atomically(output, render::report(profile, options), false, false);
    }
  }
  return 0;
}

}  // namespace scope::app

// `export`: a profile, or its timeline, in the format of another tool.

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "commands.hpp"
#include "compare/measurements.hpp"
#include "messages.hpp"
#include "render/check_formats.hpp"
#include "render/python_profile_json.hpp"
#include "render/timeline_chrome_trace.hpp"
#include "render/timeline_csv.hpp"
#include "render/timeline_python_profile.hpp"
#include "render/timeline_speedscope.hpp"
#include "side_file.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace scope::app {

namespace fs = std::filesystem;
using support::Error;

namespace {

/// A word of --to and what makes its text, from the profile or from its timeline. The words are also the choices of --to in
/// cli_check.cpp.
struct Format {
  const char *name;
  std::string (*of_profile)(const model::Profile &);
  void (*of_timeline)(timeline::Reader &, const render::Sink &);
  void (*of_both)(const model::Profile &, timeline::Reader &, const render::Sink &) = nullptr;  ///< where of_profile would do
};

const Format formats[] = {
    {"chrome-trace", nullptr, render::timeline_chrome_trace},
    {"csv", nullptr, render::timeline_csv},
    {"gha-benchmark", [](const model::Profile &profile) { return render::gha_benchmark_json(compare::measurements_of(profile)); },
     nullptr},
    {"profile-json", render::python_profile_json, nullptr, render::timeline_python_profile},
    {"speedscope", nullptr, render::timeline_speedscope},
};

const Format &format_named(const std::string &name) {
  for (const Format &format : formats)
    if (name == format.name) return format;
  throw Error("--to " + name + " is no format that can be written.");
}

/// Nobody reads on: no reason to complain, and none to go on.
struct ReaderLeft {};

void require_printed(bool printed) {
  if (printed) return;
  if (errno == EPIPE) throw ReaderLeft{};
  throw Error("cannot write to standard output: " + support::errno_text(errno) + ".");
}

void refuse_input_as_output(const std::string &output, const fs::path &input, const char *what) {
  std::error_code ignored;
  if (output != "-" && fs::equivalent(output, input, ignored))
    throw Error("-o '" + output + "' is the " + what + " itself. Choose another name.");
}

/// "" where the profile will do without its timeline: with a warning, if it has one.
fs::path timeline_for(const Format &format, const model::Profile &profile, const fs::path &profile_file) {
  if (format.of_profile && !(format.of_both && profile.timeline_results)) return {};
  try {
    return side_file_of(profile, profile_file, std::string("--to ") + format.name);
  } catch (const Error &error) {
    if (!format.of_profile) throw;
    warn(std::string(error.what()) + ". What is written is without the timeline.");
    return {};
  }
}

void write(const Format &format, const cli::ExportCommand &command, const render::Sink &sink) {
  const auto profile = model::read_profile(command.file);
  const fs::path file = timeline_for(format, profile, command.file);
  if (file.empty()) return sink(format.of_profile(profile));
  refuse_input_as_output(command.output, file, "timeline");
  timeline::Reader reader(file);
  if (format.of_timeline) format.of_timeline(reader, sink);
  else format.of_both(profile, reader, sink);
  for (const std::string &text : reader.warnings()) warn(text);
}

}  // namespace

int export_command(const cli::CommandLine &line) {
  const auto &command = line.export_;
  refuse_input_as_output(command.output, command.file, "profile");
  const Format &format = format_named(command.to);
  if (command.output != "-") {
    std::optional<support::NewFile> file;  // not before there is something to write
    write(format, command, [&](std::string_view text) {
      if (!file) file.emplace(command.output);
      file->write(text);
    });
    if (file) file->commit(false);
    return 0;
  }
  try {
    write(format, command,
          [](std::string_view text) { require_printed(std::fwrite(text.data(), 1, text.size(), stdout) == text.size()); });
    require_printed(std::fflush(stdout) == 0);
  } catch (const ReaderLeft &) {
  }
  return 0;
}

}  // namespace scope::app

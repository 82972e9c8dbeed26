// `report`: one profile, or several beside each other, as text, Markdown, CSV, JSON or HTML.

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>

#include "commands.hpp"
#include "compare/side_by_side.hpp"
#include "messages.hpp"
#include "render/comparison.hpp"
#include "render/report.hpp"
#include "side_file.hpp"
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
  throw Error("-o '" + output + "': the ending says no format. It can be .txt, .md, .csv, .json or .html; or give --format.");
}

void refuse_input_as_output(const cli::ReportCommand &command) {
  std::error_code ignored;
  for (const auto &output : command.outputs) {
    for (const auto &file : command.files) {
      if (output != "-" && fs::equivalent(output, file, ignored)) throw Error("-o '" + output + "' is the profile itself. Choose another name for the report.");
    }
  }
}

/// A page has the timeline; its data lie beside the profile.
class PageTimelines {
 public:
  PageTimelines(const std::string &profile_file, const model::Profile &profile) : file_(profile_file), profile_(profile) {}
  void add_to(render::ReportOptions &options) {
    if (options.format != "html" || !options.by.empty()) return;
    if (!looked_) {
      reader_ = open_side_file(profile_, file_, reason_);
      if (!reason_.empty()) warn(reason_ + ". The page is made without it.");
      if (reader_)
        for (const auto &text : reader_->warnings()) warn(text);
    }
    looked_ = true;
    options.timeline = reader_.get();
    options.no_timeline = reason_;
  }

 private:
  const std::string file_;
  const model::Profile &profile_;
  std::unique_ptr<timeline::Reader> reader_;
  std::string reason_;
  bool looked_ = false;
};

/// A text in the format of the options.
using Make = std::function<std::string(render::ReportOptions)>;

Make one_profile(const std::string &file) {
  auto profile = std::make_shared<const model::Profile>(model::read_profile(file));
  auto timelines = std::make_shared<PageTimelines>(file, *profile);
  return [profile, timelines](render::ReportOptions options) {
    timelines->add_to(options);
    return render::report(*profile, options);
  };
}

Make several_profiles(const cli::ReportCommand &command) {
  std::vector<compare::Measurements> profiles;
  for (const auto &file : command.files) profiles.push_back(compare::measurements_of(model::read_profile(file)));
  return [sides = compare::side_by_side(profiles, command.files), scaling = command.scaling](const render::ReportOptions &options) {
    render::ComparisonOptions of_several{options.format, std::nullopt, options.top, options.style};
    if (!scaling.empty()) of_several.scaling = scaling == "weak" ? compare::Scaling::weak : compare::Scaling::strong;
    return render::comparison(sides, of_several);
  };
}

}  // namespace

int report_command(const cli::CommandLine &line) {
  const auto &command = line.report;
  refuse_input_as_output(command);
  const Make make = command.files.size() > 1 ? several_profiles(command) : one_profile(command.files.front());
  auto outputs = command.outputs.empty() ? std::vector<std::string>{"-"} : command.outputs;
  for (const auto &output : outputs) {
    auto options = command.options;
    if (output == "-") {
      options.style = style_for_descriptor(1, line.common.color);
      print(make(options));
    } else {
      options.format = format_for(output, command);
      options.style = style_for_file(line.common.color);
      support::write_file_atomically(output, make(options), false, false);
    }
  }
  return 0;
}

}  // namespace scope::app

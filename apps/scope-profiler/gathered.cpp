#include "gathered.hpp"

#include <algorithm>

#include "model/node_file.hpp"
#include "render/escape.hpp"
#include "support/error.hpp"

namespace scope::app {

namespace fs = std::filesystem;

namespace {

void add(std::vector<fs::path> &all, std::vector<fs::path> more) { all.insert(all.end(), more.begin(), more.end()); }

/// Named in full; there can be thousands.
constexpr std::size_t most_named = 4;

}  // namespace

void unpack_node_files(std::vector<fs::path> &files, std::vector<fs::path> &traces, const fs::path &target) {
  for (std::size_t i = 0, count = files.size(); i < count; ++i) {
    if (!model::is_node_file(files[i])) continue;
    try {
      auto node = model::read_node_file(files[i]);
      for (auto &block : model::unpack_blocks(node, target)) (launch::is_trace_file(block) ? traces : files).push_back(block);
    } catch (const support::Error &) {
    }
  }
}

Gathered gather(const fs::path &run_directory) {
  Gathered gathered{launch::rank_files(run_directory), launch::trace_files(run_directory), {}, {}};
  const auto run_id = launch::read_run_info(run_directory).run_id;
  for (auto &host : launch::away_hosts(run_directory)) {
    std::error_code error;
    // Its name holds the run's id: where it exists, it is this run's.
    const bool here = host.directory.filename() == launch::local_directory_name(run_id) && fs::is_directory(host.directory, error);
    if (!here) {
      gathered.away.push_back(std::move(host));
      continue;
    }
    add(gathered.files, launch::rank_files(host.directory));
    add(gathered.traces, launch::trace_files(host.directory));
    gathered.local.push_back(std::move(host.directory));
  }
  unpack_node_files(gathered.files, gathered.traces, run_directory);
  return gathered;
}

std::optional<Elsewhere> data_elsewhere(const Gathered &gathered, const fs::path &run_directory, const std::string &output) {
  if (gathered.away.empty()) return std::nullopt;
  std::string where;
  std::vector<std::string> lines, merge{"scope-profiler", "merge", run_directory.string()};
  const std::size_t count = gathered.away.size(), named = std::min(count, most_named);
  for (std::size_t i = 0; i < named; ++i) {
    const auto &host = gathered.away[i];
    const auto source = host.host + ":" + host.directory.string(), target = "from-" + host.host;
    where += (i > 0 ? ", " : "") + source;
    lines.push_back(render::shell_line({"scp", "-pr", source, target}));
    merge.push_back(target);
  }
  if (count > named) where += " and " + std::to_string(count - named) + " more; files of the names " + launch::away_file_names(run_directory) + " have all of them";
  merge.insert(merge.end(), {"-o", output});
  lines.push_back(render::shell_line(merge));
  std::string text = "Data of ranks are still on " + std::string(count == 1 ? "a host that does" : std::to_string(count) + " hosts that do") + " not see the run directory: " + where + ". Next: ";
  for (const auto &line : lines) text += line + (&line == &lines.back() ? "" : "; ");
  return Elsewhere{{"data-elsewhere", text}, lines};
}

}  // namespace scope::app

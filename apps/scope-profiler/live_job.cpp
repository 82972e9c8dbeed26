#include "live_job.hpp"

#include "finish.hpp"
#include "launch/process.hpp"
#include "launch/rank_watch.hpp"
#include "launch/run_directory.hpp"
#include "model/live_progress.hpp"
#include "model/merge.hpp"
#include "rank_ends.hpp"

namespace scope::app {

namespace fs = std::filesystem;

bool is_live(const fs::path &file, const std::string &host) {
  auto name = launch::parse_block_name(file.filename().string());
  return name && (name->host != host || launch::is_alive(*name));
}

std::vector<analyze::Look> looks_at(const fs::path &directory) {
  std::vector<analyze::Look> result;
  const std::string host = launch::host_name();
  for (const fs::path &file : launch::rank_files(directory)) {
    if (!is_live(file, host)) continue;
    auto progress = model::read_live_progress(file);
    if (progress) result.push_back({file.string(), *progress, [file] { return model::read_live_work(file); }});
  }
  return result;
}

std::vector<model::LiveWorld> live_worlds(const fs::path &directory, const std::string &run_id, const analyze::StallClock &clock) {
  auto collected = model::collect(directory, run_id, {}, model::Hold::all);
  const std::string boot = boot_id(), host = launch::host_name();
  std::erase_if(collected.records, [](const model::RankRecord &record) { return record.regions_only; });
  cli::refine_recovered(collected.records, boot);
  std::map<fs::path, model::LiveFact> facts;
  for (const auto &record : collected.records) {
    if (!record.from_live_block) continue;
    const std::string process = record.source.string();
    facts[record.source] = {is_live(record.source, host), clock.asking(process),
                            static_cast<std::int64_t>(clock.still_ns(process))};
  }
  return model::live_state(collected.records, facts, boot, launch::monotonic_ns());
}

}  // namespace scope::app

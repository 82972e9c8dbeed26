// Regions of all ranks and threads by path.

#include <algorithm>
#include <map>

#include "model/limits.hpp"
#include "model/merge_parts.hpp"
#include "wire/region_block.hpp"

namespace scope::model {
namespace {

/// A path of one rank, its threads together.
struct PathTimes {
  int parent = -1;  ///< before this one
  std::string path;
  const Region *first = nullptr;
  std::uint64_t calls = 0, total = 0, min = ~std::uint64_t{0}, max = 0, mpi_ticks = 0, mpi_calls = 0;
  std::int64_t total_ns = 0, mpi_ns = 0, mpi_calls_inside = 0;
  std::int64_t children_ns = 0, children_mpi_ns = 0, children_mpi_calls = 0;
};

std::string escaped(const std::string &name) {
  std::string text;
  for (char c : name) {
    if (c == '/' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

/// Latest instant at which an open region was still open. A process that was killed may have been seen longer than it recorded.
std::uint64_t end_of(const RankRecord &record) {
  return record.regions.exited ? record.regions.last_seen : std::max(record.regions.last_seen, record.last_seen);
}

void add_region(const Region &region, std::uint64_t end, PathTimes &times) {
  auto add_call = [&times](std::uint64_t min, std::uint64_t max) {
    times.min = std::min(times.min, min);
    times.max = std::max(times.max, max);
  };
  if (region.calls > 0) add_call(region.min, region.max);
  add_to(times.calls, region.calls);
  add_to(times.total, region.total);
  add_to(times.mpi_ticks, region.mpi_ticks);
  add_to(times.mpi_calls, region.mpi_calls);
  if (region.begin == 0) return;
  const std::uint64_t open = end > region.begin ? end - region.begin : 0;
  add_call(open, open);
  add_to(times.calls, std::uint64_t{1});
  add_to(times.total, open);
}

/// Parents stand before their children in both.
/// `place`: of each region in the result.
std::vector<PathTimes> paths_of(const RankRecord &record, std::vector<int> &place) {
  std::vector<PathTimes> paths;
  std::map<std::pair<int, std::string>, int> known;
  for (const Region &region : record.regions.regions) {
    const int parent = region.parent < 0 ? -1 : place[static_cast<std::size_t>(region.parent)];
    auto [at, is_new] = known.try_emplace({parent, region.name}, static_cast<int>(paths.size()));
    if (is_new) {
      PathTimes times;
      times.parent = parent;
      times.first = &region;
      times.path = (parent < 0 ? "" : paths[static_cast<std::size_t>(parent)].path + "/") + escaped(region.name);
      paths.push_back(std::move(times));
    }
    place.push_back(at->second);
    add_region(region, end_of(record), paths[static_cast<std::size_t>(at->second)]);
  }
  return paths;
}

/// From ticks to nanoseconds, from the leaves on: what is rounded must not make the children longer than their parent, nor MPI
/// longer than the region. A region that a killed process had not left knows its children's MPI calls only.
void convert(const TickScale &scale, std::vector<PathTimes> &paths) {
  for (auto times = paths.rbegin(); times != paths.rend(); ++times) {
    times->mpi_ns = std::max(scale.duration_ns(static_cast<double>(times->mpi_ticks)), times->children_mpi_ns);
    times->total_ns = std::max({scale.duration_ns(static_cast<double>(times->total)), times->children_ns, times->mpi_ns});
    std::int64_t calls = 0;
    add_to(calls, times->mpi_calls);
    times->mpi_calls_inside = std::max(calls, times->children_mpi_calls);
    if (times->parent < 0) continue;
    PathTimes &parent = paths[static_cast<std::size_t>(times->parent)];
    add_to(parent.children_ns, times->total_ns);
    add_to(parent.children_mpi_ns, times->mpi_ns);
    add_to(parent.children_mpi_calls, times->mpi_calls_inside);
  }
}

RegionRow new_row(const PathTimes &times, std::size_t ranks) {
  RegionRow row;
  row.name = times.first->name;
  row.path = times.path;
  row.source_file = times.first->file;
  row.source_line = times.first->line;
  for (auto *column : {&row.per_rank.calls, &row.per_rank.total_ns, &row.per_rank.bytes_sent, &row.per_rank.bytes_received,
                       &row.rank_self_ns, &row.rank_mpi_ns, &row.rank_mpi_calls})
    column->resize(ranks);
  return row;
}

void add_times(const PathTimes &times, const TickScale &scale, std::size_t rank, RegionRow &row) {
  const std::int64_t self_ns = times.total_ns - times.children_ns;
  const std::int64_t longest = std::min(scale.duration_ns(static_cast<double>(times.max)), times.total_ns);
  const std::int64_t shortest = std::min(scale.duration_ns(static_cast<double>(times.min)), longest);
  row.min_ns = row.calls == 0 ? shortest : std::min(row.min_ns, shortest);
  row.max_ns = std::max(row.max_ns, longest);
  add_to(row.calls, times.calls);
  add_to(row.total_ns, times.total_ns);
  add_to(row.self_ns, self_ns);
  add_to(row.mpi_ns, times.mpi_ns);
  add_to(row.mpi_calls, times.mpi_calls_inside);
  add_to(row.mpi_self_ns, times.mpi_ns - times.children_mpi_ns);
  add_to(row.mpi_self_calls, times.mpi_calls_inside - times.children_mpi_calls);
  add_to(row.per_rank.calls[rank], times.calls);
  add_to(row.per_rank.total_ns[rank], times.total_ns);
  add_to(row.rank_self_ns[rank], self_ns);
  add_to(row.rank_mpi_ns[rank], times.mpi_ns);
  add_to(row.rank_mpi_calls[rank], times.mpi_calls_inside);
}

/// "solve (3), main (1)", the most frequent first; at most five of them.
std::string frequent(const std::map<std::string, std::uint64_t> &counts) {
  constexpr std::size_t most = 5;
  std::vector<std::pair<std::string, std::uint64_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i)
    text += (i ? ", " : "") + rows[i].first + " (" + std::to_string(rows[i].second) + ")";
  if (rows.size() > most) text += " and " + std::to_string(rows.size() - most) + " more names";
  return text;
}

}  // namespace

std::vector<std::string> region_paths(const RankRecord &record) {
  std::vector<int> place;
  const RankRecord whole = record.detached ? whole_record(record) : RankRecord();
  const std::vector<PathTimes> paths = paths_of(record.detached ? whole : record, place);
  std::vector<std::string> texts;
  for (int path : place) texts.push_back(paths[static_cast<std::size_t>(path)].path);
  return texts;
}

double regions_cost_ticks(const RankRecord &record) {
  double calls = 0;
  for (const Region &region : record.regions.regions) calls += static_cast<double>(region.calls);
  return calls * record.regions.cost_ticks;
}

struct RegionSums::Sums {
  std::map<std::string, RegionRow> rows;
  std::map<std::string, std::uint64_t> unmatched, unclosed;
  std::uint64_t ends = 0, begins = 0;
};

RegionSums::RegionSums(std::size_t ranks) : ranks_(ranks), sums_(std::make_unique<Sums>()) {}
RegionSums::~RegionSums() = default;

void RegionSums::add(std::size_t index, const RankRecord &record) {
  std::vector<int> place;
  std::vector<PathTimes> paths = paths_of(record, place);
  convert(record.scale, paths);
  for (const PathTimes &times : paths) {
    if (times.calls == 0) continue;
    auto [at, is_new] = sums_->rows.try_emplace(times.path);
    if (is_new) at->second = new_row(times, ranks_);
    add_times(times, record.scale, index, at->second);
  }
  auto note = [](std::map<std::string, std::uint64_t> &counts, std::uint64_t &sum, const std::string &name, std::uint64_t count) {
    if (count == 0) return;
    add_to(counts[name], count);
    add_to(sum, count);
  };
  for (const Unpaired &unpaired : record.regions.unpaired) {
    note(sums_->unmatched, sums_->ends, unpaired.name, unpaired.unmatched);
    note(sums_->unclosed, sums_->begins, unpaired.name, unpaired.unclosed);
  }
  for (const Region &region : record.regions.regions)
    if (record.regions.exited) note(sums_->unclosed, sums_->begins, region.name, region.begin != 0 ? 1 : 0);
}

void RegionSums::finish(Profile &profile) {
  for (auto &[path, row] : sums_->rows) profile.regions.push_back(std::move(row));
  std::stable_sort(profile.regions.begin(), profile.regions.end(),
                   [](const RegionRow &a, const RegionRow &b) { return a.total_ns > b.total_ns; });
}

void RegionSums::add_warnings(Profile &profile) const {
  if (sums_->ends > 0)
    profile.warnings.push_back({"regions-unmatched", counted(sums_->ends, "end", "ends") + " of regions without a begin in the same thread: " +
                                                         frequent(sums_->unmatched) + ". They were ignored."});
  if (sums_->begins > 0)
    profile.warnings.push_back({"regions-unclosed", counted(sums_->begins, "region was", "regions were") + " begun and not ended: " + frequent(sums_->unclosed) +
                                                        ". Each counts until the region around it, its thread or its process ended."});
}

}  // namespace scope::model

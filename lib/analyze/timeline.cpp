#include "analyze/timeline.hpp"

#include <algorithm>

#include "analyze/timeline_ideal.hpp"
#include "analyze/timeline_rows.hpp"

namespace scope::analyze {
namespace {

void note_ranks(const timeline::Header &header, model::TimelineNotes &notes) {
  for (const timeline::RankInfo &rank : header.ranks) {
    if (!rank.recorded) notes.without.push_back({rank.world, rank.rank});
    else if (rank.from > rank.begin || rank.to < rank.end || rank.dropped > 0) notes.cut.push_back({rank.world, rank.rank});
  }
}

}  // namespace

model::TimelineResults analyze_timeline(const timeline::Timeline &timeline) {
  const Recording recording(timeline);
  model::TimelineResults results;
  results.info = {"", recording.size(), recording.window.from, recording.window.to, recording.window.complete};
  Matches matches = match(recording);
  results.notes = matches.notes;
  note_ranks(timeline.header, results.notes);
  results.unmatched = std::move(matches.unmatched);
  results.efficiency = split_efficiency(recording, matches);
  const WaitStates waits = find_waits(recording, matches);
  matches = {};  // memory: of a large timeline as much as the events have
  results.notes.clock_violations = waits.clock_violations;
  results.notes.clock_worst_ns = waits.clock_worst_ns;
  for (std::int64_t ns : waits.waiting_ns) results.waiting_ns += ns;
  results.wait_states = wait_state_rows(recording, waits, most_wait_states, results.notes.folded);
  results.calls = call_waiting(waits);
  const std::vector<Track> tracks = tracks_of(recording);
  const Delays delays = find_delays(recording, tracks, waits.by_rank);
  results.notes.unattributed_ns = delays.unattributed_ns;
  results.delays = delay_rows(recording, delays.charges, most_delays, results.notes.folded);
  const CriticalPath path = find_critical_path(recording, tracks, waits.by_rank);
  results.path_ns = path.length_ns;
  results.critical_path = path_rows(recording, path.charges, most_path_rows, results.notes.folded);
  results.ranks = rank_waiting(recording, waits, delays.charges, path.charges);
  return results;
}

}  // namespace scope::analyze

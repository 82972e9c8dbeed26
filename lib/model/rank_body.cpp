// The part of a rank's record that grows with the number of its different calls, dropped and read again.

#include <utility>

#include "model/limits.hpp"
#include "model/node_file.hpp"
#include "model/rank_record.hpp"
#include "support/error.hpp"

namespace scope::model {
namespace {

RankRecord read_again(const RankRecord &record) {
  RankRecord whole = record.from_live_block ? read_live_block(record.source) : read_dump(record.source);
  if (whole.run_id != record.run_id || whole.pid != record.pid || whole.start_time != record.start_time || whole.rank != record.rank ||
      whole.comms.size() != record.comms.size() || calls_of(whole) != record.call_count)
    throw support::Error(record.source.string() + ": was changed while it was merged. Merge again when nothing writes to it.");
  return whole;
}

/// Assigning an empty vector would keep the memory.
template <class Row>
void give_back(std::vector<Row> &rows) {
  std::vector<Row>().swap(rows);
}

}  // namespace

std::uint64_t calls_of(const RankRecord &record) {
  if (record.detached) return record.call_count;
  std::uint64_t calls = 0;
  for (const CallStats &call : record.calls) add_to(calls, call.calls);
  return calls;
}

void detach(RankRecord &record) {
  if (record.detached) return;
  record.call_count = calls_of(record);
  record.detached = true;
  give_back(record.calls);
  give_back(record.signatures);
  give_back(record.callsites.frames);
  give_back(record.callsites.sites);
  give_back(record.regions.regions);
  give_back(record.regions.unpaired);
}

RankRecord whole_record(const RankRecord &record) {
  RankRecord result = record;
  if (!record.detached) return result;
  RankRecord whole = read_again(record);
  result.calls = std::move(whole.calls);
  result.signatures = std::move(whole.signatures);
  result.callsites = std::move(whole.callsites);
  result.regions = record.regions_source.empty() ? std::move(whole.regions) : read_live_block(record.regions_source).regions;
  result.detached = false;
  return result;
}

}  // namespace scope::model

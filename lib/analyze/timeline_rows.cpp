#include "analyze/timeline_rows.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace scope::analyze {
namespace {

using model::WaitStateRow;

/// A rank has so many rows of its own at most: where every message has another size or tag, the rest is folded at once.
constexpr std::size_t most_of_a_rank = 512;

auto what(const WaitStateRow &row) {
  return std::tie(row.pattern, row.world, row.rank, row.call, row.request, row.comm, row.peer, row.root, row.tag, row.bytes);
}

void put_together(WaitStateRow &row, const WaitStateRow &other) {
  row.waits += other.waits;
  row.total_ns += other.total_ns;
  row.max_ns = std::max(row.max_ns, other.max_ns);
}

void longest_first(std::vector<WaitStateRow> &rows) {
  std::sort(rows.begin(), rows.end(), [](const WaitStateRow &a, const WaitStateRow &b) {
    return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : what(a) < what(b);
  });
}

/// Keeps the longest, and makes one row a pattern, rank (if it is kept) and call of the others.
void fold(std::vector<WaitStateRow> &rows, std::size_t most, bool keep_rank, std::int64_t &folded) {
  longest_first(rows);
  if (rows.size() <= most) return;
  std::map<std::tuple<std::string, int, int, std::string>, WaitStateRow> rest;
  for (std::size_t i = most; i < rows.size(); ++i) {
    const int rank = keep_rank ? rows[i].rank : -1;
    auto [at, is_new] =
        rest.try_emplace({rows[i].pattern, rows[i].world, rank, rows[i].call},
                         WaitStateRow{rows[i].pattern, rows[i].world, rank, rows[i].call, "", -1, -1, -1, -1, -1, 0, 0, 0});
    put_together(at->second, rows[i]);
    ++folded;
  }
  rows.resize(most);
  for (auto &[key, row] : rest) rows.push_back(std::move(row));
  longest_first(rows);
}

bool is_of_message(Pattern pattern) { return pattern == Pattern::late_sender || pattern == Pattern::late_receiver; }

WaitStateRow row_of(const Recording &recording, std::uint32_t rank, const Wait &wait) {
  const timeline::Event &part = recording.timeline.events[rank][wait.part];
  const timeline::Signature &signature = recording.signature(part);
  const wire::CallInfo *call = recording.call(part);
  WaitStateRow row;
  row.pattern = pattern_name(wait.pattern);
  row.world = recording.rank(rank).world;
  row.rank = recording.rank(rank).rank;
  if (call) row.call = call->name;
  if (call && call->kind == wire::Kind::WAIT && signature.request_call != wire::Call::none)
    row.request = wire::info(signature.request_call).name;
  row.comm = signature.comm;
  row.peer = signature.peer;
  row.root = signature.root;
  row.tag = signature.tag;
  row.bytes = signature.bytes;
  if (is_of_message(wait.pattern) && row.peer < 0) {  // MPI_Mprobe of any source: what it found is known from the message
    const timeline::Signature &other = recording.signature(recording.event(wait.late_rank, wait.late));
    row.peer = recording.rank(wait.late_rank).rank;
    if (wait.pattern == Pattern::late_sender) row.tag = other.tag, row.bytes = other.bytes;
  }
  return row;
}

void add_rows_of(const Recording &recording, std::uint32_t rank, const std::vector<Wait> &waits, std::vector<WaitStateRow> &rows,
                 std::int64_t &folded) {
  // Where the signature does not name the partner, the message's other end does.
  std::map<std::tuple<Pattern, std::uint32_t, std::uint32_t, std::uint32_t>, WaitStateRow> by_signature;
  for (const Wait &wait : waits) {
    const timeline::Event &part = recording.timeline.events[rank][wait.part];
    const bool other_end = is_of_message(wait.pattern) && recording.signature(part).peer < 0;
    const std::uint32_t message = other_end ? recording.event(wait.late_rank, wait.late).what : none;
    const auto key = std::tuple(wait.pattern, part.what, other_end ? wait.late_rank : none, message);
    auto found = by_signature.find(key);
    if (found == by_signature.end()) found = by_signature.emplace(key, row_of(recording, rank, wait)).first;
    ++found->second.waits;
    found->second.total_ns += wait.ns;
    found->second.max_ns = std::max(found->second.max_ns, wait.ns);
  }
  std::vector<WaitStateRow> own;
  for (auto &[key, row] : by_signature) own.push_back(std::move(row));
  // Signatures that differ in their call site only are the same here.
  std::sort(own.begin(), own.end(), [](const WaitStateRow &a, const WaitStateRow &b) { return what(a) < what(b); });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < own.size(); ++i) {
    if (what(own[kept]) == what(own[i])) put_together(own[kept], own[i]);
    else if (++kept != i) own[kept] = std::move(own[i]);
  }
  if (!own.empty()) own.resize(kept + 1);
  fold(own, most_of_a_rank, true, folded);
  std::move(own.begin(), own.end(), std::back_inserter(rows));
}

/// Row is a DelayRow or a CriticalPathRow: world, rank, region, call, time.
template <class Row>
std::vector<Row> charge_rows(const Recording &recording, const Charges &charges, std::size_t most, std::int64_t &folded) {
  struct Charge {
    std::uint32_t rank;
    Activity activity;
    std::int64_t ns;
  };
  std::vector<Charge> all;
  charges.visit([&all](std::uint32_t rank, Activity activity, std::int64_t ns) { all.push_back({rank, activity, ns}); });
  std::sort(all.begin(), all.end(), [](const Charge &a, const Charge &b) {
    return std::tuple(-a.ns, a.rank, a.activity.number()) < std::tuple(-b.ns, b.rank, b.activity.number());
  });
  std::vector<Row> rows;
  std::map<std::tuple<int, std::string, std::string>, std::int64_t> rest;
  for (const Charge &charge : all) {
    const timeline::RankInfo &rank = recording.rank(charge.rank);
    if (rows.size() < most) {
      rows.push_back({rank.world, rank.rank, region_name(recording, charge.activity), call_name(charge.activity), charge.ns});
      continue;
    }
    rest[{rank.world, region_name(recording, charge.activity), call_name(charge.activity)}] += charge.ns;
    ++folded;
  }
  for (const auto &[key, ns] : rest) rows.push_back({std::get<0>(key), -1, std::get<1>(key), std::get<2>(key), ns});
  return rows;
}

}  // namespace

std::vector<WaitStateRow> wait_state_rows(const Recording &recording, const WaitStates &waits, std::size_t most,
                                          std::int64_t &folded) {
  std::vector<WaitStateRow> rows;
  for (std::uint32_t rank = 0; rank < waits.by_rank.size(); ++rank) add_rows_of(recording, rank, waits.by_rank[rank], rows, folded);
  fold(rows, most, false, folded);
  return rows;
}

std::vector<model::CallWaiting> call_waiting(const WaitStates &waits) {
  std::vector<model::CallWaiting> rows;
  for (std::size_t call = 0; call < waits.calls.size(); ++call) {
    const CallSum &sum = waits.calls[call];
    if (sum.calls == 0) continue;
    rows.push_back(
        {wire::info(static_cast<wire::Call>(call)).name, sum.calls, sum.total_ns, sum.waiting_ns, sum.total_ns - sum.waiting_ns});
  }
  std::sort(rows.begin(), rows.end(), [](const model::CallWaiting &a, const model::CallWaiting &b) {
    return std::tie(b.waiting_ns, a.call) < std::tie(a.waiting_ns, b.call);
  });
  return rows;
}

std::vector<model::DelayRow> delay_rows(const Recording &recording, const Charges &charges, std::size_t most,
                                        std::int64_t &folded) {
  return charge_rows<model::DelayRow>(recording, charges, most, folded);
}

std::vector<model::CriticalPathRow> path_rows(const Recording &recording, const Charges &charges, std::size_t most,
                                              std::int64_t &folded) {
  return charge_rows<model::CriticalPathRow>(recording, charges, most, folded);
}

model::RankWaiting rank_waiting(const Recording &recording, const WaitStates &waits, const Charges &delays, const Charges &path) {
  std::vector<std::int64_t> caused(recording.ranks()), on_path(recording.ranks());
  delays.visit([&](std::uint32_t rank, Activity, std::int64_t ns) { caused[rank] += ns; });
  path.visit([&](std::uint32_t rank, Activity, std::int64_t ns) { on_path[rank] += ns; });
  model::RankWaiting result;
  for (std::uint32_t rank = 0; rank < recording.ranks(); ++rank) {
    if (!recording.rank(rank).recorded) continue;
    result.world.push_back(recording.rank(rank).world);
    result.rank.push_back(recording.rank(rank).rank);
    result.mpi_ns.push_back(waits.mpi_ns[rank]);
    result.waiting_ns.push_back(waits.waiting_ns[rank]);
    result.caused_ns.push_back(caused[rank]);
    result.path_ns.push_back(on_path[rank]);
  }
  return result;
}

}  // namespace scope::analyze

#include "analyze/timeline_estimate.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "analyze/findings.hpp"
#include "analyze/sums.hpp"
#include "analyze/timeline_roles.hpp"
#include "model/call_table.hpp"

namespace scope::analyze {
namespace {

/// No rank leaves before all have come, and the call itself is where they wait.
bool synchronises(const std::string &name) {
  const wire::CallInfo *call = model::find_call(name);
  if (!call || call->kind != wire::Kind::COLLECTIVE || call->mode != wire::Mode::BLOCKING) return false;
  const Shape shape = shape_of(*call);
  return shape == Shape::barrier || shape == Shape::all_to_all;
}

/// The communicator on which a procedure spends nine tenths of its time in this world.
std::optional<int> main_communicator(const model::Profile &profile, int world, const std::string &call) {
  std::map<int, std::int64_t> times;
  std::int64_t all = 0;
  for (const model::SignatureRow &row : profile.signatures) {
    if (row.world != world || row.call != call) continue;
    times[row.comm] = add(times[row.comm], row.total_ns);
    all = add(all, row.total_ns);
  }
  for (auto [comm, time] : times)
    if (comm >= 0 && time > all - all / 10) return comm;
  return std::nullopt;
}

/// Whether the communicator is one, and has as many ranks as called.
bool has_size(const model::Profile &profile, int comm, std::size_t size) {
  for (const model::CommunicatorRow &row : profile.communicators)
    if (row.id == comm) return !row.merged && row.remote_size == 0 && row.size >= 2 && static_cast<std::size_t>(row.size) == size;
  return false;
}

std::optional<EstimatedWaits> estimate(const model::Profile &profile, const model::CallRow &call, int world) {
  EstimatedWaits result{world, call.name, -1, {}, {}, 0};
  std::vector<std::int64_t> calls, times;
  for (std::size_t i = 0; i < profile.ranks.size(); ++i) {
    if (profile.ranks[i].world != world || at(call.per_rank.calls, i) <= 0) continue;
    result.ranks.push_back(profile.ranks[i].rank);
    calls.push_back(at(call.per_rank.calls, i));
    times.push_back(at(call.per_rank.total_ns, i));
  }
  const std::optional<int> comm = main_communicator(profile, world, call.name);
  if (!comm || !has_size(profile, *comm, calls.size())) return std::nullopt;
  const auto [fewest, most] = std::minmax_element(calls.begin(), calls.end());
  if (*fewest != *most) return std::nullopt;
  const std::int64_t least = *std::min_element(times.begin(), times.end());  // of means: all have as many calls
  for (std::int64_t time : times) {
    result.waiting_ns.push_back(time - least);
    result.total_ns = add(result.total_ns, time - least);
  }
  result.comm = *comm;
  return result;
}

}  // namespace

std::vector<EstimatedWaits> estimate_waits(const model::Profile &profile) {
  std::vector<EstimatedWaits> estimates;
  for (const model::World &world : profile.worlds)
    for (const model::CallRow &call : profile.calls) {
      if (!synchronises(call.name)) continue;
      if (auto found = estimate(profile, call, world.id)) estimates.push_back(std::move(*found));
    }
  std::sort(estimates.begin(), estimates.end(), [](const EstimatedWaits &a, const EstimatedWaits &b) {
    return std::tie(b.total_ns, a.world, a.call) < std::tie(a.total_ns, b.world, b.call);
  });
  return estimates;
}

std::optional<EstimatedTotal> estimated_total(const model::Profile &profile) {
  const std::vector<EstimatedWaits> estimates = estimate_waits(profile);
  if (estimates.empty()) return std::nullopt;
  EstimatedTotal total{0, estimates.front(), 0};
  for (const EstimatedWaits &one : estimates) total.total_ns = add(total.total_ns, one.total_ns);
  if (total.total_ns < worth_telling_ns) return std::nullopt;
  const auto least = std::min_element(total.largest.waiting_ns.begin(), total.largest.waiting_ns.end());
  total.last_rank = total.largest.ranks[static_cast<std::size_t>(least - total.largest.waiting_ns.begin())];
  return total;
}

}  // namespace scope::analyze

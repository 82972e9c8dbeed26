#include "timeline/clocks.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>

namespace scope::timeline {

namespace {

__extension__ using Wide = __int128;

/// What is further away than 36 years is damage. Below, sums of a few don't overflow.
constexpr std::int64_t plausible_ns = std::int64_t{1} << 60;
bool is_plausible(std::int64_t ns) { return ns > -plausible_ns && ns < plausible_ns; }
bool is_plausible(const OffsetMeasurement &one) {
  return is_plausible(one.at_ns) && is_plausible(one.offset_ns) && is_plausible(one.error_ns) && one.error_ns >= 0;
}

std::int64_t drifted(std::int64_t span_ns, std::int64_t ppm) {
  return static_cast<std::int64_t>((static_cast<Wide>(span_ns) * ppm + 999'999) / 1'000'000);
}

/// When a node's clock is of interest.
struct Span {
  std::int64_t begin_ns = 0, end_ns = 0;
};

struct Fit {
  ClockMap map;
  std::int64_t error_ns = 0;
  bool jumped = false;
};

/// What two measurements say of the drift between them.
struct Drift {
  std::int64_t span_ns, change_ns, error_ns;
  Drift(const OffsetMeasurement &first, const OffsetMeasurement &last)
      : span_ns(last.at_ns - first.at_ns), change_ns(last.offset_ns - first.offset_ns), error_ns(first.error_ns + last.error_ns) {}
  bool exceeds(std::int64_t ppm) const { return std::abs(change_ns) - error_ns > drifted(span_ns, ppm); }
  bool jumped() const { return exceeds(jump_drift_ppm); }
  /// It is no jump, and known better than what is assumed without it.
  bool usable() const {
    const auto most = drifted(span_ns, exceeds(assumed_drift_ppm) ? jump_drift_ppm : assumed_drift_ppm);
    return span_ns > 0 && !jumped() && error_ns <= most;
  }
};

Fit constant(const OffsetMeasurement &best, const Drift &drift, const Span &span) {
  const auto distance = std::max({std::int64_t{0}, best.at_ns - span.begin_ns, span.end_ns - best.at_ns});
  Fit fit{{best.at_ns, best.offset_ns, 0, 1}, best.error_ns + drifted(distance, assumed_drift_ppm), drift.jumped()};
  // When it jumped is not known.
  if (drift.exceeds(assumed_drift_ppm)) fit.error_ns = std::max(fit.error_ns, std::abs(drift.change_ns) + drift.error_ns);
  return fit;
}

/// A line whose ends are off by up to their errors is off by at most the larger one between them; beyond an end, by that end's and
/// by the sum of both for each length of it.
Fit linear(const OffsetMeasurement &first, const OffsetMeasurement &last, const Drift &drift, const Span &span) {
  auto error_beyond = [&](const OffsetMeasurement &end, std::int64_t distance) {
    Wide more = distance > 0 ? (static_cast<Wide>(distance) * drift.error_ns + drift.span_ns - 1) / drift.span_ns : 0;
    return end.error_ns + static_cast<std::int64_t>(std::min<Wide>(more, unknown_error_ns));
  };
  return {{first.at_ns, first.offset_ns, drift.change_ns, drift.span_ns},
          std::max(error_beyond(first, first.at_ns - span.begin_ns), error_beyond(last, span.end_ns - last.at_ns)),
          false};
}

/// `measurements` is not empty.
Fit fit_of(std::vector<OffsetMeasurement> measurements, const Span &span) {
  auto earlier = [](const auto &a, const auto &b) { return a.at_ns < b.at_ns; };
  auto better = [](const auto &a, const auto &b) { return a.error_ns < b.error_ns; };
  std::stable_sort(measurements.begin(), measurements.end(), earlier);
  const auto &first = measurements.front(), &last = measurements.back();
  const Drift drift(first, last);
  auto fit = drift.usable() ? linear(first, last, drift, span)
                            : constant(*std::min_element(measurements.begin(), measurements.end(), better), drift, span);
  fit.error_ns = std::min(fit.error_ns, unknown_error_ns);
  return fit;
}

/// Messages between a node whose clock is known and one whose clock is to be, as bounds of the latter's offset.
struct Bounds {
  std::vector<OffsetBound> lower, upper;

  Span span() const {
    Span span{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    for (const auto *bounds : {&lower, &upper}) {
      for (const auto &bound : *bounds) {
        span.begin_ns = std::min(span.begin_ns, bound.at_ns);
        span.end_ns = std::max(span.end_ns, bound.at_ns);
      }
    }
    return span;
  }

  /// The offset within a part of the time, in which it may drift.
  std::optional<OffsetMeasurement> within(const Span &part) const {
    Bounds inside;
    for (const auto &bound : lower)
      if (bound.at_ns >= part.begin_ns && bound.at_ns <= part.end_ns) inside.lower.push_back(bound);
    for (const auto &bound : upper)
      if (bound.at_ns >= part.begin_ns && bound.at_ns <= part.end_ns) inside.upper.push_back(bound);
    auto found = offset_from_bounds(inside.lower, inside.upper);
    if (found) found->error_ns += drifted(part.end_ns - part.begin_ns, assumed_drift_ppm);
    return found;
  }

  /// The drift shows between the begin and the end of the time. How much of it counts as that: the shorter, the less the clocks
  /// drift meanwhile, the longer, the more messages there are. Where it does not show, all messages together say most.
  std::vector<OffsetMeasurement> measurements() const {
    if (lower.empty() || upper.empty()) return {};
    const auto all = span();
    std::optional<std::pair<OffsetMeasurement, OffsetMeasurement>> best;
    for (std::int64_t parts = 4; parts <= 4096; parts *= 4) {
      const auto part = (all.end_ns - all.begin_ns) / parts;
      auto first = within({all.begin_ns, all.begin_ns + part}), last = within({all.end_ns - part, all.end_ns});
      if (!first || !last) break;
      if (!best || first->error_ns + last->error_ns < best->first.error_ns + best->second.error_ns) best.emplace(*first, *last);
    }
    if (best) {
      const Drift drift(best->first, best->second);
      if (drift.usable() || drift.jumped()) return {best->first, best->second};
    }
    return {*within(all)};
  }
};

struct Edge {
  std::uint32_t from, to;  ///< nodes
  std::vector<const ClockMessage *> messages;  ///< both ways
};

class Relation {
 public:
  Relation(const std::string &launcher_boot_id, const std::vector<RankClock> &ranks) : ranks_(ranks) {
    group();
    for (auto &node : clocks_.nodes) measure(node, launcher_boot_id);
    // Without the launcher's clock any other will do.
    auto known = [](const NodeClock &node) { return node.source != ClockSource::nothing; };
    if (!clocks_.nodes.empty() && std::none_of(clocks_.nodes.begin(), clocks_.nodes.end(), known))
      settle(clocks_.nodes.front(), {}, ClockSource::reference);
  }

  /// From the nodes whose clock is known to those that have messages with them, always by the most exact step that there is.
  void follow(const std::vector<ClockMessage> &messages) {
    collect(messages);
    std::vector<std::uint32_t> known;
    for (std::uint32_t i = 0; i < clocks_.nodes.size(); ++i)
      if (clocks_.nodes[i].source != ClockSource::nothing) known.push_back(i);
    for (auto node : known) look_around(node);
    while (!steps_.empty()) {
      auto step = steps_.top();
      steps_.pop();
      auto &node = clocks_.nodes[step.node];
      if (node.source != ClockSource::nothing) continue;
      settle(node, step.fit, ClockSource::messages);
      look_around(step.node);
    }
  }

  Clocks finish() {
    for (auto &node : clocks_.nodes)
      if (node.source == ClockSource::nothing) guess(node);
    return std::move(clocks_);
  }

 private:
  struct Step {
    std::uint32_t node;
    Fit fit;
    bool operator<(const Step &other) const { return fit.error_ns > other.fit.error_ns; }  // the most exact one on top
  };

  void group() {
    std::map<std::pair<std::string, std::string>, std::uint32_t> found;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      const auto &clock = ranks_[rank];
      const auto key = std::pair(clock.boot_id, clock.boot_id.empty() ? clock.host : "");
      auto [place, added] = found.emplace(key, clocks_.nodes.size());
      if (added) clocks_.nodes.push_back({clock.boot_id, clock.host, {}, {}, ClockSource::nothing, unknown_error_ns, false});
      clocks_.nodes[place->second].ranks.push_back(rank);
      clocks_.node_of.push_back(place->second);
    }
  }

  Span span_of(const NodeClock &node) const {
    Span span{plausible_ns, -plausible_ns};
    for (auto rank : node.ranks) {
      span.begin_ns = std::min(span.begin_ns, std::max(ranks_[rank].begin_ns, -plausible_ns));
      span.end_ns = std::max(span.end_ns, std::min(ranks_[rank].end_ns, plausible_ns));
    }
    return span;
  }

  static void settle(NodeClock &node, const Fit &fit, ClockSource source) {
    node.map = fit.map;
    node.error_ns = fit.error_ns;
    node.jumped = fit.jumped;
    node.source = source;
  }

  void measure(NodeClock &node, const std::string &launcher_boot_id) const {
    if (!node.boot_id.empty() && node.boot_id == launcher_boot_id) return settle(node, {}, ClockSource::reference);
    std::vector<OffsetMeasurement> measurements;
    for (auto rank : node.ranks)
      for (const auto &measurement : ranks_[rank].measurements)
        if (is_plausible(measurement)) measurements.push_back(measurement);
    if (!measurements.empty()) settle(node, fit_of(std::move(measurements), span_of(node)), ClockSource::measured);
  }

  /// Those that lead to a node whose clock is not known.
  void collect(const std::vector<ClockMessage> &messages) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places;
    edges_of_.resize(clocks_.nodes.size());
    for (const auto &message : messages) {
      auto [low, high] = std::minmax(clocks_.node_of[message.from], clocks_.node_of[message.to]);
      if (!is_plausible(message.sent_ns) || !is_plausible(message.received_ns)) continue;
      auto is_known = [&](std::uint32_t node) { return clocks_.nodes[node].source != ClockSource::nothing; };
      if (low == high || (is_known(low) && is_known(high))) continue;
      auto [place, added] = places.emplace(std::pair(low, high), edges_.size());
      if (added) {
        edges_.push_back({low, high, {}});
        edges_of_[low].push_back(place->second);
        edges_of_[high].push_back(place->second);
      }
      edges_[place->second].messages.push_back(&message);
    }
  }

  void look_around(std::uint32_t known) {
    for (auto index : edges_of_[known]) {
      const auto &edge = edges_[index];
      const auto other = edge.from == known ? edge.to : edge.from;
      if (clocks_.nodes[other].source != ClockSource::nothing) continue;
      auto measurements = bounds_of(edge, known).measurements();
      if (measurements.empty()) continue;
      auto fit = fit_of(std::move(measurements), span_of(clocks_.nodes[other]));
      fit.error_ns = std::min(fit.error_ns + clocks_.nodes[known].error_ns, unknown_error_ns);
      steps_.push({other, fit});
    }
  }

  /// A receive that ends at r was sent for at s before: on one clock s <= r.
  Bounds bounds_of(const Edge &edge, std::uint32_t known) const {
    Bounds bounds;
    const auto &map = clocks_.nodes[known].map;
    for (const auto *message : edge.messages) {
      if (clocks_.node_of[message->from] == known)
        bounds.lower.push_back({message->received_ns, map(message->sent_ns) - message->received_ns});
      else bounds.upper.push_back({message->sent_ns, map(message->received_ns) - message->sent_ns});
    }
    return bounds;
  }

  std::optional<std::int64_t> real_offset_of(const NodeClock &node) const {
    for (auto rank : node.ranks) {
      auto offset = ranks_[rank].real_offset_ns;
      if (offset && *offset > -2 * plausible_ns && *offset < 2 * plausible_ns) return offset;
    }
    return std::nullopt;
  }

  /// By the time of day, if both nodes' are known: clocks that count from the node's start may be months apart.
  void guess(NodeClock &node) const {
    auto own = real_offset_of(node);
    for (const auto &other : clocks_.nodes) {
      auto real = real_offset_of(other);
      if (!own || !real || other.source == ClockSource::nothing || other.source == ClockSource::real_time) continue;
      node.map = {other.map.origin_ns, *own - *real + other.map.offset_ns, 0, 1};
      node.source = ClockSource::real_time;
      return;
    }
  }

  const std::vector<RankClock> &ranks_;
  Clocks clocks_;
  std::vector<Edge> edges_;
  std::vector<std::vector<std::size_t>> edges_of_;  ///< by node
  std::priority_queue<Step> steps_;
};

std::string hosts_text(const std::vector<std::string> &hosts) {
  constexpr std::size_t shown = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(hosts.size(), shown); ++i) (text += i ? ", " : "") += hosts[i];
  if (hosts.size() > shown) text += " and " + std::to_string(hosts.size() - shown) + " more";
  return text;
}

bool is_unrelated(const NodeClock &node) { return node.source == ClockSource::real_time || node.source == ClockSource::nothing; }

}  // namespace

std::int64_t ClockMap::operator()(std::int64_t monotonic_ns) const {
  // To the nearest, halves up. Rounded so, the change from one instant to the next is at least -1 for all drifts above -100 %.
  Wide twice = 2 * static_cast<Wide>(monotonic_ns - origin_ns) * rise_ns + run_ns, unit = 2 * static_cast<Wide>(run_ns);
  Wide sum = twice / unit - (twice % unit < 0) + monotonic_ns + offset_ns;
  return static_cast<std::int64_t>(std::clamp<Wide>(sum, -4 * plausible_ns + 1, 4 * plausible_ns - 1));
}

std::int64_t ClockMap::back(std::int64_t launcher_ns) const {
  Wide found = static_cast<Wide>(launcher_ns) - offset_ns;
  for (int i = 0; i < 8; ++i) {  // each time what is missing shrinks by the drift
    found = std::clamp<Wide>(found, -4 * plausible_ns + 1, 4 * plausible_ns - 1);
    Wide missing = static_cast<Wide>(launcher_ns) - (*this)(static_cast<std::int64_t>(found));
    if (missing == 0) break;
    found += missing;
  }
  return static_cast<std::int64_t>(std::clamp<Wide>(found, -4 * plausible_ns + 1, 4 * plausible_ns - 1));
}

bool Clocks::all_related() const { return std::none_of(nodes.begin(), nodes.end(), is_unrelated); }

std::optional<OffsetMeasurement> offset_from_bounds(const std::vector<OffsetBound> &lower, const std::vector<OffsetBound> &upper) {
  if (lower.empty() || upper.empty()) return std::nullopt;
  auto less = [](const OffsetBound &a, const OffsetBound &b) { return a.offset_ns < b.offset_ns; };
  const auto &least = *std::max_element(lower.begin(), lower.end(), less);
  const auto &greatest = *std::min_element(upper.begin(), upper.end(), less);
  const auto width = greatest.offset_ns - least.offset_ns;
  const auto middle = least.at_ns + (greatest.at_ns - least.at_ns) / 2;
  return OffsetMeasurement{middle, least.offset_ns + width / 2, (std::abs(width) + 1) / 2};
}

Clocks relate_clocks(const std::string &launcher_boot_id, const std::vector<RankClock> &ranks,
                     const std::vector<ClockMessage> &messages) {
  Relation relation(launcher_boot_id, ranks);
  relation.follow(messages);
  return relation.finish();
}

std::vector<model::Warning> clock_warnings(const Clocks &clocks) {
  std::vector<std::string> unrelated, jumped;
  for (const auto &node : clocks.nodes) {
    if (is_unrelated(node)) unrelated.push_back(node.host);
    if (node.jumped) jumped.push_back(node.host);
  }
  std::vector<model::Warning> warnings;
  if (!unrelated.empty())
    warnings.push_back({"clocks-unrelated",
                        "How the clock of " + hosts_text(unrelated) +
                            " runs against the others is not known: the launcher could not be asked over UDP, and there are no messages "
                            "both ways. Times on different hosts can't be compared. Let UDP to the launcher's host through the firewall."});
  if (!jumped.empty())
    warnings.push_back({"clock-jumped", "The clock of " + hosts_text(jumped) +
                                            " jumped while the program ran (was a virtual machine suspended?). Times there can't be "
                                            "compared with those on other hosts."});
  return warnings;
}

}  // namespace scope::timeline

#include "model/repeats.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "model/limits.hpp"

namespace scope::model {
namespace {

/// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv): says whether counts are equal, not more.
class Digest {
 public:
  void add(std::int64_t number) {
    for (int shift = 0; shift < 64; shift += 8) add_byte(static_cast<std::uint8_t>(static_cast<std::uint64_t>(number) >> shift));
  }
  void add(const std::string &text) {
    add(static_cast<std::int64_t>(text.size()));
    for (char c : text) add_byte(static_cast<std::uint8_t>(c));
  }
  template <class Number>
  void add(const std::vector<Number> &numbers) {
    add(static_cast<std::int64_t>(numbers.size()));
    for (Number number : numbers) add(static_cast<std::int64_t>(number));
  }
  std::string text() const {
    static const char digits[] = "0123456789abcdef";
    std::string result;
    for (int shift = 60; shift >= 0; shift -= 4) result += digits[(state_ >> shift) & 15];
    return result;
  }

 private:
  void add_byte(std::uint8_t byte) { state_ = (state_ ^ byte) * 0x100000001b3ull; }
  std::uint64_t state_ = 0xcbf29ce484222325ull;
};

std::string peers_digest(const Peers &peers) {
  Digest digest;
  for (const PeerMatrix *matrix : {&peers.p2p, &peers.rma}) {
    digest.add(matrix->world);
    digest.add(matrix->src);
    digest.add(matrix->dst);
    digest.add(matrix->messages);
    digest.add(matrix->bytes);
  }
  return digest.text();
}

std::string communicators_digest(const std::vector<CommunicatorRow> &rows) {
  Digest digest;
  for (const CommunicatorRow &row : rows) {
    digest.add(row.name);
    digest.add(std::vector<std::int64_t>{row.world, row.size, row.remote_size, row.calls, row.bytes});
  }
  return digest.text();
}

RepeatCalls calls_of(const Profile &profile) {
  std::map<std::string, const CallRow *> by_name;
  for (const CallRow &row : profile.calls) by_name[row.name] = &row;
  RepeatCalls calls;
  for (const auto &[name, row] : by_name) {
    calls.name.push_back(name);
    calls.calls.push_back(row->calls);
    calls.total_ns.push_back(row->total_ns);
    calls.p50_ns.push_back(row->p50_ns);
    calls.p95_ns.push_back(row->p95_ns);
    calls.p99_ns.push_back(row->p99_ns);
    calls.max_ns.push_back(row->max_ns);
    calls.bytes_sent.push_back(row->bytes_sent);
    calls.bytes_received.push_back(row->bytes_received);
    calls.imbalance.push_back(row->imbalance);
  }
  return calls;
}

RepeatRegions regions_of(const Profile &profile) {
  std::map<std::string, const RegionRow *> by_path;
  for (const RegionRow &row : profile.regions) by_path[row.path] = &row;
  RepeatRegions regions;
  for (const auto &[path, row] : by_path) {
    regions.path.push_back(path);
    regions.calls.push_back(row->calls);
    regions.total_ns.push_back(row->total_ns);
    regions.max_ns.push_back(row->max_ns);
  }
  return regions;
}

/// Position of the repetition that the profile is taken from.
std::size_t choose(const std::vector<Repeat> &repeats) {
  std::vector<std::size_t> sound;
  for (std::size_t i = 0; i < repeats.size(); ++i)
    if (is_sound(repeats[i])) sound.push_back(i);
  if (sound.empty()) return repeats.size() - 1;
  std::stable_sort(sound.begin(), sound.end(),
                   [&](std::size_t a, std::size_t b) { return wall_ns_of(repeats[a]) < wall_ns_of(repeats[b]); });
  return sound[(sound.size() - 1) / 2];
}

void warn_of_varying(Profile &profile) {
  const std::vector<std::string> varying = varying_calls(profile.repeats);
  if (varying.empty()) return;
  std::string names;
  for (const std::string &name : varying) names += (names.empty() ? "" : ", ") + name;
  profile.warnings.push_back({"repeats-vary", "The number of calls or their bytes differ from repetition to repetition: " + names +
                                                  ". 'check' does not compare these exactly."});
}

}  // namespace

Repeat repeat_of(const Profile &profile, std::int64_t elapsed_ns) {
  Repeat repeat;
  repeat.started = profile.metadata.started;
  repeat.elapsed_ns = elapsed_ns;
  repeat.exit_status = profile.metadata.exit_status;
  repeat.complete = profile.complete &&
                    std::all_of(profile.worlds.begin(), profile.worlds.end(), [](const World &world) { return world.complete; });
  repeat.totals = profile.totals;
  repeat.efficiency = profile.efficiency;
  for (const PeerMatrix *matrix : {&profile.peers.p2p, &profile.peers.rma})
    for (std::int64_t messages : matrix->messages) add_to(repeat.messages, messages);
  repeat.calls = calls_of(profile);
  repeat.regions = regions_of(profile);
  repeat.peers_digest = peers_digest(profile.peers);
  repeat.communicators_digest = communicators_digest(profile.communicators);
  return repeat;
}

std::int64_t wall_ns_of(const Repeat &repeat) { return repeat.totals.wall_ns > 0 ? repeat.totals.wall_ns : repeat.elapsed_ns; }

bool is_sound(const Repeat &repeat) { return repeat.exit_status == 0 && repeat.complete; }

std::vector<std::string> varying_calls(const std::vector<Repeat> &repeats) {
  using Counts = std::array<std::int64_t, 3>;
  std::map<std::string, std::set<Counts>> seen;
  std::map<std::string, std::size_t> times_seen;
  std::size_t sound = 0;
  for (const Repeat &repeat : repeats) {
    if (!is_sound(repeat)) continue;
    ++sound;
    for (std::size_t i = 0; i < repeat.calls.name.size(); ++i) {
      seen[repeat.calls.name[i]].insert({repeat.calls.calls[i], repeat.calls.bytes_sent[i], repeat.calls.bytes_received[i]});
      ++times_seen[repeat.calls.name[i]];
    }
  }
  std::vector<std::string> varying;
  for (const auto &[name, counts] : seen)
    if (counts.size() > 1 || times_seen[name] < sound) varying.push_back(name);
  return varying;
}

Profile join_repeats(std::vector<Repetition> repetitions) {
  std::vector<Repeat> repeats;
  for (const Repetition &repetition : repetitions) repeats.push_back(repeat_of(repetition.profile, repetition.elapsed_ns));
  const std::size_t chosen = choose(repeats);
  repeats[chosen].chosen = true;
  Profile profile = std::move(repetitions[chosen].profile);
  profile.repeats = std::move(repeats);
  warn_of_varying(profile);
  return profile;
}

}  // namespace scope::model

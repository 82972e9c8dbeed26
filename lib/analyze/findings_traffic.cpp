// Rules on what is sent and asked for.

#include <algorithm>
#include <set>

#include "analyze/findings.hpp"
#include "analyze/sums.hpp"
#include "model/call_names.hpp"

namespace scope::analyze {
namespace {

double real(std::int64_t number) { return static_cast<double>(number); }

bool sends(const model::SignatureRow &row) {
  static const std::set<std::string> names{"MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend", "MPI_Isend", "MPI_Issend",
                                           "MPI_Ibsend", "MPI_Irsend", "MPI_Sendrecv", "MPI_Sendrecv_replace"};
  return row.request.empty() && names.contains(row.call);
}

bool receives(const model::SignatureRow &row) {
  return row.request.empty() && (row.call == "MPI_Recv" || row.call == "MPI_Irecv" || row.call == "MPI_Mrecv");
}

/// What the calls of a signature take at least, however long they waited. Where there are few of them, all may have waited: a
/// transfer does not take longer than latency_ns and ns_per_byte.
std::int64_t floor_of(const model::SignatureRow &row) {
  const std::int64_t each = std::min(row.min_ns, latency_ns + std::max<std::int64_t>(0, row.bytes) * ns_per_byte);
  return each > 0 && row.calls > INT64_MAX / each ? row.total_ns : std::min(row.total_ns, row.calls * each);
}

struct Messages {
  std::int64_t all = 0, chosen = 0, bytes = 0;  ///< sent
  std::int64_t floor_ns = 0;                    ///< of the chosen ones' calls
};

Messages messages_between(const Scene &scene, std::int64_t from, std::int64_t to) {
  Messages messages;
  for (const model::SignatureRow &row : scene.profile.signatures) {
    if (row.world != scene.world) continue;
    const bool sent = sends(row);
    if (sent) messages.all = add(messages.all, row.calls);
    if ((!sent && !receives(row)) || row.bytes < from || row.bytes > to) continue;
    messages.floor_ns = add(messages.floor_ns, floor_of(row));
    if (!sent) continue;
    messages.chosen = add(messages.chosen, row.calls);
    messages.bytes = add(messages.bytes, row.bytes_sent);
  }
  return messages;
}

std::int64_t time_of_kind(const Scene &scene, const char *kind) {
  std::int64_t sum = 0;
  for (const model::CallRow &call : scene.profile.calls)
    if (call.kind == kind) sum = add(sum, scene.time_in(call));
  return sum;
}

}  // namespace

void find_small_messages(const Scene &scene, std::vector<Fact> &facts) {
  const Messages small = messages_between(scene, 0, small_message_bytes);
  Fact fact{"small-messages", "", scene.world, {}, "", {}, scene.mean(small.floor_ns)};
  if (small.chosen <= 0 || real(small.chosen) < 0.8 * real(small.all) || !scene.is_worth(fact.lost_ns)) return;
  fact.evidence = {{"messages", real(small.chosen)}, {"mean_bytes", real(small.bytes) / real(small.chosen)},
                   {"messages_share", real(small.chosen) / real(small.all)}};
  facts.push_back(std::move(fact));
}

void find_eager_messages(const Scene &scene, std::vector<Fact> &facts) {
  const Messages eager = messages_between(scene, eager_from_bytes, eager_to_bytes);
  Fact fact{"eager-messages", "", scene.world, {}, "", {}, scene.mean(eager.floor_ns)};
  if (eager.chosen <= 0 || !scene.is_worth(fact.lost_ns)) return;
  fact.evidence = {{"messages", real(eager.chosen)}, {"mean_bytes", real(eager.bytes) / real(eager.chosen)}};
  facts.push_back(std::move(fact));
}

void find_dominant_pair(const Scene &scene, std::vector<Fact> &facts) {
  if (scene.size() < 4) return;
  const model::PeerMatrix &matrix = scene.profile.peers.p2p;
  std::map<std::pair<int, int>, std::int64_t> pairs;
  std::int64_t all = 0;
  for (std::size_t i = 0; i < matrix.src.size(); ++i) {
    if (matrix.world[i] != scene.world || matrix.src[i] == matrix.dst[i]) continue;
    std::int64_t &bytes = pairs[std::minmax(matrix.src[i], matrix.dst[i])];
    bytes = add(bytes, matrix.bytes[i]);
    all = add(all, matrix.bytes[i]);
  }
  if (pairs.size() < 2) return;
  const auto most = std::max_element(pairs.begin(), pairs.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
  std::int64_t time = 0;
  for (std::size_t i = 0; i < scene.size(); ++i) {
    const int rank = scene.profile.ranks[scene.ranks[i]].rank;
    if (rank != most->first.first && rank != most->first.second) continue;
    for (const model::CallRow &call : scene.profile.calls)
      if (call.kind == "point-to-point" || call.kind == "wait") time = add(time, at(call.per_rank.total_ns, scene.ranks[i]));
  }
  Fact fact{"dominant-pair", "", scene.world, {most->first.first, most->first.second}, "", {}, scene.mean(time)};
  if (real(most->second) < 0.5 * real(all) || !scene.is_worth(fact.lost_ns)) return;
  fact.evidence = {{"bytes", real(most->second)}, {"bytes_share", real(most->second) / real(all)}};
  facts.push_back(std::move(fact));
}

void find_polling(const Scene &scene, std::vector<Fact> &facts) {
  std::int64_t time = 0, calls = 0, most = 0;
  Fact fact{"polling", "", scene.world, {}, "", {}, 0};
  for (const model::CallRow &call : scene.profile.calls) {
    if (!model::only_asks(call.name)) continue;
    const std::int64_t own = scene.time_in(call);
    time = add(time, own);
    for (std::size_t index : scene.ranks) calls = add(calls, at(call.per_rank.calls, index));
    if (own <= most) continue;
    most = own;
    fact.subject = call.name;
  }
  fact.lost_ns = scene.mean(time);
  if (calls == 0 || !scene.is_worth(fact.lost_ns)) return;
  fact.evidence = {{"calls", real(calls)}, {"mean_ns", real(time) / real(calls)}};
  facts.push_back(std::move(fact));
}

void find_costly_communicator(const Scene &scene, std::vector<Fact> &facts) {
  std::int64_t all = 0;
  for (const model::CommunicatorRow &row : scene.profile.communicators)
    if (row.world == scene.world) all = add(all, row.total_ns);
  for (const model::CommunicatorRow &row : scene.profile.communicators) {
    if (row.world != scene.world || row.merged || row.remote_size > 0) continue;
    if (row.size < 2 || row.size >= static_cast<int>(scene.size())) continue;
    Fact fact{"communicator", "", scene.world, {}, row.name, {}, scene.mean(row.total_ns)};
    if (real(row.total_ns) < 0.5 * real(all) || !scene.is_worth(fact.lost_ns)) continue;
    fact.evidence = {{"communicator", row.id}, {"size", row.size}, {"calls", real(row.calls)}, {"mpi_share", real(row.total_ns) / real(all)}};
    facts.push_back(std::move(fact));
    return;
  }
}

void find_io(const Scene &scene, std::vector<Fact> &facts) {
  Fact fact{"file-io", "", scene.world, {}, "", {}, scene.mean(time_of_kind(scene, "io"))};
  if (!scene.is_worth(fact.lost_ns)) return;
  std::int64_t most = 0, calls = 0, bytes = 0;
  for (const model::CallRow &call : scene.profile.calls) {
    if (call.kind != "io") continue;
    for (std::size_t index : scene.ranks) {
      calls = add(calls, at(call.per_rank.calls, index));
      bytes = add(bytes, add(at(call.per_rank.bytes_sent, index), at(call.per_rank.bytes_received, index)));
    }
    if (scene.time_in(call) <= most) continue;
    most = scene.time_in(call);
    fact.subject = call.name;
  }
  fact.evidence = {{"calls", real(calls)}, {"bytes", real(bytes)}};
  facts.push_back(std::move(fact));
}

}  // namespace scope::analyze

#pragma once
// What a profile says about lost time: facts with numbers, found by rules on what was recorded; who waits for whom is read off the
// timeline where a complete one was recorded, and estimated from sums else. lib/render
// says them in words.
//
// Time is related to the run between MPI_Init and MPI_Finalize, the longest over the ranks of a world. The seconds lost of a fact
// are the mean over the ranks of that world. Where a rule estimates, it says how in its comment and in `method`.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/profile.hpp"

namespace scope::analyze {

/// A fact is worth being told from this share of the run on.
inline constexpr double worth_telling = 0.05;
/// And from so much time on: what loses less is noise of a run that is over at once.
inline constexpr std::int64_t worth_telling_ns = 10'000'000;
/// From this share of the run on it is "high", below "medium".
inline constexpr double much = 0.2;
/// Cost of recording above this share of the ranks' time is told.
inline constexpr double much_overhead = 0.02;
/// At most so many facts are told.
inline constexpr std::size_t most_facts = 5;

/// A message longer than this is worth its own latency.
inline constexpr std::int64_t small_message_bytes = 1024;
/// Sizes that libraries commonly send eagerly, with a copy on either side: 2 KiB up to 64 KiB.
inline constexpr std::int64_t eager_from_bytes = 2048, eager_to_bytes = 65536;
/// What a message may take before it counts as waited for: 5 us, and 1 ns a byte (1 GB/s). Slower than shared memory and any
/// cluster network, so that a transfer is not taken for waiting.
inline constexpr std::int64_t latency_ns = 5000, ns_per_byte = 1;

struct Fact {
  std::string id;               ///< stable: "load-imbalance", "late-sender", ...
  std::string severity;         ///< "high", "medium", "info"; "warning" of what is wrong with the profile itself
  int world = 0;
  std::vector<int> ranks;       ///< whom it is about; empty: all
  std::string subject;          ///< call, host or communicator
  std::map<std::string, double> evidence;  ///< names end in their unit: _ns, _bytes, _share; else counts
  std::int64_t lost_ns = 0;
  bool from_timeline = false;   ///< nothing is estimated
  std::string region = {}, origin = {};  ///< from_timeline: what the late ranks did meanwhile, in which region and call; "" computation
};

/// What is known of one world's ranks, from which the rules draw.
struct Scene {
  explicit Scene(const model::Profile &whole, int of_world);

  const model::Profile &profile;
  int world = 0;
  std::vector<std::size_t> ranks;           ///< indices into Profile::ranks, ascending by rank
  std::vector<std::int64_t> compute_ns;     ///< wall - MPI, in the order of `ranks`
  std::int64_t run_ns = 0;                  ///< longest wall time without MPI_Init and MPI_Finalize
  std::vector<std::int64_t> receive_wait_ns;  ///< beyond latency_ns and ns_per_byte, in the order of `ranks`
  std::map<int, std::int64_t> late_ns;      ///< of these waits, by the world rank of the sender

  std::size_t size() const { return ranks.size(); }
  /// Mean over the ranks.
  std::int64_t mean(std::int64_t sum) const { return ranks.empty() ? 0 : sum / static_cast<std::int64_t>(ranks.size()); }
  double share(std::int64_t ns) const { return run_ns > 0 ? static_cast<double>(ns) / static_cast<double>(run_ns) : 0; }
  bool is_worth(std::int64_t mean_ns) const { return mean_ns >= worth_telling_ns && share(mean_ns) >= worth_telling; }
  /// Sum over the ranks of one procedure's time.
  std::int64_t time_in(const model::CallRow &call) const;
};

/// Rules on who waits for whom. Each adds at most one fact a world.
///
/// Imbalance: in collectives that synchronise, the rank with the least time came last; what the others have more than that is
/// waiting. Those that are mostly called on communicators of a part of the ranks are left out.
void find_imbalance(const Scene &scene, std::vector<Fact> &facts);
/// A host all of whose ranks compute longer than every rank elsewhere.
void find_outlier_node(const Scene &scene, std::vector<Fact> &facts);
/// One rank of at least four that computes longer than all the others, whose spread is a third of that at most.
void find_outlier_rank(const Scene &scene, std::vector<Fact> &facts);
/// Every message goes to the next rank (or every one to the one before), and who stands later waits longer.
void find_serialised_chain(const Scene &scene, std::vector<Fact> &facts);
/// Receives, and waits for receives, that take longer than a transfer.
void find_late_sender(const Scene &scene, std::vector<Fact> &facts);

/// The first and the last of these, of a world with a complete timeline: waits in collectives and windows with the ranks whose
/// delays they are, and waits for messages.
bool has_timeline(const Scene &scene);
void find_imbalance_in_timeline(const Scene &scene, std::vector<Fact> &facts);
void find_late_sender_in_timeline(const Scene &scene, std::vector<Fact> &facts);

/// Rules on what is sent and asked for.
///
/// Four in five messages have at most small_message_bytes. Their cost is counted at the fastest call of each signature, and
/// at what a transfer may take: what remains without any waiting.
void find_small_messages(const Scene &scene, std::vector<Fact> &facts);
/// Messages between eager_from_bytes and eager_to_bytes, counted in the same way.
void find_eager_messages(const Scene &scene, std::vector<Fact> &facts);
/// Half of all point-to-point bytes go between two of at least four ranks.
void find_dominant_pair(const Scene &scene, std::vector<Fact> &facts);
/// MPI_Test*, MPI_Iprobe and the like.
void find_polling(const Scene &scene, std::vector<Fact> &facts);
/// One communicator of a part of the ranks has half of the MPI time between MPI_Init and MPI_Finalize.
void find_costly_communicator(const Scene &scene, std::vector<Fact> &facts);
void find_io(const Scene &scene, std::vector<Fact> &facts);

/// All rules on all worlds: most time lost first, at most most_facts, those about the profile itself among them whatever they
/// cost. One wait has one name: a slow host is not told as an imbalance, too, nor a chain as late senders.
std::vector<Fact> find_facts(const model::Profile &profile);

}  // namespace scope::analyze

#pragma once
// The steps of merge(). Internal to the model.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/call_table.hpp"
#include "model/limits.hpp"
#include "model/merge.hpp"

namespace scope::model {

/// A record and its place in the profile.
struct Placed {
  const RankRecord *record = nullptr;
  int world = 0, rank = 0;
};

/// A signature of one rank in nanoseconds, with the profile's communicator id. Conversion happens here alone, so that whatever
/// is added up from these adds up exactly.
struct Converted {
  std::string_view call, request_call;
  int comm = -1;
  bool foreign = false;
  int peer = -1, root = -1, tag = -1;
  std::int64_t bytes = -1;
  std::int64_t calls = 0, completions = 0, errors = 0;
  std::int64_t total_ns = 0, min_ns = 0, max_ns = 0;
  std::int64_t bytes_sent = 0, bytes_received = 0;
  std::uint32_t site = 0;  ///< as in Signature
};

/// Fills worlds and gives the records that stay, by world, then rank. Ranks that gave several records are warned of.
std::vector<Placed> place_ranks(const std::vector<RankRecord> &records, Profile &profile);

/// Fills communicators. Result: for each placed rank, the id of each of its communicators.
std::vector<std::vector<int>> number_communicators(const std::vector<Placed> &placed, Profile &profile);

/// The signatures of a rank. Where entries were lost, what is missing in them compared with the statistics of their procedure
/// is added as one of its own (no communicator, peer or size).
std::vector<Converted> convert_signatures(const RankRecord &record, const std::vector<int> &comm_ids, const Profile &profile);

/// Adds what signatures and call sites are measured by; `sum` is a row and whether it has extremes yet.
template <class Sum, class One>
void add_measures(Sum &sum, const One &one) {
  auto &row = sum.row;
  add_to(row.calls, one.calls);
  add_to(row.completions, one.completions);
  add_to(row.errors, one.errors);
  add_to(row.total_ns, one.total_ns);
  add_to(row.bytes_sent, one.bytes_sent);
  add_to(row.bytes_received, one.bytes_received);
  row.min_ns = sum.has_extremes ? std::min(row.min_ns, one.min_ns) : one.min_ns;
  row.max_ns = std::max(row.max_ns, one.max_ns);
  sum.has_extremes = true;
}

/// One rank while it is added up: its record with everything in it, and its signatures converted.
struct RankRows {
  RankRecord record;
  std::vector<Converted> converted;  ///< views into `record`
};

// Each of these takes the ranks one after the other, in the profile's order, and keeps nothing of theirs but sums.

/// Calls, signatures, peers, sizes and the sums of communicators. Beyond most_signatures different signatures, peers are folded
/// together in them, then tags, then sizes to powers of two, then roots: what differs from rank to rank would make the profile
/// grow with the square of the job. The peer matrix and all sums stay exact.
class RowSums {
 public:
  RowSums(std::size_t ranks, Profile &profile, std::size_t most_signatures = 1 << 17);
  ~RowSums();
  void add(std::size_t index, const Placed &placed, const RankRows &rows);
  void finish();

 private:
  struct Sums;
  std::size_t ranks_;
  Profile &profile_;
  std::unique_ptr<Sums> sums_;
};

/// Call sites: equal places of all ranks of a world together.
class CallSiteSums {
 public:
  CallSiteSums();
  ~CallSiteSums();
  void add(const Placed &placed, const RankRows &rows);
  void finish(Profile &profile);

 private:
  struct Sums;
  std::unique_ptr<Sums> sums_;
};

/// What recording a rank's regions cost it, in ticks.
double regions_cost_ticks(const RankRecord &record);

/// Regions, and what was wrong with their pairs.
class RegionSums {
 public:
  explicit RegionSums(std::size_t ranks);
  ~RegionSums();
  void add(std::size_t index, const RankRecord &record);
  /// Fills regions.
  void finish(Profile &profile);
  /// Begins and ends that found no partner. A process that was killed had no chance to end what was open.
  void add_warnings(Profile &profile) const;

 private:
  struct Sums;
  std::size_t ranks_;
  std::unique_ptr<Sums> sums_;
};

/// Sends that no receive completed, as a warning and a finding. Only of worlds all of whose ranks came through MPI_Finalize, and
/// only where the counts are exact (model/messages.hpp).
class UnmatchedMessages {
 public:
  explicit UnmatchedMessages(std::size_t worlds);
  ~UnmatchedMessages();
  void add(const Placed &placed, const RankRows &rows, const std::vector<int> &comm_ids);
  void finish(Profile &profile);

 private:
  struct Worlds;
  std::unique_ptr<Worlds> worlds_;
};

/// A frame as the profile has it; native code is not resolved.
SiteFrame site_frame(const CodeFrame &frame);

/// Adds to ranks and totals.
void add_rank(const Placed &placed, const RankRows &rows, Profile &profile);

/// What the reader of the profile has to know about how complete and how exact it is.
void add_warnings(const std::vector<Placed> &placed, const RegionSums &regions, Profile &profile);

/// "1 rank", "2 ranks".
std::string counted(std::uint64_t count, const std::string &one, const std::string &many);

/// "0-3, 7, 9", after the tenth part " and 5 more".
std::string rank_list(const std::vector<int> &ranks);

/// Merged histogram of durations over ranks whose clocks differ. Up to most_clocks rates are kept apart exactly; of more, rates
/// within a thousandth of each other are one (a bucket is 12.5 % wide), so that it does not grow with the number of ranks.
class DurationHistogram {
 public:
  void add(const std::vector<std::uint64_t> &histogram, double ns_per_tick);
  /// Duration that a share of the calls (0..1) does not exceed: linear inside a bucket, and within the extremes.
  std::vector<std::int64_t> quantiles(const std::vector<double> &shares, std::int64_t min_ns, std::int64_t max_ns) const;

 private:
  static constexpr std::size_t most_clocks = 128;
  std::vector<double> &of_clock(double ns_per_tick);
  std::map<double, std::vector<double>> clocks_;  ///< counts by bucket
};

}  // namespace scope::model

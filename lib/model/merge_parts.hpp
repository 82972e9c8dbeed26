#pragma once
// The steps of merge(). Internal to the model.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/call_table.hpp"
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

/// Fills calls, signatures, peers, sizes and the sums of communicators.
void fill_rows(const std::vector<Placed> &placed, const std::vector<std::vector<Converted>> &converted, Profile &profile);

/// Fills callsites: equal places of all ranks of a world together.
void fill_callsites(const std::vector<Placed> &placed, const std::vector<std::vector<Converted>> &converted, Profile &profile);

/// Fills regions.
void fill_regions(const std::vector<Placed> &placed, Profile &profile);

/// A frame as the profile has it; native code is not resolved.
SiteFrame site_frame(const CodeFrame &frame);

/// Fills ranks and totals from records and calls.
void fill_ranks(const std::vector<Placed> &placed, const std::vector<std::vector<Converted>> &converted, Profile &profile);

/// What the reader of the profile has to know about how complete and how exact it is.
void add_warnings(const std::vector<Placed> &placed, Profile &profile);

/// Sends that no receive completed, as a warning and a finding. Only of worlds all of whose ranks came through MPI_Finalize, and
/// only where the counts are exact (model/messages.hpp).
void add_unmatched(const std::vector<Placed> &placed, const std::vector<std::vector<int>> &comm_ids, Profile &profile);

/// "0-3, 7, 9", after the tenth part " and 5 more".
std::string rank_list(const std::vector<int> &ranks);

/// Merged histogram of durations over ranks whose clocks differ.
struct DurationHistogram {
  struct Bucket {
    double from_ns, to_ns, count;
  };
  std::vector<Bucket> buckets;

  void add(const std::vector<std::uint64_t> &histogram, double ns_per_tick);
  /// Duration that a share of the calls (0..1) does not exceed: linear inside a bucket, and within the extremes.
  std::vector<std::int64_t> quantiles(const std::vector<double> &shares, std::int64_t min_ns, std::int64_t max_ns) const;
};

}  // namespace scope::model

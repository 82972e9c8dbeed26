#pragma once
// From rank records to the merged profile.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "model/profile.hpp"
#include "model/rank_record.hpp"

namespace scope::model {

/// What a run directory held. Unreadable, foreign and superfluous files are warnings, never an end.
struct Collected {
  std::vector<RankRecord> records;
  std::vector<Warning> warnings;
  bool partial = false;  ///< a file of this run could not be read
};

/// Called with how many of how many files were read, in the thread that reads; may be empty.
using Progress = std::function<void(std::size_t done, std::size_t all)>;

/// Reads rank dumps, and live blocks where the dump of that process (host, pid, start time) is missing or unreadable.
/// Files of another run id are named in a warning ("foreign-dump") and left out; an empty run_id accepts the id that most
/// files carry. Opens one file a thread at a time; where ranks have many signatures it keeps none (detach()), so that memory is
/// bounded by the number of ranks: 1.5 KiB each. `Hold::all` keeps them: merge() would read a job that still runs a second time.
enum class Hold { few, all };
Collected collect(const std::filesystem::path &directory, const std::string &run_id, const Progress &progress = {}, Hold hold = Hold::few);
Collected collect_files(const std::vector<std::filesystem::path> &files, const std::string &run_id, const Progress &progress = {},
                        Hold hold = Hold::few);

/// Where a record went in the profile.
struct Placement {
  const RankRecord *record = nullptr;
  int world = 0, rank = 0;
  std::vector<int> comm_ids;  ///< CommunicatorRow::id of each of its communicators, -1 none
};

/// "rank 3", "ranks 0-3, 7, 9 and 5 more".
std::string rank_words(const std::vector<int> &ranks);

/// RegionRow::path of each region of a record. Those of a detached record are read for it; throws support::Error where they can't be.
std::vector<std::string> region_paths(const RankRecord &record);

/// Merges ranks of any number of worlds. Worlds are numbered by the earliest start of their ranks, parents first.
/// Metadata comes from the caller. Two records of one rank of a world: the one with more calls stays, a warning says so.
/// Sums are exact: totals_ns of a call is the sum over its signatures, of a rank (one thread) the sum over its calls.
/// A rank with several threads has the union, scaled to the same unit and never above its wall time.
/// `placements`: filled with the records that stay, in the order of Profile::ranks; they point into `collected`.
/// `progress` hears of ranks. Records that are detached are read again, with as many threads as the machine has; whatever their
/// number, the result is the same to the byte. Throws support::Error where such a file can't be read any more.
Profile merge(const Collected &collected, Metadata metadata, std::vector<Placement> *placements = nullptr, const Progress &progress = {});

/// What must hold in every merged profile; each string names one violation, none: conserved. Used by the test fixture.
std::vector<std::string> conservation_violations(const Profile &profile);

}  // namespace scope::model

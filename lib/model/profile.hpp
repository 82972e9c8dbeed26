#pragma once
// The merged profile: DESIGN 6, "format": "scope-profiler-summary", version 1. Times are integer nanoseconds, sizes bytes,
// ratios 0..1. Vectors named per_rank run over the ranks of the profile in the order of Profile::ranks.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/rank_set.hpp"
#include "model/rank_spread.hpp"
#include "model/timeline_results.hpp"

namespace scope::model {

struct Metadata {
  std::vector<std::string> command;
  std::string label;
  std::map<std::string, std::string> tags;
  std::string started;  ///< ISO 8601 UTC
  std::vector<std::string> hosts;
  std::string launcher;  ///< "openmpi", "hydra", "srun", "other", "none"
  std::string mpi_library, mpi_standard;  ///< "" when no MPI was used
  int exit_status = 0;  ///< as the shell sees it: 128 + n for a signal
  std::string cpu;
  std::string exporter;  ///< "scope-profiler@0.1.0"
  std::string run_id;
  std::map<std::string, std::string> batch = {};  ///< the batch job: system, id, name, partition, nodes, ...; empty outside one
  bool operator==(const Metadata &) const = default;
};

struct World {
  int id = 0;
  int size = 0;
  std::optional<int> parent;
  int ranks_reported = 0;
  std::vector<int> missing;
  bool complete = true;
  std::string key;  ///< of the shim; not in the file
  bool mpi = true;  ///< false: processes that have regions and made no MPI call, numbered by what the launcher says, host and pid
  bool operator==(const World &) const = default;
};

struct Rank {
  int world = 0;
  int rank = 0;
  std::string host;
  std::int64_t pid = 0;
  std::string executable;
  std::string status;   ///< RankStatus
  int signal = 0;       ///< 0: none; null in the file
  std::optional<int> abort_code;  ///< what it gave to MPI_Abort; nothing where it did not call it
  std::string in_call;  ///< "MPI_Recv"; "" (null in the file) outside
  std::int64_t wall_ns = 0, mpi_ns = 0, cpu_ns = 0, max_rss_bytes = 0;
  std::int64_t overhead_ns = 0;  ///< calls x calibrated cost + begun regions x theirs
  int threads = 1;
  std::int64_t calls = 0, bytes_sent = 0, bytes_received = 0;  ///< over all procedures
  std::int64_t startup_ns = 0;                                 ///< in MPI_Init, MPI_Init_thread and MPI_Finalize
  bool operator==(const Rank &) const = default;
};

struct Totals {
  std::int64_t wall_ns = 0;   ///< maximum over ranks (per world, then over worlds)
  std::int64_t wall_sum_ns = 0;  ///< sum over ranks: the denominator of mpi_share and of every "% of rank time"
  std::int64_t mpi_ns = 0;    ///< sum over ranks
  double mpi_share = 0;       ///< mpi_ns / wall_sum_ns
  std::int64_t calls = 0, bytes_sent = 0, bytes_received = 0;
  std::int64_t overhead_ns = 0;  ///< sum over ranks
  bool operator==(const Totals &) const = default;
};

struct Efficiency {
  std::optional<double> parallel, load_balance, communication;  ///< null where no rank has a wall time
  bool operator==(const Efficiency &) const = default;
};

struct CallRow {
  std::string name, kind;
  std::int64_t calls = 0, errors = 0;
  std::int64_t total_ns = 0, min_ns = 0, max_ns = 0;
  double mean_ns = 0, std_ns = 0;
  std::int64_t p50_ns = 0, p95_ns = 0, p99_ns = 0;  ///< from the histogram: within 12.5 %
  std::int64_t bytes_sent = 0, bytes_received = 0;
  double imbalance = 0;  ///< 1 - mean/max of the ranks' times, 0 = balanced
  PerRank per_rank;      ///< empty where there is a spread
  std::optional<RankSpread> spread{};
  bool operator==(const CallRow &) const = default;
};

struct SignatureRow {
  std::string region;  ///< canonical name, DESIGN 5
  int world = 0;
  std::string call;
  int comm = -1;  ///< Communicator::id, -1 none
  int peer = -1, root = -1, tag = -1;
  std::int64_t bytes = -1;
  std::string request;  ///< "irecv"; "" (null) unless a wait
  std::int64_t calls = 0, completions = 0, errors = 0, total_ns = 0, min_ns = 0, max_ns = 0;
  std::int64_t bytes_sent = 0, bytes_received = 0;
  RankSet ranks;  ///< ranks of the world that have it
  bool operator==(const SignatureRow &) const = default;
};

/// Sparse matrix, parallel arrays, ordered by world, src, dst. Ranks are world ranks.
struct PeerMatrix {
  std::vector<int> world, src, dst;
  std::vector<std::int64_t> messages, bytes;
  bool operator==(const PeerMatrix &) const = default;
};
struct Peers {
  PeerMatrix p2p;  ///< sends, by the sender's count
  PeerMatrix rma;  ///< origin to target; a Get's bytes flow back but are booked origin -> target as well
  bool operator==(const Peers &) const = default;
};

struct SizeRow {
  std::string call;
  std::int64_t bytes_from = 0, bytes_to = 0;  ///< inclusive; 0..0, 1..1, 2..3, 4..7, ...
  std::int64_t calls = 0, bytes = 0, total_ns = 0;
  bool operator==(const SizeRow &) const = default;
};

struct CommunicatorRow {
  int id = 0, world = 0;
  std::string name;
  int size = 0;
  int remote_size = 0;
  bool foreign = false;  ///< the remote group is of another world: its peers are not in the peer matrix
  bool merged = false;  ///< stands for many communicators
  std::int64_t calls = 0, total_ns = 0, bytes = 0;  ///< bytes: sent
  bool operator==(const CommunicatorRow &) const = default;
};

/// A frame of a call site. Of native code, function, file and line are filled by lib/symbols where debug information is there.
struct SiteFrame {
  std::string module;    ///< executable or library; "" unknown or Python
  std::string build_id;  ///< of the module
  std::int64_t offset = 0;  ///< return address in the terms of the module
  bool python = false;
  std::string function;  ///< "" unknown
  std::string file;      ///< "" unknown
  int line = 0;          ///< 0 unknown
  auto operator<=>(const SiteFrame &) const = default;
};

/// Calls of one procedure from one place (run --callsites). Over all rows of a procedure they add up to its CallRow.
struct CallSiteRow {
  int world = 0;
  std::string call, kind;
  std::vector<SiteFrame> stack;  ///< from the caller outwards; empty: sites beyond the limits, or that were lost, together
  std::int64_t calls = 0, completions = 0, errors = 0, total_ns = 0, min_ns = 0, max_ns = 0;
  std::int64_t bytes_sent = 0, bytes_received = 0;
  RankSet ranks;  ///< ranks of the world that called from there
  bool operator==(const CallSiteRow &) const = default;
};

/// A path of regions, over all ranks and threads. total_ns is self_ns and the total_ns of the children, to the nanosecond; so are
/// calls and time in MPI. The shim counts those by thread: what other threads do meanwhile is not in it.
struct RegionRow {
  std::string name, path;  ///< path: names from the outermost on with / between; a / or \ in a name is \/ or \\ there
  std::int64_t calls = 0, total_ns = 0, self_ns = 0, mpi_ns = 0, min_ns = 0, max_ns = 0;
  PerRank per_rank;  ///< empty where there is a spread
  std::string source_file;
  int source_line = 0;
  std::int64_t mpi_calls = 0;                    ///< inside, children included
  std::int64_t mpi_self_ns = 0, mpi_self_calls = 0;  ///< outside of the children
  std::vector<std::int64_t> rank_self_ns, rank_mpi_ns, rank_mpi_calls;  ///< in per_rank of the file; empty where they are not known
  std::optional<RankSpread> spread{};
  bool operator==(const RegionRow &) const = default;
};

struct Finding {
  std::string id, severity, text;
  std::map<std::string, double> evidence;
  double seconds_lost = 0;
  bool operator==(const Finding &) const = default;
};

struct Warning {
  std::string id;    ///< stable: "ranks-missing", "dump-unreadable", "folded", ...
  std::string text;  ///< a sentence with the reason and the next step
  bool operator==(const Warning &) const = default;
};

/// One procedure a position, all vectors of one length, by name.
struct RepeatCalls {
  std::vector<std::string> name;
  std::vector<std::int64_t> calls, total_ns, p50_ns, p95_ns, p99_ns, max_ns, bytes_sent, bytes_received;
  std::vector<double> imbalance;
  bool operator==(const RepeatCalls &) const = default;
};

/// One region a position, all vectors of one length, by path.
struct RepeatRegions {
  std::vector<std::string> path;
  std::vector<std::int64_t> calls, total_ns, max_ns;
  bool operator==(const RepeatRegions &) const = default;
};

/// What a gate needs of one repetition of `run --repeat`. Digests are equal where the counts are (not the times), so that what
/// varies from run to run is known without keeping every repetition's tables.
struct Repeat {
  std::string started;          ///< ISO 8601 UTC
  std::int64_t elapsed_ns = 0;  ///< from the start of the command to its end, launcher included
  int exit_status = 0;
  bool complete = true;  ///< all ranks reported
  bool chosen = false;   ///< the profile's other keys are those of this repetition
  Totals totals;
  Efficiency efficiency;
  std::int64_t messages = 0;  ///< point-to-point and one-sided
  RepeatCalls calls;
  RepeatRegions regions;
  std::string peers_digest, communicators_digest;  ///< 16 hexadecimal digits
  bool operator==(const Repeat &) const = default;
};

struct Profile {
  Metadata metadata;
  std::vector<World> worlds;
  std::vector<Rank> ranks;  ///< by world, then rank
  Totals totals;
  Efficiency efficiency;
  std::vector<CallRow> calls;            ///< by total_ns, longest first, then name
  std::vector<SignatureRow> signatures;  ///< by total_ns, longest first, then region
  Peers peers;
  std::vector<SizeRow> sizes;            ///< by call, then bytes_from
  std::vector<CommunicatorRow> communicators;
  std::vector<CallSiteRow> callsites;    ///< by total_ns, longest first; empty without run --callsites
  std::vector<RegionRow> regions;
  std::vector<Finding> findings;
  std::vector<Repeat> repeats;           ///< in the order in which they ran; empty without --repeat
  std::optional<TimelineResults> timeline_results;  ///< "timeline" of the file; nothing without run --trace
  std::vector<Warning> warnings;
  bool complete = true;  ///< false: some rank is missing or was not read in full
  bool operator==(const Profile &) const = default;
};

/// Whether calls and regions have a value for each rank; else they have a spread. What ranks themselves say is there in any case.
bool keeps_each_rank(const Profile &profile);

/// Whether the time in a procedure is starting and ending MPI.
bool is_startup(std::string_view call);

/// Reads a merged profile, plain or gzip. Throws support::Error naming file, position and reason; refuses a newer version.
Profile read_profile(const std::filesystem::path &file);
Profile parse_profile(const std::string &text, const std::filesystem::path &name);

/// What a file holds of each rank's share in calls and regions.
enum class PerRankForm {
  by_size,  ///< above most_ranks_in_full ranks a spread
  all       ///< every rank's, where the profile has them
};

/// The JSON text of DESIGN 6. Output is the same for the same profile, byte for byte.
std::string to_json(const Profile &profile, PerRankForm form = PerRankForm::by_size);

/// Writes to_json, compressed if the name ends in .gz, beside the target and renamed into place. An earlier file becomes
/// NAME.old. Missing directories are made. Throws support::Error.
void write_profile(const Profile &profile, const std::filesystem::path &file, PerRankForm form = PerRankForm::by_size);

}  // namespace scope::model

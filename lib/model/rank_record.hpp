#pragma once
// What one rank recorded, in the ticks of its own clock: the common form of a rank dump (JSON) and of a live block (binary).

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace scope::model {

/// How a rank ended. The words are those of the merged profile's ranks[].status.
enum class RankStatus {
  finalized,  ///< MPI_Finalize returned
  exited,     ///< the process ended by itself without MPI_Finalize
  aborted,    ///< it called MPI_Abort
  killed,     ///< a signal ended it, and which is known
  recovered   ///< it ended without a word and the cause is not known; its live block was read
};
const char *to_string(RankStatus status);

/// Ticks to nanoseconds: two instants of the rank's clock and of CLOCK_MONOTONIC. `ns` differences are rounded to nearest.
struct TickScale {
  std::uint64_t first_ticks = 0, first_ns = 0, last_ticks = 0, last_ns = 0;
  double ns_per_tick() const;                  ///< 1 when the two instants are the same
  std::int64_t duration_ns(double ticks) const;
  std::int64_t at_ns(std::uint64_t ticks) const;  ///< CLOCK_MONOTONIC of an instant
  std::uint64_t ticks_at(std::uint64_t ns) const;  ///< the reverse, for instants behind the first; 0 for earlier ones
};

struct CommInfo {
  std::uint64_t key = 0;
  std::string name;  ///< valid UTF-8: invalid bytes were replaced by U+FFFD
  int size = 0;
  int remote_size = 0;
  bool foreign = false;
  bool merged = false;
  int rank = -1;  ///< of this process in it; -1 not known
};

/// A place in the code, as the recorder knows it: a return address in the terms of its file, or a line of Python.
struct CodeFrame {
  std::string module;    ///< path of the executable, library or Python file; "" unknown
  std::string build_id;  ///< hexadecimal digits, "" if the file has none
  bool python = false;
  std::uint64_t offset = 0;  ///< the return address, or the line
  std::string function;      ///< Python: the qualified name; else ""
  auto operator<=>(const CodeFrame &) const = default;
};

/// What of run --callsites a rank recorded.
struct CallSites {
  int depth = 0;                ///< 0: not asked for
  std::string foreign_python;   ///< version of an interpreter whose frames could not be read, or ""
  std::vector<CodeFrame> frames;
  std::vector<std::vector<std::uint32_t>> sites;  ///< frames, from the one that calls MPI outwards
};

struct CallStats {
  std::string name;  ///< "MPI_Send"
  std::uint64_t calls = 0, errors = 0;
  std::uint64_t total = 0, min = 0, max = 0;  ///< ticks
  double sum_sq = 0;                          ///< ticks squared
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  std::vector<std::uint64_t> histogram;  ///< wire::histogram_buckets counts, durations in ticks
};

struct Signature {
  std::string call;          ///< "MPI_Waitall"
  std::string request_call;  ///< of a wait: "MPI_Irecv"; "" otherwise
  std::uint32_t comm = 0xffffffffu;  ///< index into RankRecord::comms, wire::none_comm
  int peer = -1;             ///< world rank, -1 none, -2 several (folded)
  int root = -1;
  int tag = -1;              ///< -1 none, -2 several (folded)
  std::int64_t bytes = -1;
  std::uint64_t calls = 0, completions = 0, errors = 0;
  std::uint64_t total = 0, min = 0, max = 0;
  double sum_sq = 0;
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  std::uint32_t site = 0;  ///< 1 + index into CallSites::sites; 0 none; wire::site_other
};

/// The call that a rank was in when it ended, of one thread.
struct InCall {
  std::string call;
  int peer = -1, tag = -1;
  std::int64_t bytes = -1;
  std::uint32_t comm = 0xffffffffu;
  std::uint64_t since = 0;  ///< ticks
  std::string request_call;  ///< of a wait: the operation of its first request, as far as known; peer and tag are its
  std::uint32_t site = 0;    ///< as in Signature
};

struct Folded {
  std::uint64_t tags = 0, bytes = 0, peers = 0, communicators = 0, sites = 0;
};

/// A region of a process: a name within a parent. Equal paths of several threads are several of them.
struct Region {
  std::string name;       ///< valid UTF-8
  std::string file;       ///< "" unknown
  int line = 0;
  int parent = -1;        ///< index of a region before this one; -1: at the top
  std::uint64_t calls = 0;                    ///< that ended
  std::uint64_t total = 0, min = 0, max = 0;  ///< ticks; min and max mean nothing without calls
  std::uint64_t mpi_ticks = 0, mpi_calls = 0;  ///< inside, children included
  std::uint64_t begin = 0;     ///< ticks, of the call that had not ended; 0: none
};

/// Begins and ends of one name that found no partner.
struct Unpaired {
  std::string name;
  std::uint64_t unmatched = 0, unclosed = 0;
};

/// What a process recorded about its regions.
struct Regions {
  std::vector<Region> regions;
  std::vector<Unpaired> unpaired;
  std::uint64_t folded = 0;     ///< calls beyond the limits
  int launcher_rank = -1;       ///< as its environment said
  bool exited = false;          ///< the process ended by itself
  double cost_ticks = 0;        ///< calibrated cost of a begin and its end
  std::uint64_t last_seen = 0;  ///< ticks: when it ended, or the latest instant known
};

struct RankRecord {
  std::filesystem::path source;  ///< the file that it was read from
  bool from_live_block = false;  ///< there was no dump
  std::string run_id, host, boot_id, executable, library, family;  ///< family: "openmpi", "mpich", "unknown"
  std::string world_key, parent_key;
  int standard_major = 0, standard_minor = 0;
  int thread_level = -1;
  int rank = -1, size = 0;
  std::uint32_t pid = 0;
  std::uint64_t start_time = 0;
  RankStatus status = RankStatus::recovered;
  int abort_code = 0;
  int signal = 0;  ///< 0 unless status is killed; filled by the launcher
  std::vector<InCall> in_call;
  std::string clock;  ///< "tsc" or "monotonic"
  TickScale scale;
  std::uint64_t unix_ns = 0;
  std::uint64_t begin = 0, end = 0;  ///< ticks; begin 0: MPI_Init was never entered; end 0: not known
  std::uint64_t last_seen = 0;       ///< ticks: `end`, or the latest instant known where that is 0
  std::uint64_t mpi_ticks = 0;       ///< union over threads of outermost calls
  int threads = 1;
  std::uint64_t cpu_ns = 0, max_rss_bytes = 0;
  double cost_ticks = 0;  ///< calibrated cost of recording one call
  std::uint64_t untracked_requests = 0, lost_entries = 0, abandoned = 0;
  Folded folded;
  std::vector<CommInfo> comms;
  CallSites callsites;
  std::vector<CallStats> calls;
  std::vector<Signature> signatures;
  Regions regions;
  bool regions_only = false;  ///< a block of regions; in a Collected: of a process without MPI calls
  bool detached = false;      ///< calls, signatures, call sites and regions are not here, whole_record() reads them
  std::filesystem::path regions_source;  ///< the block that `regions` came from, where it was not `source`
  std::uint64_t call_count = 0;          ///< of a detached record: the sum over calls
};

/// Drops what grows with the number of different calls, so that the records of a hundred thousand ranks can be held at once.
void detach(RankRecord &record);

/// The record with what detach() dropped, read again; what else was changed since stays. Throws support::Error where a file is no
/// longer what it was. Copies a record that is not detached.
RankRecord whole_record(const RankRecord &record);

/// Sum over `calls`, of a detached record, too.
std::uint64_t calls_of(const RankRecord &record);

/// Extends the scale to an instant of the same machine that the caller read itself (equal boot ids): a rank that was killed soon
/// after its start left two instants too close to tell the clock's rate. Earlier instants change nothing. last_seen stays.
void refine_scale(RankRecord &record, std::uint64_t now_ticks, std::uint64_t now_ns);

/// Reads a rank dump (share/schema/rank-dump.schema.json). Throws support::Error with file, position and reason for a file
/// that is empty, truncated, not a dump, inconsistent, or of a newer major version.
RankRecord read_rank_dump(const std::filesystem::path &file);
RankRecord parse_rank_dump(const std::string &text, const std::filesystem::path &name);

/// Reads a live block (lib/wire/live_block.hpp), whatever state the rank left it in. Nothing in the file is trusted.
/// Throws support::Error like read_rank_dump. Status is `finalized`, `exited` or `aborted` where the block says so,
/// else `recovered`. Threads are added up; equal keys become one signature.
RankRecord read_live_block(const std::filesystem::path &file);

}  // namespace scope::model

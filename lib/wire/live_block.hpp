#pragma once
// The live block: a file in the run directory that a rank maps shared and keeps valid at every instant, so that what it
// counted survives however it ends. One Header, then a chain of items, each with an ItemHeader, up to Header::used.
//
// All numbers are of the machine that wrote them. Times are ticks of Header::clock unless said. A reader must treat every
// field as untrusted: a rank may have died in the middle of an update, and the file may be damaged.

#include <cstddef>
#include <cstdint>

namespace scope::wire {

inline constexpr char live_magic[8] = {'S', 'C', 'O', 'P', 'E', 'L', 'I', 'V'};
inline constexpr std::uint32_t live_version = 2;

/// Value of peer, root and tag where there is none.
inline constexpr std::int32_t none = -1;

enum class Family : std::uint32_t { unknown, open_mpi, mpich };
enum class ClockKind : std::uint32_t { monotonic, tsc };

/// How far the process came. `aborted` is set on the way into MPI_Abort.
enum class State : std::uint32_t { before_init, running, finalized, exited, aborted };

/// What the items of a block are about. A process with MPI calls and regions has a block of each.
enum class Holds : std::uint32_t { calls, regions };

/// The same instant on the two clocks.
struct ClockPair {
  std::uint64_t ticks;
  std::uint64_t monotonic_ns;
};

/// What the bound on entries made coarser; each is the number of entries that were redirected. Totals stay exact.
struct Folded {
  std::uint64_t tags;
  std::uint64_t bytes;
  std::uint64_t peers;
  std::uint64_t communicators;  ///< communicators beyond comm_limit, counted under the last record
  std::uint64_t sites;          ///< call sites beyond the limits, counted as site_other
};

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_bytes;
  std::uint64_t table_hash;  ///< mpi_calls.hpp
  char run_id[48];
  char host[128];
  char boot_id[40];
  char executable[512];
  char library[256];    ///< first line of MPI_Get_library_version
  char world_key[64];   ///< equal for all ranks of one MPI_COMM_WORLD, different for any two of them within a run
  std::uint64_t start_time;  ///< field 22 of /proc/PID/stat
  std::uint32_t pid;
  Family family;
  std::int32_t rank;    ///< in MPI_COMM_WORLD, none before MPI_Init
  std::int32_t size;
  char parent_key[64];  ///< of a spawned world, "" otherwise
  std::int32_t standard_major, standard_minor;
  std::int32_t thread_level;  ///< 0 single .. 3 multiple, none if unknown
  State state;
  std::int32_t abort_code;
  ClockKind clock;
  std::uint64_t unix_ns;  ///< CLOCK_REALTIME at `first`
  ClockPair first;        ///< when the block was made
  ClockPair last;         ///< refreshed now and then, and at the end
  std::uint64_t begin;    ///< entry of MPI_Init, 0 before
  std::uint64_t end;      ///< return of MPI_Finalize, or exit; 0 before
  std::uint64_t clock_ticks;  ///< what reading the clock adds to a duration; taken out of those below 1 us
  std::uint64_t used;     ///< bytes of the file that hold items, header included; advances after the item is valid
  std::uint64_t cost_ticks_x256;  ///< calibrated cost of recording one call, in 1/256 ticks
  std::uint64_t mpi_union;     ///< ticks that at least one thread was inside MPI, up to union_until
  std::uint64_t union_until;   ///< 0 while one thread only has called MPI: then the sum over calls is the union
  std::uint64_t cpu_ns;        ///< user + system time of the process, at the dump
  std::uint64_t max_rss_bytes; ///< at the dump
  std::uint64_t untracked_requests;  ///< requests beyond the request map's bound
  std::uint64_t lost_entries;  ///< updates that found no memory for an entry; their times are in the call's statistics
  std::uint64_t abandoned;     ///< calls left by an exception or longjmp; they count with no duration
  Folded folded;
  std::uint32_t threads;       ///< thread items made so far
  std::uint32_t dumped;        ///< 1 once the rank dump is in place
  std::uint32_t site_depth;    ///< frames of a call site that are recorded, 0: none (run --callsites)
  Holds holds;
  char foreign_python[24];     ///< version of an interpreter whose frames the recorder can't read, else ""
};

/// Sum of squares of durations, 128 bits: integer arithmetic leaves the program's floating-point flags alone.
struct SumSquares {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t low, high;
  void add(std::uint64_t value) {
    Wide sum = (static_cast<Wide>(high) << 64 | low) + static_cast<Wide>(value) * value;
    low = static_cast<std::uint64_t>(sum);
    high = static_cast<std::uint64_t>(sum >> 64);
  }
  void add(const SumSquares &other) {
    unsigned long long sum;
    high += other.high + __builtin_uaddll_overflow(low, other.low, &sum);
    low = sum;
  }
  double value() const { return static_cast<double>(high) * 18446744073709551616.0 + static_cast<double>(low); }
};

enum class Item : std::uint32_t { thread = 1, entries = 2, call_stats = 3, comms = 4, modules = 5, frames = 6, sites = 7,
                                 region_names = 8, regions = 9, region_counts = 10 };  // of Holds::regions: region_block.hpp

struct ItemHeader {
  Item type;
  std::uint32_t thread;  ///< number of the thread item that owns it (0, 1, ...); 0 for comms
  std::uint64_t bytes;   ///< of the whole item, a multiple of 64
};

/// The call that a thread is in. `call` is Call::none outside.
struct Current {
  std::uint16_t call;
  std::uint16_t request_call;  ///< of a wait: the operation of the first request, else Call::none
  std::uint32_t comm;          ///< index of the communicator, none_comm if unknown
  std::int32_t peer;           ///< world rank, none
  std::int32_t tag;
  std::int64_t bytes;          ///< none when not known before the call
  std::uint64_t since;         ///< ticks; 0 once the call is booked
  std::uint32_t site;          ///< as in EntryKey
  std::uint32_t reserved;
};

inline constexpr std::uint32_t none_comm = 0xffffffffu;

/// A finished outermost call of a thread, for the union over threads.
struct Interval {
  std::uint64_t begin, end;
};
inline constexpr std::uint32_t interval_count = 128;

struct alignas(64) ThreadItem {
  ItemHeader header;
  std::uint64_t mpi_ticks;   ///< sum of this slot's outermost calls
  std::uint64_t last_end;    ///< when the last of them returned: the latest instant known of a thread that computes
  std::uint32_t tid;         ///< of the thread that uses the slot now or used it last
  std::uint32_t in_use;
  Current current;
  std::uint32_t interval_head;  ///< a ring: intervals[i % interval_count] for i from tail to head - 1 (both only grow, modulo
  std::uint32_t interval_tail;  ///< 2^32) wait to be added to Header::mpi_union; used once a second thread has called MPI
  Interval intervals[interval_count];
};

/// What an entry counts. Equal keys of different threads are added up by readers.
struct EntryKey {
  std::uint16_t call;
  std::uint16_t request_call;  ///< of a wait: the completed operation, else Call::none
  std::uint32_t comm;          ///< index into the communicators of this block, none_comm
  std::int32_t peer;           ///< world rank; none; folded_peer
  std::int32_t root;           ///< rank in the communicator, as the program gave it
  std::int32_t tag;            ///< none; folded_tag
  std::uint32_t site;          ///< 1 + index of the call site in this block; 0: not recorded; site_other
  std::int64_t bytes;          ///< of one call: what it sent, or received if it sent nothing; none if unknown
};
inline constexpr std::int32_t folded = -2;  ///< in peer or tag: several values together
inline constexpr std::uint32_t site_other = 0xffffffffu;  ///< sites beyond the limits together

struct Entry {
  EntryKey key;
  std::uint64_t calls;
  std::uint64_t completions;  ///< of a wait: requests completed. A wait counts as a call in its first request's entry only
  std::uint64_t errors;
  std::uint64_t total;         ///< ticks; a wait on several requests shares its time out to their entries
  std::uint64_t min, max;      ///< ticks of whole calls
  SumSquares sum_sq;           ///< ticks squared of whole calls, in the first entry only
  std::uint64_t bytes_sent, bytes_received;
};
static_assert(sizeof(EntryKey) == 32 && sizeof(Entry) == 112);

struct alignas(64) EntriesItem {
  ItemHeader header;
  std::uint32_t count;     ///< entries that are valid; advances after the key was written
  std::uint32_t capacity;
  // Entry entries[capacity] follow
  Entry *entries() { return reinterpret_cast<Entry *>(this + 1); }
  const Entry *entries() const { return reinterpret_cast<const Entry *>(this + 1); }
};

/// Log-linear histogram: 8 buckets an octave, so that a bucket is at most 12.5 % wide. Values below 8 have a bucket each.
inline constexpr int histogram_buckets = 8 + 8 * 44;
constexpr int histogram_bucket(std::uint64_t value) {
  int shift = (63 ^ __builtin_clzll(value | 8)) - 3;
  int bucket = 8 * shift + static_cast<int>(value >> shift);
  return bucket < histogram_buckets ? bucket : histogram_buckets - 1;
}
/// Smallest value of a bucket; bucket histogram_buckets gives the end of the last one.
constexpr std::uint64_t histogram_lower(int bucket) {
  if (bucket < 8) return static_cast<std::uint64_t>(bucket);
  int octave = bucket / 8 + 2;
  return (8ull + static_cast<std::uint64_t>(bucket % 8)) << (octave - 3);
}

/// A procedure's histogram of whole calls in one thread, and what found no memory for an entry: the figures of the procedure
/// are the sums (minima, maxima) over its entries and these.
///
/// The last call is not in the histogram yet, the next one adds it: a store to an address that follows from a reading of the
/// time-stamp counter keeps the next reading waiting for 8 ns, one to an address that is known does not.
struct alignas(64) CallStatsItem {
  ItemHeader header;
  std::uint16_t call;
  std::uint16_t last_bucket;  ///< 1 + that of the last call; 0: none, also in what earlier recorders of this version wrote
  std::uint16_t reserved[2];
  std::uint64_t calls, errors;
  std::uint64_t total, min, max;
  SumSquares sum_sq;
  std::uint64_t bytes_sent, bytes_received;
  std::uint64_t histogram[histogram_buckets];

  void note(std::uint64_t duration) {
    if (last_bucket) ++histogram[last_bucket - 1];
    last_bucket = static_cast<std::uint16_t>(histogram_bucket(duration) + 1);
  }
  /// How many calls there were in a bucket of 0 .. histogram_buckets - 1.
  std::uint64_t calls_in(int bucket) const { return histogram[bucket] + (last_bucket == bucket + 1); }
};

inline constexpr std::uint32_t comm_limit = 1024;  ///< communicators that get a record of their own

struct CommRecord {
  std::uint64_t key;     ///< equal on all ranks of the communicator, different for any two of a world
  std::int32_t size;     ///< of the local group
  std::int32_t remote_size;  ///< of an intercommunicator, else 0
  std::uint16_t foreign; ///< 1 if the remote group is of another world: peers are ranks of that group
  std::uint16_t merged;  ///< 1 for the record that stands for all communicators beyond comm_limit
  std::int32_t rank_plus_1;  ///< 1 + this process's rank in it; 0 not known
  char name[128];        ///< as the library gives it, not necessarily UTF-8; "" if none
};

// Call sites: the code that calls MPI, from the calling frame outwards. Frames and modules are shared between sites. Addresses
// are kept as offsets into their file, so that they are equal in all ranks and runs whatever the loader did.

inline constexpr std::uint32_t site_depth_limit = 15;
inline constexpr std::uint32_t module_limit = 256, frame_limit = 8192, site_limit = 8192;

/// A file that code comes from.
struct ModuleRecord {
  char path[480];        ///< as the loader or the interpreter names it, not necessarily UTF-8
  std::uint8_t build_id[20];
  std::uint32_t build_id_bytes;  ///< 0: none
  std::uint32_t python;  ///< 1: a Python source file
  std::uint32_t reserved;
};
static_assert(sizeof(ModuleRecord) == 512);

struct FrameRecord {
  std::uint64_t offset;  ///< native: the return address in the terms of the file (p_vaddr); Python: the line
  std::uint32_t module;  ///< index of the module, none_module
  std::uint32_t reserved;
  char function[80];     ///< Python: the function's qualified name; native: ""
};
inline constexpr std::uint32_t none_module = 0xffffffffu;

struct SiteRecord {
  std::uint32_t count;   ///< of frames, at least 1
  std::uint32_t frames[site_depth_limit];
};

/// A part of the modules, frames or sites.
template <class Record>
struct alignas(64) RecordsItem {
  ItemHeader header;
  std::uint32_t first;     ///< index of records[0]
  std::uint32_t count;     ///< valid records; advances after the record was written
  std::uint32_t capacity;
  std::uint32_t reserved;
  Record *records() { return reinterpret_cast<Record *>(this + 1); }
  const Record *records() const { return reinterpret_cast<const Record *>(this + 1); }
};

inline constexpr std::uint64_t comm_key_world = 0, comm_key_self = 1, comm_key_merged = 2;

struct alignas(64) CommsItem {
  ItemHeader header;
  std::uint32_t first;     ///< index of records[0]
  std::uint32_t count;     ///< valid records
  std::uint32_t capacity;
  std::uint32_t reserved;
  CommRecord *records() { return reinterpret_cast<CommRecord *>(this + 1); }
  const CommRecord *records() const { return reinterpret_cast<const CommRecord *>(this + 1); }
};

}  // namespace scope::wire

#pragma once
// The trace block: the timeline of a rank while it runs (run --trace), a file in the run directory beside the live block. A
// TraceHeader, then from trace_items_at on a chain of items up to TraceHeader::used. As there, readers trust nothing in it.
//
// Events are stored into a small area of their thread that is mapped shared, so that they survive whatever ends the process. When it
// is full they are packed (trace_packing.hpp) and written behind the last item: the page cache has them then. Mapping room for all
// of them instead costs a fault every 170 events, 60 to 80 ns each on a file system with a journal.
//
// An event names its signature by the place of the live block's entry that the call was booked in; the keys of these entries are
// repeated here, since the live block is gone once the rank dump is written. What the region library records is a trace block of
// its own, whose events name regions by number.

#include "wire/live_block.hpp"

namespace scope::wire {

inline constexpr char trace_magic[8] = {'S', 'C', 'O', 'P', 'E', 'T', 'R', 'C'};
inline constexpr std::uint32_t trace_version = 1;
inline constexpr std::uint64_t default_trace_limit = 64u << 20;  ///< bytes a rank, of calls; regions have as much again
inline constexpr std::uint64_t least_trace_limit = 1u << 20;

/// How far this node's CLOCK_MONOTONIC was from the launcher's, at one instant.
struct ClockOffset {
  std::uint64_t at_ns;      ///< CLOCK_MONOTONIC of this node; 0: not measured
  std::int64_t offset_ns;   ///< to be added to this node's to get the launcher's
  std::uint64_t error_ns;   ///< half the shortest round trip: the offset is right within so much
};

struct TraceHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_bytes;
  std::uint64_t table_hash;  ///< mpi_calls.hpp
  char run_id[48];
  char host[128];
  char boot_id[40];
  std::uint64_t start_time;  ///< field 22 of /proc/PID/stat
  std::uint32_t pid;
  Holds holds;
  ClockKind clock;
  std::uint32_t threads;     ///< that have recorded an event: numbers 0 to threads - 1
  ClockPair first;           ///< when the block was made
  ClockPair last;            ///< when an item was added last, and at the end
  std::uint64_t used;        ///< bytes of the file that hold items, header included; advances after the item is valid
  std::uint64_t limit;       ///< bytes that it may grow to
  std::uint64_t full_since;  ///< ticks: the earliest begin of an event that found no room; 0: all are here
  std::uint64_t dropped;     ///< events that found no room
  std::int32_t error;        ///< errno that kept the file from growing; 0: the limit did
  std::int32_t reserved;
  ClockOffset offsets[2];    ///< before MPI_Init, after MPI_Finalize
};

inline constexpr std::uint64_t trace_items_at = 4096;

/// Values of ItemHeader::type in a trace block.
inline constexpr Item item_trace_active = static_cast<Item>(64);  ///< TraceActiveItem, mapped by the process
inline constexpr Item item_trace_keys = static_cast<Item>(65);    ///< TraceKeysItem, mapped by the process
inline constexpr Item item_trace_packed = static_cast<Item>(66);  ///< TracePackedItem
inline constexpr Item item_trace_filler = static_cast<Item>(67);  ///< room before an item that is mapped: those begin on a page

/// What a TraceEvent says, in the two highest bits of TraceEvent::entry.
enum class TraceKind : std::uint32_t { call, further, detail, region };

/// One event, 24 bytes, or two where a detail follows.
///  call     begin and end in ticks; the entry that it was booked in
///  further  of the call before it: a request that it completed or started, too; begin and end unused (0)
///  detail   of the call or further event before it: what was received, or what the entry had no room for (see Detail)
///  region   begin and end; the region's number
struct TraceEvent {
  std::uint64_t begin, end;
  std::uint32_t entry;    ///< kind in bits 30-31; thread of `start` in bits 20-29; in bits 0-19 (offset of the entry in the live
                          ///< block) / 16, the region's number, or the Detail
  std::uint32_t start;    ///< of what completes a request: 1 + number, in its thread, of the event that began it; 0 none
};
static_assert(sizeof(TraceEvent) == 24);

/// What a detail event is. `begin` holds the bytes, `end` the peer (low half) and the tag (high half).
enum class Detail : std::uint32_t {
  received,  ///< the receiving half of MPI_Sendrecv or MPI_Isendrecv
  exact      ///< peer, tag and bytes of a call whose entry is folded (EntryKey, live_block.hpp)
};

inline constexpr std::uint32_t trace_thread_limit = 1024;    ///< threads whose events are kept
inline constexpr std::uint32_t trace_entry_bits = 20;

/// The latest events of a thread number, in the order in which they ended. Those whose number is below the end of the thread
/// number's last packed item are there already: the process ended between packing them and emptying this.
struct alignas(64) TraceActiveItem {
  ItemHeader header;
  std::uint32_t count;     ///< valid events; advances after the event was written
  std::uint32_t capacity;
  std::uint64_t first;     ///< number of events[0] in its thread number
  std::uint32_t tid;       ///< of the thread that uses the number now, or used it last: calls and regions are brought together by it
  std::uint32_t reserved;
  TraceEvent *events() { return reinterpret_cast<TraceEvent *>(this + 1); }
  const TraceEvent *events() const { return reinterpret_cast<const TraceEvent *>(this + 1); }
};

/// Earlier events of a thread number, packed; the items of a number follow each other.
struct alignas(64) TracePackedItem {
  ItemHeader header;
  std::uint32_t count;     ///< of events
  std::uint32_t bytes;     ///< that they take, behind this
  std::uint64_t first;
  std::uint32_t tid;
  std::uint32_t reserved;
  const unsigned char *packed() const { return reinterpret_cast<const unsigned char *>(this + 1); }
};

/// The key of an entry of the live block.
struct TraceKey {
  std::uint32_t entry;     ///< (offset of the entry in the live block) / 16
  std::uint32_t reserved;
  EntryKey key;
};
static_assert(sizeof(TraceKey) == 40);
struct alignas(64) TraceKeysItem {
  ItemHeader header;
  std::uint32_t count;
  std::uint32_t capacity;
  std::uint64_t reserved;
  TraceKey *keys() { return reinterpret_cast<TraceKey *>(this + 1); }
  const TraceKey *keys() const { return reinterpret_cast<const TraceKey *>(this + 1); }
};

}  // namespace scope::wire

#pragma once
// Regions that a program marks: a block in the run directory like that of its MPI calls (live_block.hpp, Holds::regions), made by
// the region library. Header::first, last, end and state are of the process: `end` is set when it exits by itself.

#include <cstddef>
#include <cstdint>

#include "wire/live_block.hpp"

namespace scope::wire {

inline constexpr std::uint32_t region_limit = 8192;      ///< nodes a process, of all its threads
inline constexpr std::uint32_t region_name_limit = 4096;
inline constexpr std::uint32_t region_depth_limit = 64;  ///< regions open at once in a thread that are told apart

/// A name, and where it was first seen. Of RecordsItem<RegionName>, Item::region_names.
struct RegionName {
  char name[128];  ///< as the program gave it, cut; not necessarily UTF-8
  char file[240];  ///< "" unknown
  std::uint32_t line;
  std::uint32_t reserved;
  std::uint64_t unmatched;  ///< ends without a begin
  std::uint64_t unclosed;   ///< begins whose end never came, closed with the region around them or with their thread
};
static_assert(sizeof(RegionName) == 392);

/// A path of one thread: a name within a parent. It is open once at a time, since a region that is called in itself is a child.
/// Of RecordsItem<Region>, Item::regions, numbered from 0 through all items. Equal paths are added up by readers.
struct alignas(64) Region {
  std::uint64_t calls;      ///< that ended
  std::uint64_t total, min, max;
  std::uint64_t mpi_ticks;  ///< of outermost MPI calls of this thread inside, children included
  std::uint64_t mpi_calls;
  std::uint64_t begin;      ///< of the call that is open; 0: none
  std::uint64_t mpi_ticks_at_begin;
  std::uint64_t mpi_calls_at_begin;
  std::uint64_t last_end;
  std::uint32_t name;       ///< index
  std::uint32_t parent;     ///< index of a region before this one, none_region
  std::uint64_t recorder[5];  ///< pointers of the recording process: no meaning to readers
};
static_assert(sizeof(Region) == 128);
inline constexpr std::uint32_t none_region = 0xffffffffu;

struct alignas(64) RegionCountsItem {
  ItemHeader header;
  std::uint64_t folded;        ///< calls beyond the limits: their time is in the region around them
  std::int32_t launcher_rank;  ///< what the launcher's environment says, none; processes that fork inherit it
  std::uint32_t reserved;
};

/// What the shim counts for each of its threads, in thread-local memory, so that regions know the MPI time inside them.
struct ThreadTotals {
  std::uint64_t mpi_ticks;  ///< of outermost calls since the thread began
  std::uint64_t mpi_calls;
};

/// Where ThreadTotals are: the same distance from the thread pointer in every thread. An ELF note of the shim leads to it, since
/// the shim exports no name of its own. 0: no MPI call was made yet.
struct Meeting {
  std::int64_t totals_offset;
};
inline constexpr char meeting_note_name[] = "scope-profiler";
inline constexpr std::uint32_t meeting_note_type = 1;  ///< 8 bytes: the distance of the Meeting from this field

}  // namespace scope::wire

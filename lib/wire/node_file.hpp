#pragma once
// The node file (run --collect node and mpi): the dumps of one world's ranks on one node, in one file. A rank claims a slot at
// MPI_Init and fills it at its end; nobody waits for anybody. Until a slot is complete the live block of its process is the truth.
//
// NodeHeader, `capacity` slots, payloads. The counters of the header are changed by atomic additions through shared mappings of its
// page; all else is written with pwrite, by one process each or with equal bytes by all. Numbers are of the machine that wrote
// them. A reader trusts nothing, and needs none of the counters: they may lag behind on a network file system.

#include <cstddef>
#include <cstdint>

namespace scope::wire {

inline constexpr char node_magic[8] = {'S', 'C', 'O', 'P', 'E', 'N', 'O', 'D'};
inline constexpr std::uint32_t node_version = 1;
inline constexpr std::uint32_t node_slot_limit = 4096;  ///< ranks of later claims write files of their own

/// All of it lies in the first 512 bytes: in one block of any file system, so that who has written a part of it can store to the
/// rest on a full disk.
struct NodeHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_bytes;  ///< where the slots begin
  std::uint32_t slot_bytes;
  std::uint32_t capacity;      ///< slots
  std::uint64_t payload_at;    ///< first byte behind the slots
  std::uint64_t sum;           ///< node_sum of all fields but the counters
  std::uint64_t reserved[3];
  // Counters.
  std::uint64_t claimed;  ///< slots
  std::uint64_t members;  ///< processes that claimed one; a process whose dump is written anew takes another slot
  std::uint64_t written;  ///< of them, those whose dump is complete
  std::uint64_t tail;     ///< bytes behind payload_at that are given out
  std::uint32_t outcome;  ///< NodeOutcome
  std::uint32_t reserved_counters[7];
  // What it is about.
  char run_id[48];
  char host[128];
  char boot_id[40];
  char world_key[64];
};
inline constexpr std::size_t node_counters_at = 64, node_texts_at = 128;
static_assert(offsetof(NodeHeader, claimed) == node_counters_at && offsetof(NodeHeader, run_id) == node_texts_at && sizeof(NodeHeader) <= 512);

/// What became of handing the file over (--collect mpi).
enum class NodeOutcome : std::uint32_t { open, handed_over };

enum class NodeSlotState : std::uint32_t { free, claimed, complete };
/// What a slot holds: a rank dump; or, in files that were handed over, a block of the process as it was.
enum class NodeSlotKind : std::uint32_t { dump = 1, regions, trace_calls, trace_regions };

struct NodeSlot {
  NodeSlotState state;
  NodeSlotKind kind;
  std::int32_t rank;
  std::uint32_t pid;
  std::uint64_t start_time;
  std::uint64_t offset;  ///< of the payload in the file
  std::uint64_t bytes;
  std::uint64_t sum;     ///< node_slot_sum
  std::uint64_t pid_namespace;  ///< inode; pids of different ones are not comparable
  std::uint64_t reserved;
};
static_assert(sizeof(NodeSlot) == 64);

inline constexpr std::uint32_t node_header_bytes = 4096;
constexpr std::uint64_t node_payload_at(std::uint64_t capacity) { return node_header_bytes + (capacity * sizeof(NodeSlot) + 4095) / 4096 * 4096; }

/// FNV-1a, over several parts one after the other.
inline constexpr std::uint64_t node_sum_begin = 14695981039346656037u;
inline std::uint64_t node_sum(std::uint64_t sum, const void *bytes, std::size_t size) {
  const unsigned char *at = static_cast<const unsigned char *>(bytes);
  for (std::size_t i = 0; i < size; ++i) sum = (sum ^ at[i]) * 1099511628211u;
  return sum;
}

/// Of the fields that do not change.
inline std::uint64_t node_header_sum(const NodeHeader &header) {
  std::uint64_t sum = node_sum(node_sum_begin, header.magic, offsetof(NodeHeader, sum));
  return node_sum(sum, header.run_id, sizeof(NodeHeader) - node_texts_at);
}

/// Of the payload, whose node_sum is given, and of what the slot says about it.
inline std::uint64_t node_slot_sum(const NodeSlot &slot, std::uint64_t payload_sum) {
  return node_sum(payload_sum, &slot.kind, offsetof(NodeSlot, sum) - offsetof(NodeSlot, kind));
}

// run --collect mpi: what nodes' leaders and the rank that takes over say to each other, on a communicator of its own.
enum class HandTag : int { place = 1, announce, answer, data };

/// A leader to the rank that takes over.
struct HandAnnouncement {
  std::uint64_t bytes;    ///< of the node file as it will be sent; 0: nothing can be sent, or (in MPI_Init) nothing is known yet
  std::uint64_t ranks;
  char host[128];
  char boot_id[40];
  char directory[256];    ///< where the data are
};
/// And back: first whether to send, then whether all of it is there.
enum class HandAnswer : std::uint64_t { no, go, done };
inline constexpr std::size_t hand_chunk_bytes = 1u << 20;

}  // namespace scope::wire

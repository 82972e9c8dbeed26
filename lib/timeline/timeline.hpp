#pragma once
// A timeline (run --trace): when every call began and ended, on every rank. Plain structs, the form in memory; timeline/file.hpp
// is the side file. Instants are nanoseconds on one time line for all ranks: 0 is the earliest instant that was recorded.
// Nothing here is synchronised: one thread at a time.

#include <cstdint>
#include <string>
#include <vector>

#include "wire/mpi_calls.hpp"

namespace scope::timeline {

inline constexpr std::uint32_t none = 0xffffffffu;

/// What an event says.
enum class Kind : std::uint8_t {
  call,        ///< an outermost MPI call. Of a wait that completed something: the first request that it completed
  completion,  ///< a further request completed by the `call` before it on the same thread: same begin and end
  start,       ///< a further persistent request started by the `call` before it (MPI_Startall): same begin and end
  receive,     ///< the receiving half of the `call` or `completion` before it (MPI_Sendrecv, MPI_Isendrecv): same begin and end
  region       ///< a user region, from begin to end
};

/// What was called with what: what events have in common. Ranks are world ranks, as in the profile's signatures.
struct Signature {
  wire::Call call = wire::Call::none;          ///< "MPI_Waitall"
  wire::Call request_call = wire::Call::none;  ///< of a wait: the completed operation; of MPI_Start(all): the started one; else none
  std::int32_t comm = -1;   ///< Timeline::communicators[].id, which is the profile's; -1 unknown
  std::int32_t peer = -1;   ///< destination; the actual source of what was received (MPI_ANY_SOURCE of a receive that begins: -1)
  std::int32_t root = -1;   ///< rank in the communicator
  std::int32_t tag = -1;    ///< likewise the actual one once received; -1 none or any
  std::int64_t bytes = -1;  ///< of one call or message; -1 unknown
  std::uint32_t site = 0;   ///< 1 + index of the call site of that rank; 0 none
  bool operator==(const Signature &) const = default;
};

/// 32 bytes. Events of a rank are ordered by `begin`; of those that begin together (a call within a region, completions of a
/// call) the outer one, or the call, comes first.
struct Event {
  std::int64_t begin = 0, end = 0;  ///< nanoseconds, begin <= end
  std::uint32_t what = 0;    ///< index into Timeline::signatures; of a region: into Timeline::regions
  std::uint32_t start = none;  ///< of what completes a request (call of a wait, completion, receive of an MPI_Isendrecv; MPI_Mrecv:
                               ///< its MPI_Mprobe): index, in the same rank, of the event that began it; none if unknown
  std::uint16_t thread = 0;
  Kind kind = Kind::call;
  bool operator==(const Event &) const = default;
};
static_assert(sizeof(Event) == 32);

struct Communicator {
  std::int32_t id = 0;       ///< the profile's
  std::int32_t world = 0;
  std::int32_t size = 0, remote_size = 0;  ///< remote_size > 0: an intercommunicator
  std::vector<std::int32_t> members;  ///< world rank of each rank of the communicator, -1 where that rank did not report; empty
                                      ///< where nothing is known (intercommunicators, merged records)
  bool operator==(const Communicator &) const = default;
};

/// A rank, and what is known of its timeline as a whole.
struct RankInfo {
  std::int32_t world = 0, rank = 0;
  std::string host;
  std::int64_t begin = 0, end = 0;    ///< of the rank: entry of MPI_Init, return of MPI_Finalize or last sign of life
  std::int64_t from = 0, to = 0;      ///< the events are complete in between: to < end where the bound was reached
  std::uint64_t dropped = 0;          ///< events beyond the bound
  std::int64_t clock_error = 0;       ///< instants of this rank are right within so many nanoseconds, against the first node's
  bool recorded = true;               ///< false: this rank has no timeline
  std::uint32_t threads = 1;
  bool operator==(const RankInfo &) const = default;
};

/// What all ranks share. A small part of the file, always in memory.
struct Header {
  std::int64_t start_unix_ns = 0;  ///< CLOCK_REALTIME at 0
  std::string run_id;
  std::vector<RankInfo> ranks;               ///< by world, then rank, as in the profile
  std::vector<Communicator> communicators;   ///< by id
  std::vector<std::string> regions;          ///< paths, as in the profile's regions[].path
  bool operator==(const Header &) const = default;
};

/// A whole timeline.
struct Timeline {
  Header header;
  std::vector<Signature> signatures;
  std::vector<std::vector<Event>> events;  ///< of Header::ranks, one list each
};

}  // namespace scope::timeline

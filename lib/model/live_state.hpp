#pragma once
// A run at one instant: which rank is in which call, and what that call waits for.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/messages.hpp"
#include "model/profile.hpp"
#include "model/rank_record.hpp"

namespace scope::model {

enum class Doing {
  computing,  ///< outside MPI
  asking,     ///< calls MPI_Test, MPI_Iprobe and the like again and again, and gets no
  in_call,
  gone  ///< its process has ended, or it came through MPI_Finalize
};

/// What a call that a rank is in waits for.
enum class Awaits {
  unknown,
  message,   ///< from `peer`, none: from any rank
  receiver,  ///< that `peer` receives
  members    ///< that the other ranks of the communicator make the same call, or begin the same nonblocking one
};

/// What a rank has done so far.
struct LiveCounts {
  std::int64_t calls = 0, bytes_sent = 0, bytes_received = 0;  ///< of calls that returned
  std::int64_t mpi_ns = 0;                                     ///< the call that it is in included
  bool operator==(const LiveCounts &) const = default;
};

struct LiveRank {
  int rank = -1;
  std::string process;  ///< host, pid and start time: the same as long as it lives
  std::string host;
  std::int64_t pid = 0;
  LiveCounts counts;
  Doing doing = Doing::computing;
  Awaits awaits = Awaits::unknown;
  bool certain = true;  ///< false: peer and tag are of one of several requests, or other threads are outside MPI
  bool finalizing = false;
  std::string call;     ///< "MPI_Recv"; while asking, the procedure asked most
  std::string request;  ///< of a wait: "MPI_Irecv"
  int comm = -1;        ///< id of the profile
  int peer = -1, tag = -1;
  std::int64_t bytes = -1;
  std::int64_t since_ns = 0;               ///< how long it is there
  RankStatus end = RankStatus::recovered;  ///< while gone
  std::vector<SiteFrame> site;             ///< where it calls from, where that was asked for
  Messages messages;
  bool counts_all = true;                                     ///< false: MPI_Pcontrol paused the counts
  std::map<int, std::int64_t> collectives;                    ///< by communicator: collective calls that returned
  std::map<std::pair<std::string, int>, std::int64_t> begun;  ///< nonblocking collectives, by procedure and communicator
};

struct LiveCommunicator {
  int id = 0;
  std::string name;
  int size = 0;
  bool world = false;        ///< MPI_COMM_WORLD
  bool between = false;      ///< an intercommunicator
  std::vector<int> members;  ///< those known, ascending; all of MPI_COMM_WORLD
};

struct LiveWorld {
  int id = 0;
  int size = 0;
  bool initialised = true;  ///< false: processes inside or before MPI_Init; they are numbered
  std::vector<LiveRank> ranks;
  std::vector<LiveCommunicator> communicators;
};

/// What is known of a process besides its file.
struct LiveFact {
  bool alive = true;
  bool asking = false;            ///< calls, and none of them did anything
  std::int64_t unchanged_ns = 0;  ///< for how long it has made no progress
};

/// Worlds in which somebody is still there. `facts` by the file that a record was read from. `now_ns`: CLOCK_MONOTONIC, which
/// holds for ranks of the boot `boot_id`; for others the facts say since when.
std::vector<LiveWorld> live_state(const std::vector<RankRecord> &records, const std::map<std::filesystem::path, LiveFact> &facts,
                                  const std::string &boot_id, std::uint64_t now_ns);

}  // namespace scope::model

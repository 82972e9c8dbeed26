#pragma once
// Who waits for whom in one world. Internal to the stall analysis.

#include <map>
#include <string>
#include <vector>

#include "model/live_state.hpp"

namespace scope::analyze {

/// Messages that a rank could receive and has not.
struct Unreceived {
  int source = -1, tag = -1;
  std::int64_t count = 0;
};

/// One rank's view of what it waits for. Everything in it is certain.
struct Wait {
  std::vector<int> on;            ///< all of them must act before the rank can go on
  std::vector<int> elsewhere;     ///< members of the communicator that make another collective call on it instead
  bool unsent = false;            ///< it waits for a message that nobody sent
  std::vector<Unreceived> other;  ///< messages with another tag that are there for it
};

/// A world with its ranks by number.
class WaitGraph {
 public:
  explicit WaitGraph(const model::LiveWorld &world);

  const model::LiveWorld &world() const { return world_; }
  const model::LiveRank *rank(int number) const;
  const Wait &wait(int number) const;
  const model::LiveCommunicator *communicator(int id) const;

  /// A shortest cycle through one of `starts`, beginning there; empty if there is none.
  std::vector<int> shortest_cycle(const std::vector<int> &starts) const;
  /// Whether anybody is left who might send without somebody else's help.
  bool anyone_free() const;

 private:
  Wait wait_of(const model::LiveRank &rank) const;
  void wait_for_message(const model::LiveRank &rank, Wait &wait) const;
  void wait_for_receiver(const model::LiveRank &rank, Wait &wait) const;
  void wait_for_members(const model::LiveRank &rank, Wait &wait) const;
  std::int64_t unreceived(const model::LiveRank &receiver, int source, int comm, int tag) const;
  std::vector<int> path_back(int start) const;

  const model::LiveWorld &world_;
  std::map<int, const model::LiveRank *> ranks_;
  std::map<int, Wait> waits_;
};

}  // namespace scope::analyze

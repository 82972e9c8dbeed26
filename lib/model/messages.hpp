#pragma once
// Point-to-point messages by sender, receiver, communicator and tag, as far as a rank's signatures tell exactly.

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "model/rank_record.hpp"

namespace scope::model {

struct MessageKey {
  int comm = -1;  ///< id of the profile
  int peer = -1;  ///< world rank: receiver of what was sent, sender of what was received
  int tag = -1;
  auto operator<=>(const MessageKey &) const = default;
};

struct Messages {
  bool exact = true;  ///< false: something was folded, lost, paused, freed, cancelled or failed, or came through MPI_Sendrecv
  std::map<MessageKey, std::int64_t> sent, received;
  std::int64_t open_receives = 0;  ///< nonblocking and persistent ones that were started and not completed
};

/// `comm_ids`: the profile's id for each communicator of the record. Intercommunicators are left out.
Messages messages_of(const RankRecord &record, const std::vector<int> &comm_ids);

}  // namespace scope::model

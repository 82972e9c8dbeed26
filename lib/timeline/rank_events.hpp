#pragma once
// The events of one rank, from its trace blocks. Internal to the room.

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "timeline/assemble.hpp"

namespace scope::timeline {

class RankEvents {
 public:
  using ToCommon = std::function<std::int64_t(std::uint64_t ticks)>;

  RankEvents(const model::Placement &placement, const std::vector<std::uint32_t> &regions, SignatureTable &signatures, ToCommon to_common)
      : placement_(placement), regions_(regions), signatures_(signatures), to_common_(std::move(to_common)) {}

  void add_calls(const TraceBlock &block);
  void add_regions(const TraceBlock &block);
  /// All of them, ordered, with Event::start resolved.
  std::vector<Event> take();

 private:
  /// What an event said about the one that it completes: thread number and event number in the block.
  struct Reference {
    std::uint32_t thread = 0, number = 0;  ///< number 0: none
  };

  std::uint16_t thread_of(std::uint32_t tid);
  void set_times(const wire::TraceEvent &event, Event &added) const;
  void add_call_event(const TraceBlock &block, const wire::TraceEvent &event, std::uint16_t thread);
  void add_detail(const wire::TraceEvent &event);
  Signature signature_of(const wire::EntryKey &key) const;
  std::uint32_t resolve(const Reference &reference, const std::vector<std::uint32_t> &place) const;

  const model::Placement &placement_;
  const std::vector<std::uint32_t> &regions_;
  SignatureTable &signatures_;
  ToCommon to_common_;
  std::map<std::uint32_t, std::uint16_t> thread_of_tid_;
  std::unordered_map<std::uint32_t, std::uint32_t> signature_of_entry_;
  std::vector<Event> events_;           ///< a call, then what belongs to it
  std::vector<Reference> references_;   ///< of each
  std::map<std::uint32_t, std::vector<std::uint32_t>> numbers_;  ///< by thread number: from an event's number to its place in events_
};

}  // namespace scope::timeline

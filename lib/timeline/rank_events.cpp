#include "timeline/rank_events.hpp"

#include <algorithm>

namespace scope::timeline {
namespace {

using wire::TraceKind;

TraceKind kind_of(const wire::TraceEvent &event) { return static_cast<TraceKind>(event.entry >> 30); }
std::uint32_t place_of(const wire::TraceEvent &event) { return event.entry & ((1u << wire::trace_entry_bits) - 1); }
std::uint32_t start_thread_of(const wire::TraceEvent &event) { return event.entry >> wire::trace_entry_bits & (wire::trace_thread_limit - 1); }

bool stands_alone(const Event &event) { return event.kind == Kind::call || event.kind == Kind::region; }

bool starts_requests(wire::Call call) {
  const wire::Rule rule = wire::info(call).rule;
  return rule == wire::Rule::START || rule == wire::Rule::STARTALL;
}

/// A folded peer or tag is several together: none that could be named.
std::int32_t named(std::int32_t value) { return std::max(value, -1); }

}  // namespace

std::uint16_t RankEvents::thread_of(std::uint32_t tid) {
  const auto next = static_cast<std::uint16_t>(std::min<std::size_t>(thread_of_tid_.size(), 0xffff));
  return thread_of_tid_.try_emplace(tid, next).first->second;
}

Signature RankEvents::signature_of(const wire::EntryKey &key) const {
  Signature signature;
  signature.call = static_cast<wire::Call>(std::min<std::uint16_t>(key.call, wire::call_count));
  signature.request_call = static_cast<wire::Call>(std::min<std::uint16_t>(key.request_call, wire::call_count));
  if (key.comm < placement_.comm_ids.size()) signature.comm = placement_.comm_ids[key.comm];
  signature.peer = named(key.peer);
  signature.root = named(key.root);
  signature.tag = named(key.tag);
  signature.bytes = std::max<std::int64_t>(key.bytes, -1);
  signature.site = key.site;
  return signature;
}

void RankEvents::set_times(const wire::TraceEvent &event, Event &added) const {
  added.begin = std::max<std::int64_t>(0, to_common_(event.begin));
  added.end = std::max(added.begin, to_common_(event.end));
}

void RankEvents::add_calls(const TraceBlock &block) {
  for (const Segment &segment : block.segments()) thread_of(segment.tid);  // threads are numbered as they appeared
  for (const Segment &segment : block.segments()) {
    const std::uint16_t thread = thread_of(segment.tid);
    std::vector<std::uint32_t> &numbers = numbers_[segment.thread];
    const std::uint64_t most = numbers.size() + (std::uint64_t{1} << 16);  // a part of the file that was lost leaves a gap, a lie none
    if (segment.first > numbers.size() && segment.first < most) numbers.resize(segment.first, none);
    TraceBlock::each(segment, [&](const wire::TraceEvent &event) {
      if (kind_of(event) == TraceKind::detail)
        add_detail(event);
      else
        add_call_event(block, event, thread);
      numbers.push_back(events_.empty() ? none : static_cast<std::uint32_t>(events_.size() - 1));
    });
  }
}

void RankEvents::add_call_event(const TraceBlock &block, const wire::TraceEvent &event, std::uint16_t thread) {
  const std::uint32_t entry = place_of(event);
  auto known = signature_of_entry_.find(entry);
  if (known == signature_of_entry_.end()) {
    auto key = block.keys().find(entry);
    if (key == block.keys().end() || key->second.call >= wire::call_count) return;  // its key found no room any more
    known = signature_of_entry_.emplace(entry, signatures_.add(signature_of(key->second))).first;
  }
  Event added;
  added.what = known->second;
  added.thread = thread;
  if (kind_of(event) == TraceKind::further) {
    if (events_.empty()) return;
    const Event &call = events_.back();
    added.begin = call.begin;
    added.end = call.end;
    added.kind = starts_requests(signatures_.all()[added.what].call) ? Kind::start : Kind::completion;
  } else {
    set_times(event, added);
  }
  events_.push_back(added);
  references_.push_back({start_thread_of(event), event.start});
}

void RankEvents::add_detail(const wire::TraceEvent &event) {
  if (events_.empty()) return;
  Signature signature = signatures_.all()[events_.back().what];
  signature.peer = named(static_cast<std::int32_t>(static_cast<std::uint32_t>(event.end)));
  signature.tag = named(static_cast<std::int32_t>(static_cast<std::uint32_t>(event.end >> 32)));
  signature.bytes = std::max<std::int64_t>(static_cast<std::int64_t>(event.begin), -1);
  const bool received = place_of(event) == static_cast<std::uint32_t>(wire::Detail::received);
  const std::uint32_t what = signatures_.add(signature);
  if (!received) {
    events_.back().what = what;
    return;
  }
  Event half = events_.back();
  half.what = what;
  half.kind = Kind::receive;
  const Reference reference = references_.back();
  events_.push_back(half);
  references_.push_back(reference);
}

void RankEvents::add_regions(const TraceBlock &block) {
  for (const Segment &segment : block.segments()) {
    const std::uint16_t thread = thread_of(segment.tid);
    TraceBlock::each(segment, [&](const wire::TraceEvent &event) {
      if (kind_of(event) != TraceKind::region || place_of(event) >= regions_.size()) return;
      Event added;
      set_times(event, added);
      added.what = regions_[place_of(event)];
      added.thread = thread;
      added.kind = Kind::region;
      events_.push_back(added);
      references_.push_back({});
    });
  }
}

std::uint32_t RankEvents::resolve(const Reference &reference, const std::vector<std::uint32_t> &place) const {
  if (reference.number == 0) return none;
  auto numbers = numbers_.find(reference.thread);
  if (numbers == numbers_.end() || reference.number > numbers->second.size()) return none;
  const std::uint32_t event = numbers->second[reference.number - 1];
  return event == none ? none : place[event];
}

std::vector<Event> RankEvents::take() {
  std::vector<std::uint32_t> heads;
  for (std::uint32_t i = 0; i < events_.size(); ++i)
    if (stands_alone(events_[i])) heads.push_back(i);
  std::stable_sort(heads.begin(), heads.end(), [this](std::uint32_t a, std::uint32_t b) {
    const Event &x = events_[a], &y = events_[b];
    if (x.begin != y.begin) return x.begin < y.begin;
    if (x.end != y.end) return x.end > y.end;
    return x.kind == Kind::region && y.kind != Kind::region;
  });
  std::vector<std::uint32_t> order, place(events_.size());
  order.reserve(events_.size());
  for (std::uint32_t head : heads) {
    std::uint32_t i = head;
    do {
      place[i] = static_cast<std::uint32_t>(order.size());
      order.push_back(i++);
    } while (i < events_.size() && !stands_alone(events_[i]));
  }
  std::vector<Event> ordered;
  ordered.reserve(order.size());
  for (std::uint32_t i : order) {
    Event event = events_[i];
    event.start = resolve(references_[i], place);
    ordered.push_back(event);
  }
  events_ = {};
  references_ = {};
  return ordered;
}

}  // namespace scope::timeline

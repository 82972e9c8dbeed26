#pragma once
// How events are packed in a trace block: some 8 bytes each instead of 24. A head byte, then numbers of 7 bits a byte, the lowest
// first, the highest bit saying that more follow:
//   head         bits 0-1 TraceKind, bit 2: a start follows, bit 3: of another thread number
//   place        bits 0-19 of TraceEvent::entry
//   start        how many events ago that was, signed; of another thread number: that number, then TraceEvent::start
//   call, region begin less the end of the call or region before (signed; 0 before the first of an item), then end less begin
//   detail       begin, then end
// Signed numbers have their sign in the lowest bit. No memory, no library: the recorder runs it in the program's process.

#include "wire/trace_block.hpp"

namespace scope::wire {

inline constexpr unsigned most_packed_bytes = 40;  ///< of one event

class TracePacking {
 public:
  /// For the events of an item.
  TracePacking(std::uint64_t first, std::uint32_t thread) : number_(first), thread_(thread) {}

  /// Appends an event behind `at`, where most_packed_bytes are free; gives the end.
  unsigned char *pack(const TraceEvent &event, unsigned char *at) {
    const std::uint32_t kind = event.entry >> 30, start_thread = event.entry >> trace_entry_bits & (trace_thread_limit - 1);
    const bool starts = event.start != 0, elsewhere = starts && start_thread != thread_;
    *at++ = static_cast<unsigned char>(kind | (starts ? 4u : 0u) | (elsewhere ? 8u : 0u));
    at = put(at, event.entry & place_mask);
    if (elsewhere) at = put(put(at, start_thread), event.start);
    else if (starts) at = put(at, folded_sign(number_ + 1 - event.start));
    if (is_timed(kind)) {
      at = put(put(at, folded_sign(event.begin - end_)), event.end - event.begin);
      end_ = event.end;
    } else if (kind == static_cast<std::uint32_t>(TraceKind::detail)) {
      at = put(put(at, event.begin), event.end);
    }
    ++number_;
    return at;
  }

  /// Takes an event from `at`; gives what follows it, nullptr where there is no event before `end`.
  const unsigned char *unpack(const unsigned char *at, const unsigned char *end, TraceEvent &event) {
    if (at == end) return nullptr;
    const std::uint32_t head = *at++, kind = head & 3;
    std::uint64_t place = 0, start_thread = thread_, start = 0, begin = 0, duration = 0;
    at = get(at, end, place);
    if (at && (head & 8)) at = get(at, end, start_thread);
    if (at && (head & 4)) at = get(at, end, start);
    if (at && (head & 4) && !(head & 8)) start = number_ + 1 - signed_of(start);
    if (at && kind != static_cast<std::uint32_t>(TraceKind::further)) at = get(at, end, begin);
    if (at && kind != static_cast<std::uint32_t>(TraceKind::further)) at = get(at, end, duration);
    if (!at) return nullptr;
    if (is_timed(kind)) {
      begin = end_ + signed_of(begin);
      end_ = begin + duration;
      duration = end_;
    }
    if (!(head & 4)) start_thread = 0;
    event = {begin, duration, kind << 30 | static_cast<std::uint32_t>(start_thread & (trace_thread_limit - 1)) << trace_entry_bits |
                                  static_cast<std::uint32_t>(place & place_mask), static_cast<std::uint32_t>(start)};
    ++number_;
    return at;
  }

 private:
  static constexpr std::uint32_t place_mask = (1u << trace_entry_bits) - 1;

  static bool is_timed(std::uint32_t kind) {
    return kind == static_cast<std::uint32_t>(TraceKind::call) || kind == static_cast<std::uint32_t>(TraceKind::region);
  }
  static std::uint64_t folded_sign(std::uint64_t value) { return value << 1 ^ (0 - (value >> 63)); }
  static std::uint64_t signed_of(std::uint64_t value) { return value >> 1 ^ (0 - (value & 1)); }
  static unsigned char *put(unsigned char *at, std::uint64_t value) {
    for (; value >= 128; value >>= 7) *at++ = static_cast<unsigned char>(value | 128);
    *at++ = static_cast<unsigned char>(value);
    return at;
  }
  static const unsigned char *get(const unsigned char *at, const unsigned char *end, std::uint64_t &value) {
    value = 0;
    for (int shift = 0; at != end && shift < 64; shift += 7) {
      value |= static_cast<std::uint64_t>(*at & 127) << shift;
      if (*at++ < 128) return at;
    }
    return nullptr;
  }

  std::uint64_t number_;
  std::uint64_t end_ = 0;
  std::uint32_t thread_;
};

}  // namespace scope::wire

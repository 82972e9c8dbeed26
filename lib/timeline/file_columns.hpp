#pragma once
// Events and signatures as columns, the content of the side file's blocks: share/doc/timeline-format.md. Internal to the room and
// its tests. Integers become planes: first the lowest byte of every value, then the next one of every value, up to the highest
// that is not 0 in some value. zstd finds the repetitions in the planes that have any, and leaves the others (the low bytes of
// durations) alone.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "timeline/file_blocks.hpp"
#include "timeline/timeline.hpp"

namespace scope::timeline {

/// `first` is the number of the first event in its rank. What it must hold of the events: file.hpp, Writer::add.
void encode_events(std::span<const Event> events, std::uint32_t first, Content &content);

/// How many signatures and regions an event may choose from.
struct Dictionary {
  std::uint64_t signatures = 0, regions = 0;
};

/// The events of a block with this head; `events` holds exactly them afterwards. Throws Damage for what the encoder doesn't write.
void decode_events(std::string_view content, const BlockHead &head, const Dictionary &known, std::vector<Event> &events);

void encode_signatures(std::span<const Signature> signatures, Content &content);

/// Appends. Throws Damage, with nothing appended.
void decode_signatures(std::string_view content, const BlockHead &head, std::vector<Signature> &signatures);

}  // namespace scope::timeline

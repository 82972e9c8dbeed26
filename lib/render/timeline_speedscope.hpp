#pragma once
// A timeline in speedscope's format: https://www.speedscope.app/file-format-schema.json.

#include "render/text_out.hpp"
#include "timeline/file.hpp"

namespace scope::render {

/// An evented profile, in nanoseconds, for every thread that has events, ranks in order. Calls and regions nest: of what overlaps
/// without nesting the later one ends with the earlier one. The profiles begin when their rank does and end with it. Reads the file
/// once, and the events of a rank once for each of its threads.
void timeline_speedscope(timeline::Reader &reader, const Sink &sink);

}  // namespace scope::render

#pragma once
// A timeline in the Trace Event Format of Chrome's tracing, which Perfetto's UI opens.

#include "render/text_out.hpp"
#include "timeline/file.hpp"

namespace scope::render {

/// A JSON object ("JSON Object Format" of the Trace Event Format), times in microseconds with three decimals, so that nanoseconds are
/// exact. A process is a rank, its pid 1 + the rank's index: Perfetto takes pid 0 for the idle task of Linux. A thread is a thread,
/// from 1 on. Calls and regions are complete events ("X"), calls with peer, root, tag, bytes, communicator and request as arguments;
/// messages of which both sides are there are flow events ("s", "f"); counters ("C") say how many bytes each rank has sent that are not
/// received yet. An instant ("i") marks where a rank's timeline ends before the rank does. Reads the file twice.
void timeline_chrome_trace(timeline::Reader &reader, const Sink &sink);

}  // namespace scope::render

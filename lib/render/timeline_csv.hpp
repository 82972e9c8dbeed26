#pragma once
// The messages of a timeline as CSV.

#include "render/text_out.hpp"
#include "timeline/file.hpp"

namespace scope::render {

/// RFC 4180, with the header world,src,dst,start,end,bytes,tag,comm: a row for every point-to-point message of which both sides are in
/// the timeline, by sender and begin of the send. src and dst are ranks of the world; start is the begin of the send, end the end of
/// what received the message, in ns; bytes are those sent, -1 unknown; comm is the communicator's id in the profile. Reads the file twice.
void timeline_csv(timeline::Reader &reader, const Sink &sink);

}  // namespace scope::render

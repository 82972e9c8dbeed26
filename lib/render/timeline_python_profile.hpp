#pragma once
// Our profile as one of the Python package scope-profiler, with its timeline.

#include "model/profile.hpp"
#include "render/text_out.hpp"
#include "timeline/file.hpp"

namespace scope::render {

/// As python_profile_json, but rows of ranks whose timeline is complete have start_times_ns and end_times_ns in place of an aggregate,
/// and thread_ids where events are of several threads: a row for every name, in order of appearance. Such a rank's region "program"
/// lasts from its begin to its end. Ranks whose timeline ends early or is damaged have aggregates, which are exact. Reads the events
/// of a rank a few times.
void timeline_python_profile(const model::Profile &profile, timeline::Reader &reader, const Sink &sink);

}  // namespace scope::render

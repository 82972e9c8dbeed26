#pragma once
// The timeline of a page: what share/report/timeline.js draws, small enough to stand in the page.

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/filter.hpp"
#include "model/profile.hpp"
#include "timeline/file.hpp"

namespace scope::render {

/// Calls, regions and blocks of them; more are thinned (render/timeline_boxes.hpp). Browsers draw so many within a frame or two.
inline constexpr std::uint64_t most_page_boxes = 1'000'000;
/// Arrows; of more, those that took longest.
inline constexpr std::uint64_t most_page_messages = 300'000;

struct PageTimeline {
  std::string json;      ///< what is small: names, ranks, how many of what are in `columns`
  std::string columns;   ///< base64 of gzip of numbers in LEB128 (signed ones zigzag): see timeline_page.cpp
  std::vector<std::string> notes;  ///< sentences: what there is, and what was put together or left out
};

struct PageBounds {
  std::uint64_t boxes = most_page_boxes, messages = most_page_messages;
};

/// Of the ranks and calls that the filter chooses. Reads the file twice. Throws support::Error if it can't be read any more.
PageTimeline page_timeline(timeline::Reader &reader, const model::Profile &profile, const analyze::Filter &filter,
                           PageBounds bounds = {});

}  // namespace scope::render

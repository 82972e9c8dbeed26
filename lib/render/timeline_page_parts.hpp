#pragma once
// What page_timeline() gathers while it reads. Internal to render/timeline_page*.cpp.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.hpp"
#include "timeline/timeline.hpp"

namespace scope::render {

/// Numbers one behind the other, seven bits a byte, lowest first.
class Column {
 public:
  void add(std::uint64_t value) {
    for (; value > 127; value >>= 7) bytes_ += static_cast<char>(value | 128);
    bytes_ += static_cast<char>(value);
  }
  void add_signed(std::int64_t value) { add(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63)); }
  const std::string &bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// A message on the page. Ranks are indices of PageParts::lanes.
struct PageMessage {
  std::int64_t sent = 0, received = 0;  ///< begin of the send, end of what received
  std::uint32_t source = 0, destination = 0;
};

struct PageParts {
  std::vector<std::uint32_t> lanes;       ///< ranks of the header that are shown
  std::vector<std::uint32_t> signatures;  ///< of the reader, in the order of the page
  std::vector<PageMessage> messages;      ///< by `sent`
  Column rows, begins, durations, whats, mores, blocks;
  std::uint64_t row_count = 0, box_count = 0, block_count = 0;
  std::uint64_t calls = 0, regions = 0, all_messages = 0;
  std::int64_t span = -1;                 ///< longest block; -1 none
  std::int64_t to = 0;                    ///< the last instant
};

/// PageTimeline::json.
std::string page_timeline_json(const PageParts &parts, const timeline::Header &header, const std::vector<timeline::Signature> &signatures,
                               const model::Profile &profile);

}  // namespace scope::render

#pragma once
// What a page draws of one rank's timeline, within a bound: where there are too many events, those that are closest together become
// blocks that say how many they are and how long, so that sums stay what they were.

#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "timeline/timeline.hpp"

namespace scope::render {

/// A call, a region, or a block of neighbours in one row. Times in nanoseconds.
struct Box {
  std::int64_t begin = 0, end = 0;
  std::int64_t time = 0;     ///< sum of the durations of what it holds: end - begin of a single one
  std::int64_t longest = 0;  ///< the longest of these ...
  std::uint32_t what = 0;    ///< ... and what that is: index of its signature or region
  std::uint64_t count = 1;   ///< calls, or regions; more than one: a block
  std::uint32_t more = 0;    ///< further requests that a single call started or completed
  bool operator==(const Box &) const = default;
};

/// Where boxes stand side by side: the calls of a thread, or its regions that are in as many others.
struct Row {
  std::uint8_t thread = 0;    ///< those from 255 on share a row
  std::int8_t depth = -1;     ///< -1 calls; regions: how many others they are in, those from 15 on share a row
  auto operator<=>(const Row &) const = default;
};

class Boxes {
 public:
  /// At most so many (and one a row, if there are more rows). Of signatures whose place in `hidden` is true nothing is kept; places
  /// beyond its end are shown.
  explicit Boxes(std::uint64_t most, std::vector<bool> hidden = {}) : most_(most), hidden_(std::move(hidden)), threads_(256) {}

  /// All events of the rank, in order.
  void add(const timeline::Event &event);

  /// Boxes of a row are by `begin`.
  const std::map<Row, std::vector<Box>> &rows() const { return rows_; }
  /// No block is longer than this, in nanoseconds; -1: there is none.
  std::int64_t span() const { return span_; }

 private:
  struct Thread {
    std::vector<std::int64_t> open;       ///< ends of the regions that the next event may be in
    std::vector<Box> *calls = nullptr;
    bool shown = false;                   ///< the last call was not hidden
  };

  void put(std::vector<Box> &row, const Box &box);
  bool join(Box &into, const Box &box) const;
  void thin();

  std::uint64_t most_, size_ = 0;
  std::vector<bool> hidden_;
  std::vector<Thread> threads_;
  std::map<Row, std::vector<Box>> rows_;
  std::int64_t span_ = -1, last_ = 0;
};

}  // namespace scope::render

#include "render/timeline_boxes.hpp"

#include <algorithm>

namespace scope::render {
namespace {

constexpr std::size_t deepest = 15, most_threads = 255;
constexpr std::int64_t first_span = 1000;  ///< nanoseconds; from there on half as much again each time

}  // namespace

void Boxes::add(const timeline::Event &event) {
  using timeline::Kind;
  const auto number = static_cast<std::uint8_t>(std::min<std::size_t>(event.thread, most_threads));
  Thread &thread = threads_[number];
  const Box box{event.begin, event.end, event.end - event.begin, event.end - event.begin, event.what};
  if (event.kind == Kind::region) {
    std::erase_if(thread.open, [&event](std::int64_t end) { return end <= event.begin; });
    const auto depth = static_cast<std::int8_t>(std::min(thread.open.size(), deepest));
    if (thread.open.size() < deepest) thread.open.push_back(event.end);
    put(rows_[{number, depth}], box);
  } else if (event.kind == Kind::call) {
    thread.shown = event.what >= hidden_.size() || !hidden_[event.what];
    if (!thread.shown) return;
    if (!thread.calls) thread.calls = &rows_[{number, -1}];
    put(*thread.calls, box);
  } else if (event.kind != Kind::receive && thread.shown && !thread.calls->empty() && thread.calls->back().count == 1) {
    ++thread.calls->back().more;
  }
}

/// Of threads that share a row, boxes may overlap.
bool Boxes::join(Box &into, const Box &box) const {
  const std::int64_t end = std::max(into.end, box.end);
  if (end - into.begin > span_) return false;
  if (box.longest > into.longest) {
    into.longest = box.longest;
    into.what = box.what;
  }
  into.end = end;
  into.time += box.time;
  into.count += box.count;
  into.more = 0;
  return true;
}

void Boxes::put(std::vector<Box> &row, const Box &box) {
  last_ = std::max(last_, box.end);
  if (!row.empty() && join(row.back(), box)) return;
  row.push_back(box);
  if (++size_ > most_) thin();
}

/// Not at each box once there are more rows than may be boxes: from then on all of a row are one.
void Boxes::thin() {
  while (size_ > most_ - most_ / 4 && span_ < last_) {
    span_ = std::max(first_span, span_ + span_ / 2);
    size_ = 0;
    for (auto &[key, row] : rows_) {
      std::size_t kept = 0;
      for (std::size_t i = 1; i < row.size(); ++i)
        if (!join(row[kept], row[i])) row[++kept] = row[i];
      row.resize(row.empty() ? 0 : kept + 1);
      size_ += row.size();
    }
  }
}

}  // namespace scope::render

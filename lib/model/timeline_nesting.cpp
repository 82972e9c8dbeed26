#include "model/timeline_nesting.hpp"

#include <algorithm>
#include <tuple>

#include "model/limits.hpp"

namespace scope::model {
namespace {

/// A span that has not ended yet.
struct Open {
  Span span;
  std::int64_t from = 0;  ///< since when it takes time from the one that it is called in
  std::int64_t children_ns = 0;
  std::int64_t marked_ns = 0;  ///< in outermost marked spans inside
  bool inside_marked = false;
};

class Nester {
 public:
  Nester(const std::vector<bool> &marked, Nesting &result) : marked_(marked), result_(result), depth_(marked.size()) {}

  void add(const Span &span) {
    if (!open_.empty() && (open_.back().span.thread != span.thread || open_.back().span.task != span.task)) close_all();
    std::int64_t from = span.begin;
    while (!open_.empty() && (open_.back().span.end <= span.begin || open_.back().span.end < span.end)) {
      from = std::max(from, open_.back().span.end);
      close();
    }
    const bool inside_marked = !open_.empty() && (open_.back().inside_marked || marked_[open_.back().span.region]);
    open_.push_back({span, from, 0, 0, inside_marked});
    ++depth_[span.region];
  }

  void close_all() {
    while (!open_.empty()) close();
  }

 private:
  void close() {
    Open done = open_.back();
    open_.pop_back();
    const std::int64_t duration = done.span.end - done.span.begin;
    if (marked_[done.span.region] && !done.inside_marked) done.marked_ns = duration;
    NestedTimes &times = result_.regions[done.span.region];
    add_to(times.self_ns, std::max<std::int64_t>(0, duration - done.children_ns));
    if (--depth_[done.span.region] == 0) add_to(times.marked_ns, done.marked_ns);
    if (open_.empty()) return;
    Open &parent = open_.back();
    add_to(parent.children_ns, done.span.end - done.from);
    add_to(parent.marked_ns, done.marked_ns);
  }

  const std::vector<bool> &marked_;
  Nesting &result_;
  std::vector<Open> open_;
  std::vector<std::int64_t> depth_;  ///< how often a region is open
};

std::int64_t union_ns(const std::vector<Span> &spans, const std::vector<bool> &marked) {
  std::vector<std::pair<std::int64_t, std::int64_t>> intervals;
  for (const Span &span : spans)
    if (marked[span.region]) intervals.emplace_back(span.begin, span.end);
  std::sort(intervals.begin(), intervals.end());
  std::int64_t total = 0, until = 0;
  for (auto [begin, end] : intervals) {
    begin = std::max(begin, until);
    if (end <= begin) continue;
    add_to(total, end - begin);
    until = end;
  }
  return total;
}

}  // namespace

Nesting nest(std::vector<Span> spans, const std::vector<bool> &marked) {
  Nesting result;
  result.marked_union_ns = union_ns(spans, marked);
  // Of spans that begin together the longer one is outside; of equal ones the region that appeared first.
  std::stable_sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) {
    return std::tuple(a.thread, a.task, a.begin, -a.end, a.region) < std::tuple(b.thread, b.task, b.begin, -b.end, b.region);
  });
  Nester nester(marked, result);
  for (const Span &span : spans) nester.add(span);
  nester.close_all();
  return result;
}

}  // namespace scope::model

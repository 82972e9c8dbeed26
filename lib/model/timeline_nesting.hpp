#pragma once
// Which region a region was called in, from begin and end alone. Internal to the model.

#include <cstdint>
#include <map>
#include <vector>

namespace scope::model {

/// One call of a region.
struct Span {
  std::int64_t begin = 0, end = 0;      ///< nanoseconds, begin <= end
  std::int64_t thread = 0, task = 0;    ///< spans nest within a thread and task only
  std::size_t region = 0;
};

struct NestedTimes {
  std::int64_t self_ns = 0;    ///< outside the regions called in it
  std::int64_t marked_ns = 0;  ///< in outermost marked spans (MPI), itself included; once where a region is called in itself
};

struct Nesting {
  std::map<std::size_t, NestedTimes> regions;
  std::int64_t marked_union_ns = 0;  ///< that some thread was in a marked region
};

/// `marked` by region. Of spans that overlap without nesting neither is called in the other, and what both are in takes time
/// once only from the span around them.
Nesting nest(std::vector<Span> spans, const std::vector<bool> &marked);

}  // namespace scope::model

#pragma once
// How far a merge of many ranks is, on a line of the terminal that is gone afterwards.

#include <cstdint>
#include <string>

#include "model/merge.hpp"

namespace scope::app {

/// Nothing is shown with -q, where standard error is no terminal, and in the first half second: most merges are shorter.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  /// What shows "scope-profiler: VERB 1,200 of 100,000 THINGS". It must not outlive this.
  model::Progress of(const char *verb, const char *things);
  void clear();

 private:
  void show(const std::string &text);
  bool on_, shown_ = false;
  std::int64_t next_ns_ = 0;  ///< of the monotonic clock
};

}  // namespace scope::app

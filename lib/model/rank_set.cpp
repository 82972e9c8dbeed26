#include "model/rank_set.hpp"

#include <algorithm>

namespace scope::model {

RankSet::Iterator &RankSet::Iterator::operator++() {
  const Run &run = (*runs_)[run_];
  if (rank_ != run.last) {
    rank_ += run.step;
  } else {
    ++run_;
    rank_ = run_ < runs_->size() ? (*runs_)[run_].first : 0;
  }
  return *this;
}

void RankSet::push_back(int rank) {
  if (!runs_.empty()) {
    Run &run = runs_.back();
    if (rank == run.last) return;
    const bool fits = run.first == run.last || rank - run.last == run.step;
    if (fits) {
      if (run.first == run.last) run.step = rank - run.last;
      run.last = rank;
      ++size_;
      return;
    }
  }
  runs_.push_back({rank, rank, 1});
  ++size_;
}

void RankSet::join(const RankSet &other) {
  if (other.empty() || *this == other) return;
  if (empty()) {
    *this = other;
    return;
  }
  if (runs_.empty() || other.runs_.empty()) {
    *this = unknown(std::max(size_, other.size_));
    return;
  }
  RankSet all;
  auto a = begin(), b = other.begin();
  const auto a_end = end(), b_end = other.end();
  while (a != a_end || b != b_end) {
    const bool from_a = b == b_end || (a != a_end && *a <= *b);
    all.push_back(from_a ? *a : *b);
    ++(from_a ? a : b);
  }
  *this = std::move(all);
}

}  // namespace scope::model

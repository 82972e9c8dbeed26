#pragma once
// Which ranks of a world: 100,000 numbers in a row, or every other one, are three numbers.

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <vector>

namespace scope::model {

/// Ranks in ascending order, each once, in runs of equal steps.
class RankSet {
 public:
  /// first, first + step, ... up to last. step is at least 1; of a single rank it is 1.
  struct Run {
    int first = 0, last = 0, step = 1;
    std::size_t size() const { return static_cast<std::size_t>((last - first) / step) + 1; }
    bool operator==(const Run &) const = default;
  };

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using pointer = const int *;
    using reference = int;
    Iterator() = default;
    Iterator(const std::vector<Run> *runs, std::size_t run) : runs_(runs), run_(run), rank_(run < runs->size() ? (*runs)[run].first : 0) {}
    int operator*() const { return rank_; }
    Iterator &operator++();
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator &other) const { return run_ == other.run_ && rank_ == other.rank_; }

   private:
    const std::vector<Run> *runs_ = nullptr;
    std::size_t run_ = 0;
    int rank_ = 0;
  };

  RankSet() = default;
  RankSet(std::initializer_list<int> ascending) : RankSet(std::vector<int>(ascending)) {}
  RankSet(const std::vector<int> &ascending) {
    for (int rank : ascending) push_back(rank);
  }

  /// So many ranks, which is not known: iterating finds none.
  static RankSet unknown(std::size_t size) {
    RankSet set;
    set.size_ = size;
    return set;
  }

  /// A rank above all that are in it; the last one again changes nothing.
  void push_back(int rank);
  /// The ranks of both; of two that are not known, the larger number.
  void join(const RankSet &other);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int front() const { return runs_.front().first; }
  int back() const { return runs_.back().last; }
  const std::vector<Run> &runs() const { return runs_; }
  Iterator begin() const { return {&runs_, 0}; }
  Iterator end() const { return {&runs_, runs_.size()}; }
  /// Equal ranks; how they came in does not matter as long as they came in order.
  bool operator==(const RankSet &) const = default;

 private:
  std::vector<Run> runs_;
  std::size_t size_ = 0;
};

}  // namespace scope::model

#pragma once
// What a timeline explained, as rows that only need printing, of the chosen ranks and procedures. Rows in which several ranks were
// folded are there without a choice of ranks only.

#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/filter.hpp"
#include "model/profile.hpp"

namespace scope::analyze {

struct WaitView {
  model::WaitStateRow row;
  double mean_ns = 0;
  std::optional<double> share;  ///< of the waiting time of all
};
/// Longest total first.
std::vector<WaitView> by_wait(const model::Profile &profile, const Filter &filter);

struct DelayView {
  model::DelayRow row;
  std::optional<double> share;  ///< of the waiting time of all
};
/// Longest first. The filter's procedures do not apply.
std::vector<DelayView> by_delay(const model::Profile &profile, const Filter &filter);

struct PathView {
  model::CriticalPathRow row;
  std::optional<double> share;  ///< of the run's length
};
/// Longest first. The filter's procedures do not apply.
std::vector<PathView> by_path(const model::Profile &profile, const Filter &filter);

/// Most time lost of all, by pattern and procedure; nothing where nobody waited.
struct LargestWait {
  model::WaitStateRow row;          ///< sums over the ranks; what differs is -1
  std::int64_t waiting_ns = 0;      ///< of all wait states
  std::optional<double> mpi_share;  ///< waiting_ns of the time in calls
  std::optional<model::DelayRow> origin;  ///< what caused most waiting
};
std::optional<LargestWait> largest_wait(const model::Profile &profile);

}  // namespace scope::analyze

#pragma once
// Whether a running rank gets on, from its live block. Read again and again for hundreds of ranks: without strings, and
// without the entries as long as the rest tells.

#include <cstdint>
#include <filesystem>
#include <optional>

namespace scope::model {

struct LiveProgress {
  std::uint64_t position = 0;   ///< another one after every call that began or returned
  std::uint64_t mpi_ticks = 0;  ///< grows with every call that was recorded
  bool in_work = false;         ///< some thread is in a call that does not merely ask (Test*, Iprobe, ...)
  bool operator==(const LiveProgress &) const = default;
};

/// Nothing where the file is no live block of this build, or not ready yet.
std::optional<LiveProgress> read_live_progress(const std::filesystem::path &file);

/// Calls and completions so far, without calls that asked and got no: what a rank that polls in vain does not change.
std::optional<std::uint64_t> read_live_work(const std::filesystem::path &file);

}  // namespace scope::model

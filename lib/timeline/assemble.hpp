#pragma once
// From the trace blocks of a run to one timeline: ticks to nanoseconds on the common time line, places of entries to signatures of
// the profile, threads of calls and of regions brought together.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/merge.hpp"
#include "timeline/clocks.hpp"
#include "timeline/timeline.hpp"
#include "timeline/trace_block.hpp"

namespace scope::timeline {

/// The blocks of one process; either may be missing.
struct BlocksOfRank {
  std::optional<std::filesystem::path> calls, regions;
};

/// The signatures of a timeline, each once.
class SignatureTable {
 public:
  std::uint32_t add(const Signature &signature);
  const std::vector<Signature> &all() const { return signatures_; }

 private:
  struct Hash {
    std::size_t operator()(const Signature &signature) const;
  };
  std::vector<Signature> signatures_;
  std::unordered_map<Signature, std::uint32_t, Hash> index_;
};

/// Puts a run's timeline together, one rank at a time, since a rank's events may take 64 MiB and more.
class Assembler {
 public:
  /// `files`: all that may be trace blocks. `placements` and the records behind them must outlive this. Files of other runs and
  /// files that can't be read become warnings. `profile` gives communicators. `launcher_boot_id`: of the node whose clock is the
  /// common one, "" unknown.
  Assembler(const std::vector<model::Placement> &placements, const model::Profile &profile, const std::vector<std::filesystem::path> &files,
            const std::string &launcher_boot_id);

  const Clocks &clocks() const { return clocks_; }
  /// Relates nodes whose clock was not measured by messages between the ranks, in the time of header(). True if that changed
  /// anything: then header(), events_of() and warnings() are those of the new time line.
  bool relate_by(std::vector<ClockMessage> messages);

  /// Whether any rank has a trace block.
  bool any() const { return any_; }
  const Header &header() const { return header_; }
  const SignatureTable &signatures() const { return signatures_; }
  /// The events of Header::ranks[rank], in the order that Event asks for.
  std::vector<Event> events_of(std::size_t rank);
  const std::vector<model::Warning> &warnings() const { return warnings_; }

 private:
  void describe_clocks();
  void set_clocks(Clocks clocks);
  void find_blocks(const std::vector<std::filesystem::path> &files);
  void describe_ranks();
  void describe_communicators(const model::Profile &profile);
  void collect_regions();
  std::int64_t common_ns(std::size_t rank, std::int64_t monotonic_ns) const;

  const std::vector<model::Placement> &placements_;
  std::vector<BlocksOfRank> blocks_;
  std::string launcher_boot_id_;
  std::vector<RankClock> rank_clocks_;
  std::vector<std::int64_t> firsts_;  ///< the first instant of each rank, of its node's CLOCK_MONOTONIC
  Clocks clocks_;
  std::vector<std::vector<std::uint32_t>> region_numbers_;  ///< of each rank: from the number in the block to Header::regions
  Header header_;
  std::int64_t zero_ns_ = 0;  ///< common CLOCK_MONOTONIC of instant 0: the first block that was made
  SignatureTable signatures_;
  std::vector<model::Warning> warnings_;
  bool any_ = false;
};

}  // namespace scope::timeline

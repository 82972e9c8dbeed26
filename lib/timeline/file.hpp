#pragma once
// The side file of a timeline, version 1: share/doc/timeline-format.md. Written rank after rank, read block by block, so that the
// memory it takes is that of a block, of the dictionary of signatures and of the header, however long the run was.
// Nothing here is synchronised: one thread at a time.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "timeline/timeline.hpp"

namespace scope::timeline {

/// Beside the target, in its place once finish() returned; gone if it never comes to that. Every member throws support::Error with
/// the file and the reason (a full disk, instants out of order).
class Writer {
 public:
  Writer(const std::filesystem::path &file, const Header &header);
  Writer(Writer &&) noexcept;
  Writer &operator=(Writer &&) = delete;
  ~Writer();

  /// Events of the rank at that place in Header::ranks, which continue those of earlier calls; ordered by `begin`, with
  /// 0 <= begin <= end. `signatures` is the dictionary of all ranks, which only grows: Event::what points into it. A `start` that
  /// is not before the event itself is written as none.
  void add(std::uint32_t rank_index, std::span<const Event> events, const std::vector<Signature> &signatures);

  /// An earlier file of the name is replaced.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Trusts nothing in the file. What is damaged or cut off costs what was in it, and of its rank what comes behind, so that a rank's
/// events are complete from Event 0 on: header() says until when (RankInfo::to), warnings() says what was lost where.
class Reader {
 public:
  /// Throws support::Error where nothing can be used: the file can't be read, is no timeline, is of a newer version, or its header
  /// is damaged.
  explicit Reader(const std::filesystem::path &file);
  Reader(Reader &&) noexcept;
  Reader &operator=(Reader &&) = delete;
  ~Reader();

  /// `to` and `dropped` of a rank change when read() comes upon damage.
  const Header &header() const;
  /// All of them. Those that were lost have Call::none, and so have procedures that this build does not know.
  const std::vector<Signature> &signatures() const;
  /// Events that read() will give, as far as is known.
  std::uint64_t events(std::uint32_t rank_index) const;
  std::uint64_t events() const;
  /// Events that the file should have, and has not.
  std::uint64_t lost() const;
  /// Sentences that name the file, the position, the reason and what to do.
  const std::vector<std::string> &warnings() const;

  /// Gives the events of a rank in order, up to 65,536 at a time. `begin` never falls; `what` is within signatures() or
  /// Header::regions; `start` is none or before the event. May be called within `take`. Throws support::Error if the file
  /// can't be read any more.
  void read(std::uint32_t rank_index, const std::function<void(std::span<const Event>)> &take);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// 4 GiB of them. More are read with a Reader.
inline constexpr std::uint64_t most_loaded_events = std::uint64_t{1} << 27;

/// A whole timeline. Warnings of the reader are added to `warnings`. Throws support::Error as Reader does, and for more events
/// than `most_events`.
Timeline load(const std::filesystem::path &file, std::vector<std::string> *warnings = nullptr,
              std::uint64_t most_events = most_loaded_events);

}  // namespace scope::timeline

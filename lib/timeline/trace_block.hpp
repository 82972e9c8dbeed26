#pragma once
// Reads a trace block (lib/wire/trace_block.hpp), in whatever state its process left it. Nothing in the file is trusted.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "wire/trace_block.hpp"

namespace scope::timeline {

/// Events of one thread that stand together in the file, packed or not.
struct Segment {
  std::uint32_t thread = 0;  ///< number, below wire::trace_thread_limit
  std::uint32_t tid = 0;
  std::uint64_t first = 0;   ///< number of the first event in its thread number
  std::uint32_t count = 0;
  std::span<const wire::TraceEvent> events;    ///< of an area, else empty
  std::span<const unsigned char> packed;
};

/// A trace block, mapped for as long as it lives.
class TraceBlock {
 public:
  /// Throws support::Error naming file, position and reason for what is no trace block of this version and table, or damaged
  /// where it must not be. An item that lies ends the block there: `damage` says so, what stands before it is used.
  explicit TraceBlock(const std::filesystem::path &file);
  ~TraceBlock();
  TraceBlock(TraceBlock &&other) noexcept;
  TraceBlock(const TraceBlock &) = delete;
  TraceBlock &operator=(const TraceBlock &) = delete;

  const wire::TraceHeader &header() const { return header_; }
  std::string run_id() const;
  std::string host() const;
  std::string boot_id() const;
  /// By thread number, those of a number in their order. No event is in two.
  const std::vector<Segment> &segments() const { return segments_; }
  /// Gives the events of a segment in order. False: it is damaged, and gave fewer than its count.
  static bool each(const Segment &segment, const std::function<void(const wire::TraceEvent &)> &take);
  const std::unordered_map<std::uint32_t, wire::EntryKey> &keys() const { return keys_; }
  std::uint64_t events() const;
  const std::string &damage() const { return damage_; }  ///< "" none; else file, position and reason

 private:
  void map(const std::filesystem::path &file);
  void read_items();
  bool read_item(std::uint64_t at, const wire::ItemHeader &item);
  bool read_keys(std::uint64_t at, const wire::ItemHeader &item);
  bool read_area(std::uint64_t at, const wire::ItemHeader &item);
  bool read_packed(std::uint64_t at, const wire::ItemHeader &item);
  void order_segments();

  std::filesystem::path file_;
  const char *base_ = nullptr;
  std::size_t bytes_ = 0;
  wire::TraceHeader header_{};
  std::vector<Segment> segments_;
  std::unordered_map<std::uint32_t, wire::EntryKey> keys_;
  std::string damage_;
};

}  // namespace scope::timeline

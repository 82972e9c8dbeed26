#include "timeline/trace_block.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/error.hpp"
#include "wire/mpi_calls.hpp"
#include "wire/trace_packing.hpp"

namespace scope::timeline {
namespace {

using support::Error;

template <std::size_t N>
std::string text_of(const char (&field)[N]) {
  return std::string(field, strnlen(field, N));
}

std::string at_byte(const std::filesystem::path &file, std::uint64_t at) { return file.string() + ": byte " + std::to_string(at) + ": "; }

}  // namespace

TraceBlock::TraceBlock(const std::filesystem::path &file) : file_(file) {
  map(file);
  try {
    std::memcpy(&header_, base_, sizeof header_);
    if (std::memcmp(header_.magic, wire::trace_magic, sizeof header_.magic) != 0)
      throw Error(file.string() + ": is no trace block: it does not begin with SCOPETRC");
    if (header_.version != wire::trace_version || header_.header_bytes != sizeof header_ || header_.table_hash != wire::table_hash())
      throw Error(file.string() + ": was written by another scope-profiler (trace block version " + std::to_string(header_.version) +
                  "). Merge with the scope-profiler that ran the program.");
    read_items();
  } catch (...) {
    munmap(const_cast<char *>(base_), bytes_);
    throw;
  }
}

TraceBlock::~TraceBlock() {
  if (base_) munmap(const_cast<char *>(base_), bytes_);
}

TraceBlock::TraceBlock(TraceBlock &&other) noexcept
    : file_(std::move(other.file_)),
      base_(std::exchange(other.base_, nullptr)),
      bytes_(other.bytes_),
      header_(other.header_),
      segments_(std::move(other.segments_)),
      keys_(std::move(other.keys_)),
      damage_(std::move(other.damage_)) {}

std::string TraceBlock::run_id() const { return text_of(header_.run_id); }
std::string TraceBlock::host() const { return text_of(header_.host); }
std::string TraceBlock::boot_id() const { return text_of(header_.boot_id); }

std::uint64_t TraceBlock::events() const {
  std::uint64_t sum = 0;
  for (const Segment &segment : segments_) sum += segment.count;
  return sum;
}

void TraceBlock::map(const std::filesystem::path &file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw Error("cannot read " + file.string() + ": " + support::errno_text(errno));
  struct stat status{};
  fstat(descriptor, &status);
  bytes_ = static_cast<std::size_t>(status.st_size);
  void *mapping = bytes_ < sizeof header_ ? MAP_FAILED : mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int error = errno;
  close(descriptor);
  if (bytes_ < sizeof header_)
    throw Error(file.string() + ": is too short for a trace block (" + std::to_string(bytes_) + " bytes): it was cut, or its process ended early");
  if (mapping == MAP_FAILED) throw Error("cannot read " + file.string() + ": " + support::errno_text(error));
  base_ = static_cast<const char *>(mapping);
}

void TraceBlock::read_items() {
  std::uint64_t at = wire::trace_items_at;
  const std::uint64_t used = std::min<std::uint64_t>(header_.used, bytes_);
  if (header_.used > bytes_) damage_ = at_byte(file_, bytes_) + "the file ends here, it had " + std::to_string(header_.used) + " bytes";
  while (at < used && used - at >= sizeof(wire::ItemHeader)) {
    wire::ItemHeader item;
    std::memcpy(&item, base_ + at, sizeof item);
    const bool sound = item.bytes >= 64 && item.bytes % 64 == 0 && item.bytes <= used - at;
    if (!sound || !read_item(at, item)) {
      if (damage_.empty()) damage_ = at_byte(file_, at) + "the item that begins here is damaged";
      break;
    }
    at += item.bytes;
  }
  order_segments();
}

bool TraceBlock::read_item(std::uint64_t at, const wire::ItemHeader &item) {
  if (item.type == wire::item_trace_filler) return true;
  if (item.type == wire::item_trace_keys) return read_keys(at, item);
  if (item.thread >= wire::trace_thread_limit) return false;
  if (item.type == wire::item_trace_active) return read_area(at, item);
  return item.type == wire::item_trace_packed && read_packed(at, item);
}

bool TraceBlock::read_keys(std::uint64_t at, const wire::ItemHeader &item) {
  const auto *keys = reinterpret_cast<const wire::TraceKeysItem *>(base_ + at);
  const std::size_t fits = (item.bytes - sizeof *keys) / sizeof(wire::TraceKey);
  const std::size_t count = std::min<std::size_t>({keys->count, keys->capacity, fits});
  for (std::size_t i = 0; i < count; ++i) keys_[keys->keys()[i].entry] = keys->keys()[i].key;
  return true;
}

bool TraceBlock::read_area(std::uint64_t at, const wire::ItemHeader &item) {
  const auto *area = reinterpret_cast<const wire::TraceActiveItem *>(base_ + at);
  const std::size_t fits = (item.bytes - sizeof *area) / sizeof(wire::TraceEvent);
  const std::size_t count = std::min<std::size_t>({area->count, area->capacity, fits});
  segments_.push_back({item.thread, area->tid, area->first, static_cast<std::uint32_t>(count), {area->events(), count}, {}});
  return true;
}

bool TraceBlock::read_packed(std::uint64_t at, const wire::ItemHeader &item) {
  const auto *packed = reinterpret_cast<const wire::TracePackedItem *>(base_ + at);
  // No event takes less than two bytes, so that a count that lies is not believed.
  if (packed->bytes > item.bytes - sizeof *packed || packed->count > packed->bytes / 2) return false;
  segments_.push_back({item.thread, packed->tid, packed->first, packed->count, {}, {packed->packed(), packed->bytes}});
  return true;
}

/// An area is found before what was packed from it. What it still holds of that (the process ended in between) is left out.
void TraceBlock::order_segments() {
  std::unordered_map<std::uint32_t, std::uint64_t> packed_until;
  for (const Segment &segment : segments_)
    if (segment.events.empty()) packed_until[segment.thread] = std::max(packed_until[segment.thread], segment.first + segment.count);
  for (Segment &segment : segments_) {
    if (segment.events.empty()) continue;
    const std::uint64_t until = packed_until[segment.thread];
    const std::uint64_t known = until > segment.first ? std::min<std::uint64_t>(until - segment.first, segment.count) : 0;
    segment.first += known;
    segment.count -= static_cast<std::uint32_t>(known);
    segment.events = segment.events.subspan(known);
  }
  std::erase_if(segments_, [](const Segment &segment) { return segment.count == 0; });
  std::stable_sort(segments_.begin(), segments_.end(), [](const Segment &a, const Segment &b) {
    return a.thread != b.thread ? a.thread < b.thread : a.first < b.first;
  });
}

bool TraceBlock::each(const Segment &segment, const std::function<void(const wire::TraceEvent &)> &take) {
  for (const wire::TraceEvent &event : segment.events) take(event);
  if (!segment.events.empty()) return true;
  wire::TracePacking packing(segment.first, segment.thread);
  const unsigned char *at = segment.packed.data(), *end = at + segment.packed.size();
  for (std::uint32_t i = 0; i < segment.count; ++i) {
    wire::TraceEvent event;
    at = packing.unpack(at, end, event);
    if (!at) return false;
    take(event);
  }
  return true;
}

}  // namespace scope::timeline

#pragma once
// What the readers of blocks share. Internal to the model.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "model/limits.hpp"
#include "model/rank_record.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "wire/live_block.hpp"

namespace scope::model {

/// The file's bytes, its name for errors, and copies out of it.
struct Block {
  std::string name;
  std::string bytes;

  [[noreturn]] void fail(std::size_t offset, const std::string &reason) const {
    throw support::Error(name + ": offset " + std::to_string(offset) + ": " + reason);
  }
  template <class Part>
  Part copy(std::size_t offset) const {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(Part)) fail(offset, "is truncated");
    Part part;
    std::memcpy(static_cast<void *>(&part), bytes.data() + offset, sizeof part);
    return part;
  }
};

struct ItemAt {
  std::size_t offset = 0;
  wire::ItemHeader header{};
};

/// Text of a field of fixed size, which need not end in a zero.
template <std::size_t size>
std::string text_of(const char (&field)[size]) {
  return support::valid_utf8(std::string_view(field, ::strnlen(field, size)));
}

inline std::uint64_t clamped(std::uint64_t count) { return std::min(count, static_cast<std::uint64_t>(largest_count)); }

/// The records of all items of a type, in order.
template <class Record>
std::vector<Record> read_records(const Block &block, const std::vector<ItemAt> &items, wire::Item type) {
  std::vector<Record> records;
  for (const ItemAt &item : items) {
    if (item.header.type != type) continue;
    auto part = block.copy<wire::RecordsItem<Record>>(item.offset);
    std::size_t fits = (item.header.bytes - sizeof part) / sizeof(Record);
    std::size_t count = std::min<std::size_t>({part.count, part.capacity, fits});
    if (part.first != records.size())
      block.fail(item.offset, "records from number " + std::to_string(part.first) + " on follow " + std::to_string(records.size()) + " of them");
    for (std::size_t i = 0; i < count; ++i) records.push_back(block.copy<Record>(item.offset + sizeof part + i * sizeof(Record)));
  }
  return records;
}

/// Of a block of regions: fills regions, and what of the process they tell.
void read_regions(const Block &block, const std::vector<ItemAt> &items, const wire::Header &header, RankRecord &record);

}  // namespace scope::model

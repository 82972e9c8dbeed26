// Blocks of regions: lib/wire/region_block.hpp.

#include <algorithm>
#include <limits>

#include "model/live_block_parts.hpp"
#include "wire/region_block.hpp"

namespace scope::model {
namespace {

/// A parent stands before its children, and depth is bounded: a path can't become longer than the recorder makes it.
int checked_parent(const Block &block, const wire::Region &region, std::vector<std::uint32_t> &depths) {
  const std::size_t index = depths.size();
  const bool top = region.parent == wire::none_region;
  if (index >= wire::region_limit) block.fail(0, "there are more than " + std::to_string(wire::region_limit) + " regions");
  if (!top && region.parent >= index)
    block.fail(0, "region " + std::to_string(index) + " is inside of region " + std::to_string(region.parent) + ", which follows it");
  depths.push_back(top ? 1 : depths[region.parent] + 1);
  if (depths.back() > wire::region_depth_limit) block.fail(0, "region " + std::to_string(index) + " is nested too deep");
  return top ? -1 : static_cast<int>(region.parent);
}

void read_region_names(const std::vector<wire::RegionName> &names, Regions &regions) {
  for (const wire::RegionName &name : names)
    if (name.unmatched || name.unclosed) regions.unpaired.push_back({text_of(name.name), clamped(name.unmatched), clamped(name.unclosed)});
}

}  // namespace

void read_regions(const Block &block, const std::vector<ItemAt> &items, const wire::Header &header, RankRecord &record) {
  Regions &regions = record.regions;
  const auto names = read_records<wire::RegionName>(block, items, wire::Item::region_names);
  read_region_names(names, regions);
  std::vector<std::uint32_t> depths;
  regions.last_seen = std::max(header.last.ticks, header.first.ticks);
  for (const wire::Region &from : read_records<wire::Region>(block, items, wire::Item::regions)) {
    Region region;
    region.parent = checked_parent(block, from, depths);
    if (from.name >= names.size()) block.fail(0, "region " + std::to_string(depths.size() - 1) + " has no name");
    region.name = text_of(names[from.name].name);
    region.file = text_of(names[from.name].file);
    region.line = static_cast<int>(std::min<std::uint32_t>(names[from.name].line, std::numeric_limits<int>::max()));
    region.calls = clamped(from.calls);
    region.total = clamped(from.total);
    region.max = clamped(from.max);
    region.min = std::min(from.min, region.max);
    region.mpi_ticks = std::min(clamped(from.mpi_ticks), region.total);
    region.mpi_calls = clamped(from.mpi_calls);
    region.begin = from.begin;
    regions.last_seen = std::max({regions.last_seen, from.begin, from.last_end});
    regions.regions.push_back(std::move(region));
  }
  for (const ItemAt &item : items) {
    if (item.header.type != wire::Item::region_counts) continue;
    auto counts = block.copy<wire::RegionCountsItem>(item.offset);
    add_to(regions.folded, clamped(counts.folded));
    regions.launcher_rank = counts.launcher_rank;
  }
  regions.cost_ticks = static_cast<double>(clamped(header.cost_ticks_x256)) / 256;
  regions.exited = header.state == wire::State::exited;
  if (header.end != 0) regions.last_seen = std::max(regions.last_seen, header.end);
  record.regions_only = true;
  record.threads = static_cast<int>(std::clamp<std::uint32_t>(header.threads, 1, 1u << 20));
  record.last_seen = regions.last_seen;
  if (record.end != 0) record.end = std::max(record.end, regions.last_seen);
}

}  // namespace scope::model

#include "model/node_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include "model/limits.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "wire/contract.hpp"

namespace scope::model {
namespace {

namespace fs = std::filesystem;
using support::Error;
using wire::NodeSlot;
using wire::NodeSlotKind;
using wire::NodeSlotState;

template <std::size_t size>
std::string text_of(const char (&text)[size]) {
  return support::valid_utf8(std::string(text, strnlen(text, size)));
}

std::uint64_t size_of(const fs::path &file) {
  std::error_code error;
  auto size = fs::file_size(file, error);
  if (error) throw Error("cannot read '" + file.string() + "': " + error.message() + ".");
  return size;
}

bool read_bytes(std::ifstream &in, std::uint64_t at, void *bytes, std::size_t size) {
  in.clear();
  in.seekg(static_cast<std::streamoff>(at));
  in.read(static_cast<char *>(bytes), static_cast<std::streamsize>(size));
  return in && static_cast<std::size_t>(in.gcount()) == size;
}

wire::NodeHeader checked_header(std::ifstream &in, const std::string &file) {
  wire::NodeHeader header{};
  if (!read_bytes(in, 0, &header, sizeof header)) throw Error(file + ": is no node file: it is too short");
  if (std::memcmp(header.magic, wire::node_magic, sizeof header.magic) != 0) throw Error(file + ": is no node file");
  if (header.version > wire::node_version)
    throw Error(file + ": has format version " + std::to_string(header.version) + "; this scope-profiler reads up to " +
                std::to_string(wire::node_version) + ". Use a newer one.");
  if (header.sum != wire::node_header_sum(header)) throw Error(file + ": is damaged: its header does not match its sum");
  if (header.header_bytes != wire::node_header_bytes || header.slot_bytes != sizeof(NodeSlot) || header.capacity > 4 * wire::node_slot_limit ||
      header.payload_at != wire::node_payload_at(header.capacity))
    throw Error(file + ": is damaged: its header says that its slots are elsewhere");
  return header;
}

std::string slot_name(const NodeFile &file, std::size_t number) { return file.path.string() + ": slot " + std::to_string(number); }

/// What is wrong with a complete slot; "" nothing.
std::string problem_of(const NodeSlot &slot, const wire::NodeHeader &header, std::uint64_t file_bytes) {
  if (slot.state != NodeSlotState::complete) return "has state " + std::to_string(static_cast<unsigned>(slot.state)) + ", which is none";
  if (slot.kind < NodeSlotKind::dump || slot.kind > NodeSlotKind::trace_regions)
    return "has kind " + std::to_string(static_cast<unsigned>(slot.kind)) + ", which is none";
  if (slot.offset < header.payload_at || slot.offset > file_bytes || slot.bytes > file_bytes - slot.offset)
    return "ends behind the end of the file, which was cut off";
  if (slot.kind == NodeSlotKind::dump && slot.bytes > largest_rank_file) return "is longer than any dump";
  // The sum of a dump is looked at when it is read.
  if (slot.kind != NodeSlotKind::dump && slot.sum != wire::node_slot_sum(slot, wire::node_sum_begin)) return "does not match its sum";
  return "";
}

/// Containers of a node may have processes of equal numbers.
using Key = std::tuple<std::int32_t, std::uint32_t, std::uint64_t, NodeSlotKind>;
Key key_of(const NodeSlot &slot) { return {slot.rank, slot.pid, slot.start_time, slot.kind}; }

std::string block_name(const NodeFile &file, const NodeSlot &slot) {
  std::string name = slot.kind == NodeSlotKind::regions       ? wire::region_prefix
                     : slot.kind == NodeSlotKind::trace_calls ? std::string(wire::trace_prefix) + "calls-"
                                                              : std::string(wire::trace_prefix) + "regions-";
  name += file.host + "-" + std::to_string(slot.pid) + "-" + std::to_string(slot.start_time) + wire::live_suffix;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

void copy_block(const NodeFile &file, const NodeSlot &slot, const fs::path &target) {
  std::ifstream in(file.path, std::ios::binary);
  std::ofstream out(target, std::ios::binary | std::ios::trunc);
  std::vector<char> part(1u << 20);
  for (std::uint64_t done = 0; done < slot.bytes;) {
    auto size = static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), slot.bytes - done));
    if (!read_bytes(in, slot.offset + done, part.data(), size)) throw Error(file.path.string() + ": a block of rank " + std::to_string(slot.rank) + " can't be read");
    out.write(part.data(), static_cast<std::streamsize>(size));
    done += size;
  }
  out.close();
  if (!out) throw Error("cannot write '" + target.string() + "'");
}

const std::string slot_prefix = "slot-";

RankRecord read_slot(const fs::path &source, std::uint64_t number) {
  const fs::path path = source.parent_path();
  std::ifstream in(path, std::ios::binary);
  const wire::NodeHeader header = checked_header(in, path.string());
  NodeSlot slot{};
  if (number >= header.capacity || !read_bytes(in, wire::node_header_bytes + number * sizeof slot, &slot, sizeof slot))
    throw Error(source.string() + ": there is no such slot");
  const std::string where = source.string() + " (rank " + std::to_string(slot.rank) + ")";
  if (auto problem = problem_of(slot, header, size_of(path)); !problem.empty() || slot.kind != NodeSlotKind::dump)
    throw Error(where + ": " + (problem.empty() ? "holds no dump" : problem));
  std::string text(static_cast<std::size_t>(slot.bytes), '\0');
  if (!read_bytes(in, slot.offset, text.data(), text.size())) throw Error(where + ": cannot be read");
  if (slot.sum != wire::node_slot_sum(slot, wire::node_sum(wire::node_sum_begin, text.data(), text.size())))
    throw Error(where + ": is damaged: it does not match its sum");
  RankRecord record = parse_rank_dump(text, source);
  if (record.pid != slot.pid || record.start_time != slot.start_time || record.rank != slot.rank)
    throw Error(where + ": is the dump of another process than its slot says");
  return record;
}

}  // namespace

bool is_node_file(const fs::path &file) {
  char magic[sizeof wire::node_magic] = {};
  std::ifstream(file, std::ios::binary).read(magic, sizeof magic);
  const std::string name = file.filename().string();
  return std::equal(magic, magic + sizeof magic, wire::node_magic) || (name.starts_with(wire::node_prefix) && name.ends_with(wire::node_suffix));
}

NodeFile read_node_file(const fs::path &path) {
  NodeFile file;
  file.path = path;
  const std::uint64_t bytes = size_of(path);
  std::ifstream in(path, std::ios::binary);
  const wire::NodeHeader header = checked_header(in, path.string());
  file.run_id = text_of(header.run_id);
  file.host = text_of(header.host);
  file.boot_id = text_of(header.boot_id);
  file.world_key = text_of(header.world_key);
  const std::uint64_t there = bytes > wire::node_header_bytes ? (bytes - wire::node_header_bytes) / sizeof(NodeSlot) : 0;
  std::vector<NodeSlot> slots(static_cast<std::size_t>(std::min<std::uint64_t>(header.capacity, there)));
  if (!slots.empty() && !read_bytes(in, wire::node_header_bytes, slots.data(), slots.size() * sizeof(NodeSlot)))
    throw Error(path.string() + ": cannot be read");
  // The counter may lag behind, and never leads.
  if (slots.size() < std::min<std::uint64_t>(header.claimed, header.capacity))
    file.problems.push_back(path.string() + ": was cut off: it has " + std::to_string(slots.size()) + " of " + std::to_string(header.claimed) + " slots");
  std::map<Key, NodeFileSlot> last;
  std::set<Key> claimed;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const bool filled = slots[i].offset || slots[i].bytes || slots[i].sum;
    if (slots[i].state == NodeSlotState::free && !filled) continue;
    if (filled && (slots[i].state == NodeSlotState::free || slots[i].state == NodeSlotState::claimed)) {
      file.problems.push_back(slot_name(file, i) + " (rank " + std::to_string(slots[i].rank) + ") is damaged: it is filled and says that it is not");
      continue;
    }
    claimed.insert(key_of(slots[i]));
    if (slots[i].state == NodeSlotState::claimed) continue;
    auto problem = problem_of(slots[i], header, bytes);
    if (problem.empty()) last[key_of(slots[i])] = {slots[i], i};
    else file.problems.push_back(slot_name(file, i) + " (rank " + std::to_string(slots[i].rank) + ") " + problem);
  }
  for (const auto &[key, slot] : last) {
    file.slots.push_back(slot);
    claimed.erase(key);
  }
  file.unfinished = claimed.size();
  auto by_rank = [](const NodeSlot &a, const NodeSlot &b) { return std::tie(a.rank, a.kind, a.pid) < std::tie(b.rank, b.kind, b.pid); };
  std::sort(file.slots.begin(), file.slots.end(), by_rank);
  return file;
}

fs::path slot_path(const NodeFile &file, const NodeFileSlot &slot) { return file.path / (slot_prefix + std::to_string(slot.number)); }

RankRecord read_dump(const fs::path &source) {
  const std::string name = source.filename().string();
  std::uint64_t number = 0;
  const char *begin = name.data() + std::min(slot_prefix.size(), name.size());
  const bool is_slot = name.starts_with(slot_prefix) && std::from_chars(begin, name.data() + name.size(), number).ec == std::errc();
  return is_slot && is_node_file(source.parent_path()) ? read_slot(source, number) : read_rank_dump(source);
}

std::vector<fs::path> unpack_blocks(NodeFile &file, const fs::path &directory) {
  std::vector<fs::path> files;
  for (const NodeFileSlot &slot : file.slots) {
    if (slot.kind == NodeSlotKind::dump) continue;
    const fs::path target = directory / block_name(file, slot);
    std::error_code error;
    if (fs::exists(target, error)) continue;
    try {
      copy_block(file, slot, target);
      files.push_back(target);
    } catch (const Error &failure) {
      fs::remove(target, error);
      file.problems.push_back(failure.what());
    }
  }
  return files;
}

}  // namespace scope::model

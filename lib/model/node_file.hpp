#pragma once
// Reads node files (lib/wire/node_file.hpp): the dumps of a node's ranks in one file. Nothing in the file is trusted.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "model/rank_record.hpp"
#include "wire/node_file.hpp"

namespace scope::model {

struct NodeFileSlot : wire::NodeSlot {
  std::size_t number = 0;  ///< in the file
};

struct NodeFile {
  std::filesystem::path path;
  std::string run_id, host, boot_id, world_key;
  std::vector<NodeFileSlot> slots;   ///< complete and in order; of a process and kind only the last
  std::size_t unfinished = 0;          ///< processes that claimed a slot and did not complete one
  std::vector<std::string> problems;   ///< slots that make no sense: file, slot and reason
};

/// Throws support::Error with file and reason where it is no node file, or is damaged where that concerns all of it.
NodeFile read_node_file(const std::filesystem::path &file);

/// RankRecord::source of a dump in a node file: "<file>/slot-<number>".
std::filesystem::path slot_path(const NodeFile &file, const NodeFileSlot &slot);

/// A rank dump, in a file of its own or in the slot of a node file. Throws support::Error like read_rank_dump.
RankRecord read_dump(const std::filesystem::path &source);

/// Writes the blocks (regions, timelines) of a file that was handed over into a directory, under the names that they had.
/// The files. What can't be read or written becomes a problem.
std::vector<std::filesystem::path> unpack_blocks(NodeFile &file, const std::filesystem::path &directory);

bool is_node_file(const std::filesystem::path &file);

}  // namespace scope::model

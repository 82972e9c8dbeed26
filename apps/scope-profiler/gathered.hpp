#pragma once
// What ranks left, wherever that is (run --collect): the run directory, directories of nodes that can be seen from here, and hosts
// whose data somebody has to fetch.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/run_directory.hpp"
#include "model/profile.hpp"

namespace scope::app {

struct Gathered {
  std::vector<std::filesystem::path> files, traces;
  std::vector<std::filesystem::path> local;  ///< directories of nodes that are here, too
  std::vector<launch::AwayHost> away;        ///< not to be seen from here
};

/// Blocks that came in node files are unpacked into the run directory.
Gathered gather(const std::filesystem::path &run_directory);

/// Unpacks the blocks in the node files of `files` into `target`, and adds them to the lists. What is damaged is said by who reads
/// the dumps.
void unpack_node_files(std::vector<std::filesystem::path> &files, std::vector<std::filesystem::path> &traces,
                       const std::filesystem::path &target);

/// Hosts whose data are not here, and the lines for a shell that fetch and merge them.
struct Elsewhere {
  model::Warning warning;           ///< with the lines in it
  std::vector<std::string> lines;
};
/// Nothing where there are no such hosts.
std::optional<Elsewhere> data_elsewhere(const Gathered &gathered, const std::filesystem::path &run_directory, const std::string &output);

}  // namespace scope::app

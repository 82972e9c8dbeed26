#pragma once
// The file of --config: TOML, of which options need sections, keys, texts, numbers, truth, and arrays of these.

#include <string>
#include <vector>

#include "cli_layers.hpp"

namespace scope::cli {

/// Reads and parses; items in the order of the file. Throws support::Error that names file, line and reason: for what is no
/// TOML, TOML that options have no use for (arrays in arrays, tables in tables, dates), a key that is there twice, lines of more
/// than 4096 bytes and files of more than 1 MiB.
std::vector<FileItem> read_config(const std::string &file);

/// The same of a text; `file` is its name.
std::vector<FileItem> parse_config(const std::string &text, const std::string &file);

}  // namespace scope::cli

#pragma once
// Files: whole reads, writes that appear at once or not at all. All functions throw Error with the path and the reason.

#include <filesystem>
#include <string>
#include <string_view>

namespace scope::support {

/// The whole file; gunzips a file that begins with the gzip magic, whatever its name. `limit_bytes` bounds the result
/// (a compressed file of a gigabyte of zeros is refused, not expanded).
std::string read_file(const std::filesystem::path &file, std::size_t limit_bytes = std::size_t{4} << 30);

/// Writes beside `file` (same directory), fsyncs, renames into place; nothing is left behind on failure. Missing directories
/// are made. `gzip` compresses. `keep_old` renames an earlier file to NAME.old first.
void write_file_atomically(const std::filesystem::path &file, std::string_view content, bool gzip, bool keep_old);

}  // namespace scope::support

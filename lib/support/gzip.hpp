#pragma once
// gzip in memory. Of files, files.cpp decides when.

#include <string>
#include <string_view>

namespace scope::support {

bool is_gzip(std::string_view bytes);

/// Compressed text. The header holds no time and no name, so equal input gives equal output.
std::string gzip(std::string_view bytes);

/// All members of a gzip file. Throws Error with the reason alone ("is truncated: ..."), the caller names the file.
std::string gunzip(std::string_view bytes, std::size_t limit_bytes);

}  // namespace scope::support

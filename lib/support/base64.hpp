#pragma once
// Bytes as text (RFC 4648, section 4).

#include <string>
#include <string_view>

namespace scope::support {

/// With the padding, without line ends.
std::string base64(std::string_view bytes);

}  // namespace scope::support

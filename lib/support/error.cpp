#include "support/error.hpp"

#include <system_error>

namespace scope::support {

std::string errno_text(int error) { return std::generic_category().message(error); }

}  // namespace scope::support

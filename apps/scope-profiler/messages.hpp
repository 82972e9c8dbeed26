#pragma once
// What the tool says on standard error: "scope-profiler: warning: ...".

#include <string>

#include "cli.hpp"

namespace scope::app {

void set_up_messages(const cli::CommonOptions &options);

bool quiet();  ///< -q was given

void debug(const std::string &text);  ///< with -v
void info(const std::string &text);   ///< not with -q
void warn(const std::string &text);
void error(const std::string &text);

}  // namespace scope::app

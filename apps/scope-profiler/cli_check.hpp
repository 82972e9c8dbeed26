#pragma once
// The options of `check` and `export`, apart from those of the other commands: they are many. Included by the files that see CLI11.

#include "cli.hpp"

namespace CLI {
class App;
}

namespace scope::cli {

void add_check_options(CLI::App &app, CheckCommand &check);
void add_export_options(CLI::App &app, ExportCommand &command);

}  // namespace scope::cli

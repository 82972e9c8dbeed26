#pragma once
// The options of `watch` and `doctor`, bound to their structs. Internal to the command line.

#include "cli.hpp"

namespace CLI {
class App;
}

namespace scope::cli {

void add_watch_options(CLI::App &app, WatchCommand &watch);
void add_doctor_options(CLI::App &app, DoctorCommand &doctor);

}  // namespace scope::cli

#pragma once
// The subcommands. Each returns the exit code of the tool, or throws support::Error.

#include "cli.hpp"

namespace scope::app {

int run_command(const cli::CommandLine &line);
int report_command(const cli::CommandLine &line);
int merge_command(const cli::CommandLine &line);
int watch_command(const cli::CommandLine &line);
int doctor_command(const cli::CommandLine &line);
int check_command(const cli::CommandLine &line);
int export_command(const cli::CommandLine &line);
int version_command(const cli::CommandLine &line);

inline constexpr int tool_fault = 125;

}  // namespace scope::app

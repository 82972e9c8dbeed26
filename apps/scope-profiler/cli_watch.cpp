// The options of `watch` and `doctor`.

#include <CLI/CLI.hpp>

#include "cli_watch.hpp"

namespace scope::cli {

void add_watch_options(CLI::App &app, WatchCommand &watch) {
  app.description("Shows a job that runs under 'scope-profiler run --mpi-calls': what every rank does, and how fast.");
  app.add_option("directory", watch.directory, "where the job's profile will be written, or its run directory (default: here)")
      ->type_name("DIR");
  app.add_option("--interval", watch.interval, "seconds between two looks (default: 1)")
      ->check(CLI::Range(0.05, 86400.0).description(""))
      ->type_name("SEC");
  app.add_flag("--once", watch.once, "two looks an interval apart, printed once");
  app.add_option("--format", watch.format, "text or json; without --once one JSON object a line")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->type_name("FORMAT");
  app.add_option("--rows", watch.rows, "one row for each of ranks or states; auto: ranks as long as they have room")
      ->check(CLI::IsMember({"auto", "ranks", "states"}).description(""))
      ->type_name("WHAT");
  app.add_option("--order", watch.order, "since (longest in its call first), mpi, calls, bytes or rank")
      ->check(CLI::IsMember({"since", "mpi", "calls", "bytes", "rank"}).description(""))
      ->type_name("WHAT");
  app.add_option("--top", watch.top, "rows at most, 0 for as many as have room")
      ->check(CLI::Range(0, 1 << 30).description(""))
      ->type_name("N");
  app.add_option("--stall-timeout", watch.stall_timeout,
                 "warn when no rank makes progress for so long, and say why (default: 10)")
      ->check(CLI::Range(0.1, 1e6).description(""))
      ->type_name("SEC");
}

void add_doctor_options(CLI::App &app, DoctorCommand &doctor) {
  app.description(
      "Says which MPI launchers are here, and proves with a run of two ranks that their calls can be profiled.\n"
      "The exit code is 1 where something is wrong.");
  app.add_flag("--coverage", doctor.coverage, "list the MPI procedures that are timed and those that are not, and run nothing");
  app.add_option("--format", doctor.format, "text, markdown, csv or json")
      ->check(CLI::IsMember({"text", "markdown", "csv", "json"}).description(""))
      ->type_name("FORMAT");
}

}  // namespace scope::cli

#pragma once
// What the tool and the code that it preloads into ranks agree on: environment names, file names, formats and versions.

#include <cstdint>

namespace scope::wire {

// The environment that `run` gives to ranks. Without run_dir the shim is inert.
inline constexpr const char env_run_dir[] = "SCOPE_PROFILER_RUN_DIR";    ///< absolute path of the private run directory
inline constexpr const char env_run_id[] = "SCOPE_PROFILER_RUN_ID";      ///< repeated by every dump and live block of the run
inline constexpr const char env_clock[] = "SCOPE_PROFILER_CLOCK";        ///< "tsc" or "monotonic": overrides the choice (bench, tests)
inline constexpr const char env_max_entries[] = "SCOPE_PROFILER_MAX_ENTRIES";  ///< bound of signatures a rank, default below

inline constexpr const char env_site_depth[] = "SCOPE_PROFILER_CALLSITE_DEPTH";  ///< frames of a call site, 1 to site_depth_limit

inline constexpr const char env_trace_bytes[] = "SCOPE_PROFILER_TRACE_BYTES";  ///< run --trace: most that a rank's timeline may take; without it none is recorded
// With --trace only: where ranks of other nodes ask for the launcher's clock (clock_exchange.hpp).
inline constexpr const char env_clock_server[] = "SCOPE_PROFILER_CLOCK_SERVER";  ///< "10.0.0.1:4711 [2001:db8::1]:4711", at most
                                                                                 ///< clock_address_limit of them
inline constexpr const char env_boot_id[] = "SCOPE_PROFILER_BOOT_ID";  ///< of the launcher's node: its ranks ask nothing

// How ranks' data reach the launcher: "node", "mpi" or "auto"; without it, and with "files", a file a rank in the run directory.
inline constexpr const char env_collect[] = "SCOPE_PROFILER_COLLECT_MODE";
/// Seconds that --collect mpi waits for other nodes where nothing moves; default below.
inline constexpr const char env_patience[] = "SCOPE_PROFILER_COLLECT_PATIENCE";
inline constexpr std::uint64_t default_patience_s = 120;

inline constexpr const char env_region_library[] = "SCOPE_PROFILER_REGION_LIBRARY";  ///< absolute path of region_file; without it regions are off

inline constexpr const char shim_file[] = "libscope-profiler-mpi.so";
inline constexpr const char region_file[] = "libscope-profiler-region.so";  ///< records regions, loaded by what calls the region API
inline constexpr const char refusal_prefix[] = "refused-";  ///< refused-<host>-<pid>: a link to the errno, of a rank that got no block
inline constexpr const char clock_prefix[] = "clock-";  ///< clock-<boot id>-<0 or 1>: empty; who made it asks for the launcher's clock
inline constexpr const char agent_file[] = "scope-profiler-agent";  ///< Open MPI's fork agent, beside the shim
inline constexpr const char probe_file[] = "scope-profiler-probe";  ///< the two ranks of `doctor`, beside the shim

// Files in the run directory. %s of a live block is "<host>-<pid>-<start time in clock ticks since boot>".
inline constexpr const char live_prefix[] = "live-";   ///< live-<host>-<pid>-<starttime>.block
inline constexpr const char region_prefix[] = "regions-";  ///< regions-<host>-<pid>-<starttime>.block, of any process that has regions
inline constexpr const char trace_prefix[] = "trace-";  ///< trace-calls-<host>-<pid>-<starttime>.block, trace-regions-...
inline constexpr const char live_suffix[] = ".block";
inline constexpr const char dump_prefix[] = "rank-";   ///< rank-<world key>-<rank>.json
inline constexpr const char dump_suffix[] = ".json";

inline constexpr const char node_prefix[] = "node-";   ///< node-<host>-<boot id>-<world key>.ranks
inline constexpr const char node_suffix[] = ".ranks";
inline constexpr const char info_file[] = "run.info";  ///< what the launcher says of the run; begins with the run id
/// away-<boot id>: a node whose data are not in the run directory: "<host>\n<directory>\n". In that directory: a claim, empty.
inline constexpr const char away_prefix[] = "away-";
/// Behind the boot id: of a world that no rank can hand over, all being away.
inline constexpr const char stranded_suffix[] = "-x";
inline constexpr const char local_prefix[] = ".scope-profiler-";  ///< with the run id: a node's own directory, in TMPDIR or /tmp

// Formats. A reader refuses a higher major version, by name.
inline constexpr const char dump_format[] = "scope-profiler-rank";
inline constexpr int dump_version = 1;
inline constexpr const char summary_format[] = "scope-profiler-summary";
inline constexpr int summary_version = 1;

inline constexpr std::uint32_t default_max_entries = 65536;

}  // namespace scope::wire

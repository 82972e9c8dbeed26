#pragma once
// What is known of how ranks ended, written into their records. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/launcher.hpp"
#include "launch/rank_watch.hpp"
#include "model/rank_record.hpp"

namespace scope::cli {

/// The signal that ended a rank, as far as the exit code of the command says it.
///
/// Measured, 3 ranks, rank 1 ends by a signal in MPI (Open MPI 4.1.4 and MPICH 4.0.2, 5 times each):
///   Open MPI: SIGKILL 137, SIGSEGV 139, SIGABRT 134, SIGTERM 143: 128 + signal every time; _exit(3) 3.
///   MPICH: SIGKILL 9, SIGSEGV 11, SIGTERM 15 every time, SIGABRT 6 or 15, SIGUSR1 0; _exit(3) 3 or 9, _exit(139) 139 or 9.
/// Hydra joins the wait statuses of all ranks with a bitwise or, also of those that it killed itself with SIGKILL (6|9 = 15),
/// and a signal's number stands where exit codes do. So of hydra's code nothing is concluded.
std::optional<int> signal_told_by(launch::LauncherKind launcher, int exit_code);

/// Sets status and signal of records that were recovered from live blocks. What the kernel said of a rank's end counts; where
/// it said nothing, the first rank to die without a word gets the signal that the launcher's exit code tells. Others stay.
void apply_rank_ends(std::vector<model::RankRecord> &records, const std::vector<launch::RankEnd> &ends,
                     launch::LauncherKind launcher, int exit_code);

/// The rank's clock now: "tsc" is the time-stamp counter, anything else CLOCK_MONOTONIC.
std::uint64_t ticks_now(const std::string &clock);

/// Recovered records of this boot get a second instant that is far from the first, see model::refine_scale.
void refine_recovered(std::vector<model::RankRecord> &records, const std::string &boot_id);

}  // namespace scope::cli

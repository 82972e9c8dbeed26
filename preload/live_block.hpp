#pragma once
// The file in the run directory that this rank counts into (layout: wire/live_block.hpp). It is a shared mapping: what was
// stored is in the file, whatever kills the process. Not thread-safe: callers hold `state_lock` (recorder.hpp).

#include <cstddef>
#include <cstdint>

#include "clock.hpp"
#include "wire/live_block.hpp"

namespace scope::preload {

/// The mapped header; nullptr until open_live_block succeeded.
SCOPE_HIDDEN extern wire::Header *live;

/// Makes and maps the file, and fills in what is known of the process. False (and no file) if the directory, the disk or a
/// limit does not allow it; the reason is left in the directory where that is possible. Disk space is taken with posix_fallocate before it is touched: a full disk is a refusal here,
/// never a SIGBUS later. RLIMIT_FSIZE is asked first: exceeding it would send SIGXFSZ to the program.
bool open_live_block(const char *run_dir, const char *run_id, wire::Holds holds);

/// Appends a zeroed item of `bytes` (rounded up to 64) and returns it with its header set, or nullptr when the bound of the
/// file or the disk is reached; the reason is left in the directory then. Entries meet that bound earlier than what only totals
/// need. Readers see the item from now on.
wire::ItemHeader *add_item(wire::Item type, std::uint32_t thread, std::size_t bytes);

/// Takes the second clock pair anew, so that a reader can scale ticks if the process dies.
void refresh_clock();

/// Removes the file; the mapping stays.
void unlink_live_block();

/// The bound of the file, of which entries, statistics and communicators are part.
inline constexpr std::size_t live_limit = 12u << 20;

}  // namespace scope::preload

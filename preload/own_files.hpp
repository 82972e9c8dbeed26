#pragma once
// Files of this process for the tool: their names, whose they are, and writing them without harm to the program. Nothing here is
// fast, and nothing is called while the program's calls are timed.

#include <cstddef>
#include <cstdint>

namespace scope::preload {

/// As uname says, "unknown" where it fails. Valid for good.
const char *host_name();

/// "<directory>/<prefix><kind><host>-<pid>-<start time>.live", cut to fit: no other process of the run has that name.
void name_process_file(char *path, std::size_t size, const char *directory, const char *prefix, const char *kind);

/// Makes a file that must be new, for its owner only whatever the program's mask is; one of that name is left from before an exec of
/// the process, and goes. Descriptor, or -1 with errno.
int create_process_file(const char *path);

/// False where the program's RLIMIT_FSIZE is lower: exceeding it would send SIGXFSZ to the program.
bool may_reach(std::size_t bytes);

/// The whole range, or false with errno (EFBIG: may_reach said no; a short read leaves it as it was).
bool read_at(int file, void *bytes, std::size_t size, std::size_t at);
bool write_at(int file, const void *bytes, std::size_t size, std::size_t at);

/// Who wrote a file: fields that headers have in common.
struct Owner {
  char run_id[48];
  char host[128];
  char boot_id[40];
  std::uint64_t start_time;
  std::uint32_t pid;
};
Owner this_process(const char *run_id);

template <class Header>
void set_owner(Header &header, const char *run_id) {
  const Owner owner = this_process(run_id);
  static_assert(sizeof header.run_id == sizeof owner.run_id && sizeof header.host == sizeof owner.host && sizeof header.boot_id == sizeof owner.boot_id);
  __builtin_memcpy(header.run_id, owner.run_id, sizeof owner.run_id);
  __builtin_memcpy(header.host, owner.host, sizeof owner.host);
  __builtin_memcpy(header.boot_id, owner.boot_id, sizeof owner.boot_id);
  header.start_time = owner.start_time;
  header.pid = owner.pid;
}

}  // namespace scope::preload

#include "live_block.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.hpp"
#include "memory.hpp"
#include "own_files.hpp"
#include "procfs.hpp"
#include "wire/contract.hpp"
#include "wire/mpi_calls.hpp"

namespace scope::preload {

wire::Header *live = nullptr;

namespace {

constexpr std::size_t first_bytes = 256 * 1024;
constexpr std::size_t step_bytes = 512 * 1024;
/// Not for entries: when the file can't grow, totals of procedures that are new then still find a place (3 KiB each).
constexpr std::size_t kept_back = 96 * 1024;

char file_path[4096];
char reason_path[4096];
char *base;               // of the reserved address range of live_limit bytes
std::size_t mapped_bytes;
bool exhausted;  // growing failed once: not tried again at every call

/// Extends the file to `bytes` and maps the new part behind the old one. False with errno.
bool extend(int file, std::size_t bytes) {
  int error = may_reach(bytes) ? posix_fallocate(file, 0, static_cast<off_t>(bytes)) : EFBIG;
  if (error != 0) {
    errno = error;
    return false;
  }
  void *part = mmap(base + mapped_bytes, bytes - mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                    static_cast<off_t>(mapped_bytes));
  if (part == MAP_FAILED) return false;
  madvise(part, bytes - mapped_bytes, MADV_DONTFORK);  // a child's stores must not reach the parent's counts
  mapped_bytes = bytes;
  return true;
}

bool grow(std::size_t needed) {
  std::size_t wanted = needed > mapped_bytes + step_bytes ? needed : mapped_bytes + step_bytes;
  wanted = (wanted + 4095) / 4096 * 4096;
  if (wanted > live_limit) wanted = live_limit;
  int file = open(file_path, O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  bool extended = extend(file, wanted);
  close(file);
  return extended;
}

/// Tells the tool why this process is not recorded, or its table can't grow, in a way that works on a full disk: a short link takes no block.
void leave_reason(int error) {
  char reason[16] = "";
  append_number(reason, sizeof reason, static_cast<std::uint64_t>(error));
  if (symlink(reason, reason_path) != 0) errno = error;
}

void name_reason(const char *run_dir) {
  copy_text(reason_path, sizeof reason_path, run_dir);
  append_text(reason_path, sizeof reason_path, "/");
  append_text(reason_path, sizeof reason_path, wire::refusal_prefix);
  append_text(reason_path, sizeof reason_path, host_name());
  append_text(reason_path, sizeof reason_path, "-");
  append_number(reason_path, sizeof reason_path, static_cast<std::uint64_t>(getpid()));
}

void describe_process(wire::Header &header, const char *run_id) {
  memcpy(header.magic, wire::live_magic, sizeof header.magic);
  header.version = wire::live_version;
  header.header_bytes = sizeof(wire::Header);
  header.table_hash = wire::table_hash();
  set_owner(header, run_id);
  ssize_t length = readlink("/proc/self/exe", header.executable, sizeof header.executable - 1);
  header.executable[length > 0 ? length : 0] = 0;
  header.rank = header.size = wire::none;
  header.thread_level = wire::none;
  header.state = wire::State::before_init;
  header.clock = the_clock.is_tsc ? wire::ClockKind::tsc : wire::ClockKind::monotonic;
  header.unix_ns = realtime_ns();
  header.first = header.last = clock_pair();
  header.used = (sizeof(wire::Header) + 63) / 64 * 64;
}

}  // namespace

bool open_live_block(const char *run_dir, const char *run_id, wire::Holds holds) {
  name_process_file(file_path, sizeof file_path, run_dir, holds == wire::Holds::regions ? wire::region_prefix : wire::live_prefix, "");
  name_reason(run_dir);

  base = static_cast<char *>(mmap(nullptr, live_limit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (base == MAP_FAILED) return false;
  mapped_bytes = 0;
  int file = create_process_file(file_path);
  bool opened = file >= 0 && extend(file, first_bytes);
  int error = errno;
  if (file >= 0) close(file);  // the program's descriptor numbers stay as they were
  if (!opened) {
    leave_reason(error);
    if (file >= 0) unlink(file_path);
    munmap(base, live_limit);
    return false;
  }
  live = reinterpret_cast<wire::Header *>(base);
  live->holds = holds;
  describe_process(*live, run_id);
  return true;
}

wire::ItemHeader *add_item(wire::Item type, std::uint32_t thread, std::size_t bytes) {
  if (!live) return nullptr;
  bytes = (bytes + 63) / 64 * 64;
  std::size_t used = live->used, needed = used + bytes + (type == wire::Item::entries ? kept_back : 0);
  if (needed > live_limit) return nullptr;
  if (needed > mapped_bytes) {
    if (exhausted) return nullptr;
    exhausted = !grow(needed);
    if (exhausted) leave_reason(errno);
    if (exhausted) return nullptr;
  }
  wire::ItemHeader *item = reinterpret_cast<wire::ItemHeader *>(base + used);
  item->type = type;
  item->thread = thread;
  item->bytes = bytes;
  __atomic_store_n(&live->used, used + bytes, __ATOMIC_RELEASE);
  refresh_clock();
  return item;
}

void refresh_clock() {
  if (live) live->last = clock_pair();
}

void unlink_live_block() { unlink(file_path); }

}  // namespace scope::preload

#include "own_files.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "procfs.hpp"
#include "wire/contract.hpp"

namespace scope::preload {

const char *host_name() {
  static utsname system;
  return uname(&system) == 0 ? system.nodename : "unknown";
}

void name_process_file(char *path, std::size_t size, const char *directory, const char *prefix, const char *kind) {
  copy_text(path, size, directory);
  append_text(path, size, "/");
  append_text(path, size, prefix);
  append_text(path, size, kind);
  append_text(path, size, host_name());
  append_text(path, size, "-");
  append_number(path, size, static_cast<std::uint64_t>(getpid()));
  append_text(path, size, "-");
  append_number(path, size, start_time(0));
  append_text(path, size, wire::live_suffix);
}

int create_process_file(const char *path) {
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 && unlink(path) == 0) file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) fchmod(file, 0600);  // the program's mask may take the owner's own rights
  return file;
}

bool may_reach(std::size_t bytes) {
  rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes;
}

bool read_at(int file, void *bytes, std::size_t size, std::size_t at) {
  char *to = static_cast<char *>(bytes);
  while (size > 0) {
    ssize_t got = pread(file, to, size, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    at += static_cast<std::size_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_at(int file, const void *bytes, std::size_t size, std::size_t at) {
  if (!may_reach(at + size)) {
    errno = EFBIG;
    return false;
  }
  const char *from = static_cast<const char *>(bytes);
  while (size > 0) {
    ssize_t written = pwrite(file, from, size, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    from += written;
    at += static_cast<std::size_t>(written);
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

Owner this_process(const char *run_id) {
  Owner owner{};
  copy_text(owner.run_id, sizeof owner.run_id, run_id);
  copy_text(owner.host, sizeof owner.host, host_name());
  if (read_text("/proc/sys/kernel/random/boot_id", owner.boot_id, sizeof owner.boot_id) > 0) owner.boot_id[strcspn(owner.boot_id, "\n")] = 0;
  owner.start_time = start_time(0);
  owner.pid = static_cast<std::uint32_t>(getpid());
  return owner;
}

}  // namespace scope::preload

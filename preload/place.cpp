#include "place.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.hpp"
#include "procfs.hpp"
#include "wire/contract.hpp"

namespace scope::preload {

namespace {

Collect asked_for() {
  const char *text = environment(wire::env_collect);
  if (!text) return Collect::files;
  if (strcmp(text, "node") == 0) return Collect::node;
  if (strcmp(text, "mpi") == 0) return Collect::mpi;
  return strcmp(text, "auto") == 0 ? Collect::automatic : Collect::files;
}

/// A directory of that name may be there and be another one: only the run's own says the run's id.
bool is_run_directory(const char *directory, const char *run_id) {
  char path[4096], text[128], expected[128] = "run_id";
  put_path(path, sizeof path, directory, wire::info_file, "");
  std::size_t key = strlen(expected) + 1;
  copy_text(expected + key, sizeof expected - key, run_id);
  std::size_t length = key + strlen(expected + key) + 1;
  return read_text(path, text, sizeof text) >= static_cast<int>(length) && memcmp(text, expected, length) == 0;
}

/// As /proc says, without the line feed.
bool is_launchers_node() {
  const char *launcher = environment(wire::env_boot_id);
  char own[64] = "";
  if (!launcher || read_text("/proc/sys/kernel/random/boot_id", own, sizeof own) <= 0) return true;
  own[strcspn(own, "\n")] = 0;
  return strcmp(launcher, own) == 0;
}

/// Its name can't be guessed before the run; what others made of it afterwards is refused.
bool make_private(const char *directory) {
  mkdir(directory, 0700);
  struct stat found;
  if (lstat(directory, &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != geteuid()) return false;
  if ((found.st_mode & 0777) != 0700 && chmod(directory, 0700) != 0) return false;  // a mask may have taken the owner's own rights
  return (found.st_mode & 077) == 0;
}

bool local_directory(char *path, std::size_t size, const char *run_id) {
  const char *own = environment("TMPDIR");
  const char *const bases[] = {own, "/tmp"};
  for (const char *base : bases) {
    if (!base || *base != '/' || strlen(base) + strlen(run_id) > 200) continue;
    put_path(path, size, base, wire::local_prefix, run_id);
    if (make_private(path)) return true;
  }
  return false;
}

}  // namespace

void put_path(char *path, unsigned long size, const char *directory, const char *name, const char *end) {
  copy_text(path, size, directory);
  append_text(path, size, "/");
  append_text(path, size, name);
  append_text(path, size, end);
}

const Place &find_place() {
  static Place place;
  static bool found;
  static char run_dir[4096], local[512];
  if (found) return place;
  found = true;
  const char *directory = environment(wire::env_run_dir), *run_id = environment(wire::env_run_id);
  if (!directory || *directory != '/' || !run_id) return place;
  KeepErrno keep;
  copy_text(run_dir, sizeof run_dir, directory);
  place = {run_dir, asked_for(), false};
  if (place.collect == Collect::files) return place;
  bool here = place.collect == Collect::mpi ? is_launchers_node() : true;
  if (here && is_run_directory(run_dir, run_id) && access(run_dir, W_OK) == 0) return place;
  if (!local_directory(local, sizeof local, run_id)) return place;
  place.directory = local;
  place.local = true;
  return place;
}

}  // namespace scope::preload

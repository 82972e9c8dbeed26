#pragma once
// Where this process leaves its data: in the run directory, or, where its node can't reach that, in a directory of the node
// (run --collect).

namespace scope::preload {

enum class Collect { files, node, mpi, automatic };

struct Place {
  const char *directory;  ///< absolute
  Collect collect;
  bool local;             ///< it is not the run directory
};

/// From the environment; nothing where `run` did not ask for it (directory is null). Decided once. The directory of the node is
/// TMPDIR/.scope-profiler-<run id>, or in /tmp, 0700 and of this user, else the run directory is all there is.
const Place &find_place();

/// "<directory>/<name><end>" in a buffer of `size`.
void put_path(char *path, unsigned long size, const char *directory, const char *name, const char *end);

}  // namespace scope::preload

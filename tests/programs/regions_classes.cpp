// Regions in C++, without MPI. The first argument says which:
//   throws    outer (1 call), outer/inner (1) left by an exception, after (1); C's "begun" is left open by an exception in "guard"
//   threads   8 threads one after another and 4 at once: "work" (12 calls) and "work/part" (24) at the top, since threads have no parent
//   openmp    main (1), main/loop on thread 0 and loop on the others: 4 calls together
//   dynamic   level 0, level 1, level 2: names made at run time
//   library   "shared" here, "shared/plugin" in a library that is opened and has its own copy of the header
#include <dlfcn.h>
#include <scope_profiler.hpp>

#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

void inner() {
  SCOPE_REGION("inner");
  throw std::runtime_error("expected");
}

void outer() {
  SCOPE_FUNCTION();
  inner();
}

void throws() {
  try {
    outer();
  } catch (const std::exception &) {
  }
  SCOPE_REGION("after");
  try {
    SCOPE_REGION("guard");
    SCOPE_BEGIN("begun");
    throw std::runtime_error("expected");
  } catch (const std::exception &) {
  }
}

void work() {
  SCOPE_REGION("work");
  for (int i = 0; i < 2; ++i) {
    SCOPE_REGION("part");
  }
}

void threads() {
  for (int i = 0; i < 8; ++i) std::thread(work).join();
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i) all.emplace_back(work);
  for (auto &thread : all) thread.join();
}

void openmp() {
  SCOPE_REGION("main");
#pragma omp parallel num_threads(4)
  {
    SCOPE_REGION("loop");
  }
}

void dynamic() {
  for (int i = 0; i < 3; ++i) scope_profiler::DynamicRegion region("level " + std::to_string(i));
}

int library(const char *file) {
  SCOPE_REGION("shared");
  void *plugin = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  auto run = plugin ? reinterpret_cast<void (*)()>(dlsym(plugin, "run")) : nullptr;
  if (!run) return 1;
  run();
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "throws") throws();
  else if (what == "threads") threads();
  else if (what == "openmp") openmp();
  else if (what == "dynamic") dynamic();
  else if (what == "library") return library(argv[2]);
  return 0;
}

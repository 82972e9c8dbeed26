// The two ends of the clock exchange as processes, for tests that put them on two nodes. No preload, no MPI.
//   clock_exchange serve RUN_ID     prints the port, answers until standard input ends
//   clock_exchange ask RUN_ID DIR   as a rank would with DIR as run directory: prints offset and error of both measurements in ns,
//                                   "none" where there is none
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "clock_exchange.hpp"
#include "launch/clock_server.hpp"
#include "procfs.hpp"

using namespace scope;

namespace {

int serve(const char *run_id) {
  launch::ClockServer server(run_id);
  std::printf("%d %s\n", server.port(), server.problem().c_str());
  std::fflush(stdout);
  char byte;
  while (read(0, &byte, 1) > 0) continue;
  return 0;
}

int ask(const char *run_id, const char *directory) {
  wire::TraceHeader header{};
  preload::copy_text(header.run_id, sizeof header.run_id, run_id);
  preload::read_text("/proc/sys/kernel/random/boot_id", header.boot_id, sizeof header.boot_id);
  header.boot_id[std::strcspn(header.boot_id, "\n")] = 0;
  for (int which : {0, 1}) {
    const auto &offset = header.offsets[which];
    if (preload::exchange_clock(header, which, directory)) std::printf("%" PRId64 " %" PRIu64 "\n", offset.offset_ns, offset.error_ns);
    else std::puts("none");
  }
  return 0;
}

}  // namespace

int main(int count, char **words) {
  if (count == 3 && std::strcmp(words[1], "serve") == 0) return serve(words[2]);
  if (count == 4 && std::strcmp(words[1], "ask") == 0) return ask(words[2], words[3]);
  return 2;
}

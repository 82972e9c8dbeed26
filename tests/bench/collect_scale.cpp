// What each --collect costs at a number of ranks: bytes, files, operations on the shared file system, messages and seconds. What one
// rank does is measured here, with the recorder itself and as processes that come at once; what more machines would do is simulated
// from that and from the rates below, which are assumptions. share/doc/scale.md quotes it.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <vector>

#include "dump.hpp"
#include "live_block.hpp"
#include "node_file.hpp"
#include "recorder.hpp"
#include "wire/contract.hpp"

namespace {

namespace fs = std::filesystem;
using namespace scope;
using Clock = std::chrono::steady_clock;

constexpr int signatures = 100;          // different calls of a rank
constexpr double ranks_a_node = 128;
constexpr double operations_per_s = 10'000;  // creations, renames, removals in one directory of a parallel file system
constexpr double write_bytes_per_s = 10e9;   // all nodes together
constexpr double link_bytes_per_s = 1e9;     // into one node, MPI over TCP or a slow part of a fabric
constexpr double message_s = 10e-6;
constexpr double skew_s = 0.1;               // how far apart ranks come to MPI_Finalize

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// One rank's life in the run directory.
int be_rank(const char *directory, int rank, bool node) {
  if (!preload::start_recorder(directory, "0123456789abcdef", 65536)) return 1;
  preload::live->rank = rank;
  preload::live->size = 1 << 20;
  preload::live->state = wire::State::finalized;
  std::snprintf(preload::live->world_key, sizeof preload::live->world_key, "bench");
  if (node && !preload::claim_slot(directory)) return 1;
  preload::Thread *thread = preload::acquire_thread();
  for (int i = 0; i < signatures; ++i) {
    preload::Note note{preload::make_key(wire::Call::MPI_Send, wire::none_comm), 1000, 1000, 1, 0, 4096, 0, false};
    note.key.peer = i;
    note.key.bytes = 4096;
    preload::note_entry(*thread, note);
    preload::note_duration(*thread, wire::Call::MPI_Send, 1000);
  }
  bool written = node ? preload::fill_slot() : preload::write_dump(directory);
  preload::unlink_live_block();
  return written ? 0 : 1;
}

struct Measured {
  double seconds = 0, bytes = 0;  // a rank
  std::size_t files = 0;          // all
};

Measured measure(int ranks, bool node) {
  std::string name = (fs::current_path() / "collect-XXXXXX").string();
  if (!mkdtemp(name.data())) std::abort();
  auto begin = Clock::now();
  std::vector<pid_t> children;
  for (int rank = 0; rank < ranks; ++rank) {
    pid_t child = fork();
    if (child == 0) _exit(be_rank(name.c_str(), rank, node));
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 1;
    if (waitpid(child, &status, 0) != child || status != 0) std::fprintf(stderr, "a rank failed\n");
  }
  Measured measured{seconds_since(begin) / ranks, 0, 0};
  for (const auto &entry : fs::directory_iterator(name)) {
    measured.bytes += static_cast<double>(fs::file_size(entry.path())) / ranks;
    ++measured.files;
  }
  fs::remove_all(name);
  return measured;
}

/// Requests that come at `arrivals` to one server, each served for so long: when the last is done.
double one_server(std::vector<double> arrivals, double service_s) {
  std::sort(arrivals.begin(), arrivals.end());
  double free_at = 0;
  for (double arrival : arrivals) free_at = std::max(free_at, arrival) + service_s;
  return free_at;
}

std::vector<double> arrivals(std::size_t count) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> skew(0, skew_s);
  std::vector<double> times(count);
  for (double &time : times) time = skew(random);
  return times;
}

struct Cost {
  double files, operations, shared_bytes, messages, end_s;
};

/// Live blocks in the run directory: made at MPI_Init, removed at the end; `dump_operations` each at the end.
Cost shared(double ranks, double dump_bytes, double files, double dump_operations) {
  constexpr double live_bytes = 256 * 1024;
  const double operations = ranks * (2 + dump_operations), bytes = ranks * (live_bytes + dump_bytes);
  double end = one_server(arrivals(static_cast<std::size_t>(ranks)), (1 + dump_operations) / operations_per_s);
  return {files, operations, bytes, 0, std::max(end, ranks * dump_bytes / write_bytes_per_s)};
}

/// Nodes one after the other: an announcement and two answers, and the file in chunks.
Cost handed_over(double ranks, double dump_bytes) {
  const double nodes = std::max(1.0, ranks / ranks_a_node), bytes = ranks / nodes * dump_bytes;
  const double chunks = std::max(1.0, bytes / wire::hand_chunk_bytes);
  auto times = arrivals(static_cast<std::size_t>(nodes));
  const double last = *std::max_element(times.begin(), times.end());  // nothing is sent until all have announced
  const double a_node = message_s * (2 + chunks) + bytes / link_bytes_per_s + 3 / operations_per_s;
  return {nodes, nodes * 3, ranks * dump_bytes, nodes * (4 + chunks), last + nodes * (message_s + a_node)};
}

void print(const char *name, double ranks, const Cost &cost) {
  std::printf("%9.0f  %-6s %10.0f %12.0f %12.1f %10.0f %10.1f\n", ranks, name, cost.files, cost.operations, cost.shared_bytes / 1e9, cost.messages, cost.end_s);
}

}  // namespace

int main() {
  std::printf("measured here, ranks as processes that come at once, %d signatures each\n ranks  collect  us/rank  KiB/rank  files\n", signatures);
  double dump_bytes = 0;
  for (int ranks : {64, 256, 1024})
    for (bool node : {false, true}) {
      auto measured = measure(ranks, node);
      std::printf("%6d  %-7s %8.0f %9.1f %6zu\n", ranks, node ? "node" : "files", measured.seconds * 1e6, measured.bytes / 1024, measured.files);
      if (!node) dump_bytes = measured.bytes;
    }
  std::printf("simulated: %.0f ranks a node, %.0f operations/s of the file system, %.0f GB/s into one node, dumps of %.1f KiB\n"
              "    ranks  collect     files   operations  GB to files   messages  s at the end\n",
              ranks_a_node, operations_per_s, link_bytes_per_s / 1e9, dump_bytes / 1024);
  for (double ranks : {1e3, 1e5, 1e6}) {
    print("files", ranks, shared(ranks, dump_bytes, ranks, 2));
    print("node", ranks, shared(ranks, dump_bytes, std::max(1.0, ranks / ranks_a_node), 0));
    print("mpi", ranks, handed_over(ranks, dump_bytes));
  }
  return 0;
}

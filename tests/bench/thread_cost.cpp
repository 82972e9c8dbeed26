// What recording costs a thread while 1, 2 or 4 threads record at once, without MPI: its own locks would hide ours. In CPU time of the
// thread, ns; the median thread's median block.
//
// A cache line that all threads write shows as a multiple of the first column. The union of all threads' time in MPI grows with their
// number by design: intervals are merged in order.
//
// thread_cost [ROW]

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "communicators.hpp"
#include "requests.hpp"

namespace {

using namespace scope;
using namespace scope::preload;

constexpr int blocks = 101, rounds = 20000;

double cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

using Once = void (*)(Thread &, int thread, int round);

/// Threads are spread over the processors: all on one would never run at once.
double measure(int count, Once once) {
  std::vector<double> medians(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  std::barrier together(count);
  const int processors = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  for (int t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      cpu_set_t processor;
      CPU_ZERO(&processor);
      CPU_SET(static_cast<std::size_t>(t % processors), &processor);
      pthread_setaffinity_np(pthread_self(), sizeof processor, &processor);
      Thread &thread = *acquire_thread();
      std::vector<double> each;
      for (int block = 0; block < blocks; ++block) {
        together.arrive_and_wait();
        double start = cpu_ns();
        for (int i = 0; i < rounds; ++i) once(thread, t, i);
        each.push_back((cpu_ns() - start) / rounds);
      }
      medians[static_cast<std::size_t>(t)] = median(each);
      release_thread(&thread);
    });
  for (std::thread &thread : threads) thread.join();
  return median(medians);
}

Communicator shared{};

void record(Thread &thread, wire::Call call, bool timed) {
  std::uint64_t begin = now();
  enter_call(thread, call, begin);
  std::uint64_t end = now();
  leave_call(thread);
  Note note{make_key(call, 0), end - begin, end - begin, 1, 0, 0, 0, false};
  note_entry(thread, note);
  note_duration(thread, call, end - begin);
  if (timed) note_time(thread, begin, end);
  settle_call(thread);
}

void live_through(Thread &thread, Word handle, Communicator *comm) {
  Operation *place = new_operation(thread);
  if (!place) return;
  *place = {};
  place->handle = handle;
  place->comm = comm;
  place->active = true;
  add_operation(thread, place);
  finish_operation(thread, take_operation(thread, handle));
}

/// Of a thread: a hundred handles in turn.
Word handle_of(int number, int round) { return 0x100000u * static_cast<Word>(number + 1) + 64 * static_cast<Word>(round % 100); }

struct Row {
  const char *name;
  Once once;
};
const Row rows[] = {
    {"two counter reads", [](Thread &, int, int) { static_cast<void>(now() + now()); }},
    {"a call, without its interval", [](Thread &thread, int, int) { record(thread, wire::Call::MPI_Comm_rank, false); }},
    {"a call", [](Thread &thread, int, int) { record(thread, wire::Call::MPI_Comm_rank, true); }},
    {"a request: begun, taken, finished", [](Thread &thread, int t, int i) { live_through(thread, handle_of(t, i), nullptr); }},
    {"the same, all on one communicator", [](Thread &thread, int t, int i) { live_through(thread, handle_of(t, i), &shared); }},
    {"the same, with one handle for all", [](Thread &thread, int, int) { live_through(thread, 0x40, nullptr); }},
};

}  // namespace

int main(int argc, char **argv) {
  std::string directory = (std::filesystem::temp_directory_path() / "scope-bench-XXXXXX").string();
  if (!mkdtemp(directory.data()) || !start_recorder(directory.c_str(), "0123456789abcdef", 65536)) {
    std::fprintf(stderr, "thread_cost: no live block in %s\n", directory.c_str());
    return 2;
  }
  live->rank = 0;
  live->size = 1;
  live->state = wire::State::running;
  multiple = true;
  choose_clock(nullptr);
  shared.references = 1;
  acquire_thread();  // of the first thread: with the next one there are many
  std::printf("%-36s %9s %9s %9s\n", "ns, CPU time of a thread", "1 thread", "2", "4");
  for (const Row &row : rows) {
    if (argc > 1 && std::string(row.name) != argv[1]) continue;
    std::printf("%-36s", row.name);
    for (int count : {1, 2, 4}) std::printf(" %9.1f", measure(count, row.once));
    std::printf("\n");
  }
  std::filesystem::remove_all(directory);
}

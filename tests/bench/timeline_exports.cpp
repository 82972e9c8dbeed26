// What exporting a long timeline takes: seconds, bytes, memory. `timeline_exports [EVENTS]`, 10 million by default; of them half belong
// to messages, or all with `timeline_exports EVENTS all`.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include "render/timeline_chrome_trace.hpp"
#include "render/timeline_csv.hpp"
#include "render/timeline_python_profile.hpp"
#include "render/timeline_speedscope.hpp"

namespace {

using namespace scope;
using namespace scope::timeline;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t ranks = 10;

enum What : std::uint32_t { irecv, isend, waited, barrier, whats };

/// Each rank has signatures of its own, for its neighbour on a ring.
std::vector<Signature> signatures() {
  std::vector<Signature> all;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto left = static_cast<std::int32_t>((rank + ranks - 1) % ranks), right = static_cast<std::int32_t>((rank + 1) % ranks);
    all.push_back({.call = wire::Call::MPI_Irecv, .comm = 0, .peer = left, .tag = 1, .bytes = 8192});
    all.push_back({.call = wire::Call::MPI_Isend, .comm = 0, .peer = right, .tag = 1, .bytes = 8192});
    all.push_back({.call = wire::Call::MPI_Wait, .request_call = wire::Call::MPI_Irecv, .comm = 0, .peer = left, .tag = 1, .bytes = 8192});
    all.push_back({.call = wire::Call::MPI_Barrier, .comm = 0});
  }
  return all;
}

/// A step is an exchange in a region and a barrier, or the two ends of messages only.
std::vector<Event> events_of(std::uint32_t rank, std::size_t count, bool all_messages) {
  std::mt19937 random(rank);
  std::vector<Event> events;
  std::int64_t now = 0;
  auto add = [&](What what, std::uint32_t start = none) {
    now += static_cast<std::int64_t>(random() % 4096);
    const std::int64_t begin = now;
    now += static_cast<std::int64_t>(random() % 8192);
    events.push_back({.begin = begin, .end = now, .what = rank * whats + what, .start = start});
  };
  while (events.size() + 5 <= count) {
    if (!all_messages) events.push_back({.begin = now, .end = now + 40'000, .what = 0, .kind = Kind::region});
    if (!all_messages) add(irecv);
    add(isend);
    const auto posted = static_cast<std::uint32_t>(events.size() - 2);
    add(waited, all_messages ? none : posted);
    if (!all_messages) add(barrier);
  }
  return events;
}

void write(const std::filesystem::path &file, std::size_t events, bool all_messages) {
  Header header;
  header.regions = {"step"};
  header.communicators = {{0, 0, ranks, 0, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}};
  header.ranks.resize(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) header.ranks[rank].rank = static_cast<std::int32_t>(rank);
  Writer writer(file, header);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) writer.add(rank, events_of(rank, events / ranks, all_messages), signatures());
  writer.finish();
}

void python_profile(Reader &reader, const render::Sink &sink) {
  model::Profile profile;
  profile.ranks.resize(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) profile.ranks[rank].rank = static_cast<int>(rank);
  render::timeline_python_profile(profile, reader, sink);
}

/// In a process of its own, whose memory is what is looked at.
void measure(const char *name, void (*format)(Reader &, const render::Sink &), const std::filesystem::path &file) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto begin = Clock::now();
    std::size_t bytes = 0;
    Reader reader(file);
    format(reader, [&bytes](std::string_view part) { bytes += part.size(); });
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    std::printf("%-14s %6.2f s %8.1f MB text", name, seconds, static_cast<double>(bytes) / 1e6);
    std::fflush(stdout);
    ::_exit(0);
  }
  rusage usage{};
  int status = 0;
  ::wait4(child, &status, 0, &usage);
  std::printf("   memory %5.1f MiB%s\n", static_cast<double>(usage.ru_maxrss) / 1024, status == 0 ? "" : " FAILED");
}

}  // namespace

int main(int argc, char **argv) {
  const std::size_t events = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const auto file = std::filesystem::temp_directory_path() / ("scope-bench-" + std::to_string(::getpid()) + ".timeline");
  write(file, events, argc > 2 && std::strcmp(argv[2], "all") == 0);
  std::printf("%zu events, %.2f bytes each\n", events, static_cast<double>(std::filesystem::file_size(file)) / static_cast<double>(events));
  measure("chrome-trace", render::timeline_chrome_trace, file);
  measure("speedscope", render::timeline_speedscope, file);
  measure("csv", render::timeline_csv, file);
  measure("profile-json", python_profile, file);
  std::filesystem::remove(file);
}

// What the side file of a timeline costs: bytes an event, events a second. `timeline_file [EVENTS] [FILE]`: a file of one's own is
// read only.

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "timeline/file.hpp"

namespace {

using namespace scope::timeline;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Halo exchanges with four neighbours and a reduction: 13 events a step, gaps and durations of 10 to 14 random bits.
std::vector<Event> exchange(std::size_t events, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Event> out;
  std::int64_t now = 0;
  auto bits = [&random] { return static_cast<std::int64_t>(random() & ((2u << (9 + random() % 5)) - 1)); };
  while (out.size() < events) {
    const auto first = static_cast<std::uint32_t>(out.size());
    for (std::uint32_t what = 0; what < 10; ++what) {  // four receives, four sends, a wait, a reduction
      now += bits();
      out.push_back({.begin = now, .end = now + bits(), .what = what});
      now = out.back().end;
      for (std::uint32_t i = 0; what == 8 && i < 4; ++i) {
        if (i > 0) out.push_back(out.back());
        out.back() = {.begin = out.back().begin,
                      .end = now,
                      .what = 10 + i,
                      .start = first + i,
                      .kind = i > 0 ? Kind::completion : Kind::call};
      }
    }
  }
  out.resize(events);
  return out;
}

void measure_reading(const std::filesystem::path &file) {
  Reader reader(file);
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const auto begin = Clock::now();
    std::int64_t sum = 0;
    for (std::uint32_t rank = 0; rank < reader.header().ranks.size(); ++rank)
      reader.read(rank, [&sum](std::span<const Event> events) { sum += events.back().end; });
    best = std::min(best, since(begin));
    if (sum == 0) std::puts("no time passed");
  }
  const auto events = static_cast<double>(reader.events());
  std::printf("events               %.0f\nbytes an event       %.3f\ndecoded, million/s   %.1f\n", events,
              static_cast<double>(std::filesystem::file_size(file)) / events, events / best / 1e6);
}

}  // namespace

int main(int argc, char **argv) {
  const std::size_t events = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 5'000'000;
  if (argc > 2) return measure_reading(argv[2]), 0;
  constexpr std::size_t each = 1'000'000;
  const auto file = std::filesystem::temp_directory_path() /
                    ("scope-bench-" + std::to_string(Clock::now().time_since_epoch().count()) + ".timeline");
  Header header;
  header.ranks.resize((events + each - 1) / each);
  std::vector<Signature> signatures(14);
  for (std::size_t i = 0; i < signatures.size(); ++i)
    signatures[i] = {.call = scope::wire::Call::MPI_Isend, .peer = static_cast<int>(i), .bytes = 8192};
  double seconds = 0;
  {
    Writer writer(file, header);
    for (std::uint32_t rank = 0; rank < header.ranks.size(); ++rank) {
      const auto own = exchange(std::min(each, events - rank * each), rank);
      const auto begin = Clock::now();
      writer.add(rank, own, signatures);
      seconds += since(begin);
    }
    writer.finish();
  }
  std::printf("encoded, million/s   %.1f\n", static_cast<double>(events) / seconds / 1e6);
  measure_reading(file);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf("memory, MiB          %.0f\n", static_cast<double>(usage.ru_maxrss) / 1024);
  std::filesystem::remove(file);
}

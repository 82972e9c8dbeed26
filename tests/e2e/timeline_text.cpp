// Timelines as text, for tests. `timeline_text FILE`: a side file; all times in nanoseconds, on the time line of all ranks.
//   rank RANK HOST BEGIN END CLOCK_ERROR
//   call RANK NAME PEER TAG BYTES BEGIN END       calls only, by begin
// `timeline_text block FILE`: what a rank's trace block says of its clock, before MPI and after it.
//   offset HOST AT OFFSET ERROR                   AT 0: not measured
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <exception>

#include "timeline/file.hpp"
#include "timeline/trace_block.hpp"

using namespace scope;

namespace {

int print_offsets(const char *file) {
  const timeline::TraceBlock block(file);
  for (const auto &offset : block.header().offsets)
    std::printf("offset %s %" PRIu64 " %" PRId64 " %" PRIu64 "\n", block.host().c_str(), offset.at_ns, offset.offset_ns, offset.error_ns);
  return 0;
}

}  // namespace

int main(int count, char **words) try {
  if (count == 3 && std::strcmp(words[1], "block") == 0) return print_offsets(words[2]);
  if (count != 2) return 2;
  timeline::Reader reader(words[1]);
  const auto &ranks = reader.header().ranks;
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    std::printf("rank %d %s %" PRId64 " %" PRId64 " %" PRId64 "\n", ranks[i].rank, ranks[i].host.c_str(), ranks[i].begin, ranks[i].end,
                ranks[i].clock_error);
    reader.read(i, [&](std::span<const timeline::Event> events) {
      for (const auto &event : events) {
        if (event.kind != timeline::Kind::call) continue;
        const auto &what = reader.signatures()[event.what];
        std::printf("call %d %s %d %d %" PRId64 " %" PRId64 " %" PRId64 "\n", ranks[i].rank,
                    what.call == wire::Call::none ? "?" : wire::info(what.call).name, what.peer, what.tag, what.bytes, event.begin, event.end);
      }
    });
  }
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

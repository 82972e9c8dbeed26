// A timeline of ranks on a ring for the browser tests: `timeline_data RANKS EVENTS_OF_A_RANK RUN_ID FILE`.

#include <cstdlib>
#include <span>

#include "../bench/timeline_generator.hpp"
#include "timeline/file.hpp"

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  scope::bench::RingGenerator ring(std::atoi(argv[1]), std::strtoull(argv[2], nullptr, 10), 1);
  ring.result.header.run_id = argv[3];
  scope::timeline::Writer writer(argv[4], ring.result.header);
  for (std::uint32_t rank = 0; rank < ring.result.events.size(); ++rank) writer.add(rank, ring.result.events[rank], ring.result.signatures);
  writer.finish();
}

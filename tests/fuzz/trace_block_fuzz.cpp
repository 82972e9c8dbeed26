// A trace block, as a merge makes a timeline of it.

#include <cstddef>
#include <cstring>
#include <vector>

#include "fuzz.hpp"
#include "timeline/assemble.hpp"
#include "wire/mpi_calls.hpp"
#include "wire/trace_block.hpp"

namespace {

using namespace scope;

/// No fuzzer guesses the hash of the table; and the corpus must not go stale with it. The process is the one that the record is of.
void make_current(std::vector<std::uint8_t> &bytes) {
  using wire::TraceHeader;
  if (bytes.size() < sizeof(TraceHeader) || std::memcmp(bytes.data(), wire::trace_magic, sizeof wire::trace_magic) != 0) return;
  TraceHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.version = wire::trace_version;
  header.header_bytes = sizeof header;
  header.table_hash = wire::table_hash();
  std::strcpy(header.run_id, "run");
  std::strcpy(header.host, "node");
  header.pid = 1;
  header.start_time = 1;
  std::memcpy(bytes.data(), &header, sizeof header);
}

model::RankRecord record_of_process() {
  model::RankRecord record;
  record.run_id = "run";
  record.host = "node";
  record.pid = 1;
  record.start_time = 1;
  record.scale = {1000, 1000, 2000, 1500};
  record.comms = {{0, "MPI_COMM_WORLD", 2, 0, false, false, 0}};
  record.regions.regions.resize(2);
  record.regions.regions[0].name = "solve";
  record.regions.regions[1].name = "step";
  return record;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static fuzz::InputFile file("trace-calls-node-1-1.block");
  std::vector<std::uint8_t> bytes(data, data + size);
  make_current(bytes);
  const auto &path = file.write(bytes.data(), bytes.size());
  const model::RankRecord record = record_of_process();
  const std::vector<model::Placement> placements{{&record, 0, 0, {0}}};
  model::Profile profile;
  profile.communicators.resize(1);
  profile.communicators[0].size = 2;
  fuzz::expect_only_errors([&] { timeline::TraceBlock block(path); });
  timeline::Assembler assembler(placements, profile, {path}, "");
  if (!assembler.any()) return 0;
  const std::vector<timeline::Event> events = assembler.events_of(0);
  std::int64_t last = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const timeline::Event &event = events[i];
    fuzz::require(event.begin >= last && event.end >= event.begin, "events that are not in order");
    fuzz::require(event.what < (event.kind == timeline::Kind::region ? 2 : assembler.signatures().all().size()), "an event of nothing");
    fuzz::require(event.start == timeline::none || event.start < events.size(), "an event that completes nothing");
    last = event.begin;
  }
  return 0;
}

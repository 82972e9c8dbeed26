// Slots that processes claim and fill at the same time, and what a reader makes of a file whatever happened to it.

#include "model/node_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "in_child.hpp"
#include "live_block.hpp"
#include "model/merge.hpp"
#include "node_file.hpp"

namespace {

namespace fs = std::filesystem;
using namespace scope;
using scope::test::note;

struct Directory {
  fs::path path = test::make_run_directory();
  ~Directory() { fs::remove_all(path); }

  std::vector<fs::path> files(const std::string &prefix) const {
    std::vector<fs::path> found;
    for (const auto &entry : fs::directory_iterator(path))
      if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
    return found;
  }
  fs::path node_file() const {
    auto found = files("node-");
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? fs::path() : found.front();
  }
};

/// A child that is a rank with rank + 1 sends. `end` does the rest.
template <class End>
pid_t start_rank(const Directory &directory, int rank, End end) {
  pid_t child = fork();
  if (child) return child;
  preload::Thread &thread = test::start_as_rank(directory.path.string());
  preload::live->rank = rank;
  preload::live->size = 4096;
  preload::live->state = wire::State::finalized;
  for (int i = 0; i <= rank; ++i) {
    preload::note_entry(thread, note(wire::Call::MPI_Send, 1, 7, 100, 10));
    preload::note_duration(thread, wire::Call::MPI_Send, 10);
  }
  _exit(end() ? 0 : 1);
}

void wait_for(const std::vector<pid_t> &children) {
  for (pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

bool claim_and_fill(const Directory &directory) {
  bool done = preload::claim_slot(directory.path.c_str()) && preload::fill_slot();
  preload::unlink_live_block();
  return done;
}

std::vector<model::RankRecord> records_of(const fs::path &file) { return model::collect_files({file}, "").records; }

std::uint64_t sends_of(const model::RankRecord &record) { return record.calls.empty() ? 0 : record.calls[0].calls; }

TEST(NodeFile, ManyProcessesAtOnceGetASlotEach) {
  Directory directory;
  constexpr int ranks = 48;
  // They all go on at once.
  auto *gate = static_cast<int *>(mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::vector<pid_t> children;
  for (int rank = 0; rank < ranks; ++rank)
    children.push_back(start_rank(directory, rank, [&] {
      __atomic_fetch_add(gate, 1, __ATOMIC_ACQ_REL);
      while (__atomic_load_n(gate, __ATOMIC_ACQUIRE) < ranks) usleep(1000);
      return claim_and_fill(directory);
    }));
  wait_for(children);
  munmap(gate, sizeof(int));
  auto file = model::read_node_file(directory.node_file());
  EXPECT_EQ(file.slots.size(), static_cast<std::size_t>(ranks));
  EXPECT_EQ(file.unfinished, 0u);
  EXPECT_TRUE(file.problems.empty());
  auto records = records_of(file.path);
  ASSERT_EQ(records.size(), static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(records[static_cast<std::size_t>(rank)].rank, rank);
    EXPECT_EQ(sends_of(records[static_cast<std::size_t>(rank)]), static_cast<std::uint64_t>(rank + 1));
  }
}

TEST(NodeFile, OfARankThatDiedTheLiveBlockIsRead) {
  Directory directory;
  wait_for({start_rank(directory, 1, [&] { return claim_and_fill(directory); })});
  wait_for({start_rank(directory, 2, [&] { return preload::claim_slot(directory.path.c_str()); })});
  EXPECT_EQ(model::read_node_file(directory.node_file()).unfinished, 1u);
  auto collected = model::collect(directory.path, "");
  ASSERT_EQ(collected.records.size(), 2u);
  EXPECT_FALSE(collected.records[0].from_live_block);
  EXPECT_TRUE(collected.records[1].from_live_block);
  EXPECT_EQ(sends_of(collected.records[1]), 3u);
  EXPECT_TRUE(collected.warnings.empty());
}

TEST(NodeFile, ALaterDumpOfAProcessReplacesTheEarlier) {
  Directory directory;
  wait_for({start_rank(directory, 0, [&] {
    if (!claim_and_fill(directory)) return false;
    preload::live->abort_code = 7;
    return preload::fill_slot() && preload::node_header->claimed == 2 && preload::node_header->members == 1 && preload::node_header->written == 1;
  })});
  auto records = records_of(directory.node_file());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].abort_code, 7);
}

TEST(NodeFile, WithoutASlotARankIsToldSo) {
  Directory directory;
  wait_for({start_rank(directory, 0, [&] {
    if (!preload::claim_slot(directory.path.c_str())) return false;
    preload::node_header->claimed = wire::node_slot_limit;
    return true;
  })});
  wait_for({start_rank(directory, 1, [&] { return !preload::claim_slot(directory.path.c_str()) && !preload::fill_slot(); })});
  wait_for({start_rank(directory, 2, [&] { return !preload::claim_slot("/none") && !preload::fill_slot(); })});
}

TEST(NodeFile, NothingIsWrittenThroughALink) {
  Directory directory;
  wait_for({start_rank(directory, 0, [&] { return claim_and_fill(directory); })});
  const fs::path file = directory.node_file(), target = directory.path / "target";
  fs::rename(file, target);
  fs::create_symlink(target, file);
  wait_for({start_rank(directory, 1, [&] { return !preload::claim_slot(directory.path.c_str()); })});
}

/// Each rank that is there has what it had; what is not there is said.
void expect_sound(const fs::path &file, const std::string &what) {
  auto collected = model::collect_files({file}, "");
  for (const auto &record : collected.records) ASSERT_EQ(sends_of(record), static_cast<std::uint64_t>(record.rank + 1)) << what;
  if (collected.records.size() == 2) return;
  ASSERT_FALSE(collected.warnings.empty()) << what;
}

/// Counters and reserved fields, which no reader relies on.
bool counts_only(std::size_t at) {
  return (at >= offsetof(wire::NodeHeader, reserved) && at < wire::node_texts_at) ||
         (at >= wire::node_header_bytes && (at - wire::node_header_bytes) % sizeof(wire::NodeSlot) >= offsetof(wire::NodeSlot, pid_namespace));
}

TEST(NodeFile, DamageIsNeverTakenForData) {
  Directory directory;
  for (int rank : {0, 1}) wait_for({start_rank(directory, rank, [&] { return claim_and_fill(directory); })});
  const fs::path file = directory.node_file(), damaged = directory.path / "node-damaged.ranks";
  std::ifstream in(file, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  const std::size_t payload = wire::node_payload_at(wire::node_slot_limit);
  auto write = [&](const std::string &bytes) { std::ofstream(damaged, std::ios::binary | std::ios::trunc) << bytes; };
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < sizeof(wire::NodeHeader); at += 3) places.push_back(at);
  for (std::size_t at = 0; at < 2 * sizeof(wire::NodeSlot); ++at) places.push_back(wire::node_header_bytes + at);
  for (std::size_t at = payload; at < whole.size(); at += 61) places.push_back(at);
  places.erase(std::remove_if(places.begin(), places.end(), counts_only), places.end());
  for (std::size_t at : places) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    write(bytes);
    expect_sound(damaged, "flipped at " + std::to_string(at));
  }
  for (std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{63}, std::size_t{400}, std::size_t{4095}, std::size_t{4096}, std::size_t{4160}, payload - 1,
                           payload, payload + 100, whole.size() / 2 + payload / 2, whole.size() - 1}) {
    write(whole.substr(0, size));
    expect_sound(damaged, "cut at " + std::to_string(size));
  }
}

}  // namespace

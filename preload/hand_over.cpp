#include "hand_over.hpp"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.hpp"
#include "clock_exchange.hpp"
#include "family.hpp"
#include "hand_messages.hpp"
#include "live_block.hpp"
#include "memory.hpp"
#include "node_file.hpp"
#include "node_image.hpp"
#include "own_files.hpp"
#include "place.hpp"
#include "procfs.hpp"
#include "wire/contract.hpp"

namespace scope::preload {

namespace {

using wire::HandAnswer;
using wire::HandTag;

int receiver = INT_MAX;     // the lowest rank whose data are in the run directory
int away_ranks, leaders;
bool is_away, ready;

// What is sent has a lifetime of its own, too: one announcement in MPI_Init, one in MPI_Finalize.
wire::HandAnnouncement announcements[2];
HandAnswer answer;

struct Announced {
  int source;
  wire::HandAnnouncement what;
};

/// One from each leader, or as many as come. The count.
int receive_announcements(Announced *all, HandTag tag, Patience &patience) {
  int count = 0;
  while (count < leaders && !patience.is_over()) {
    int from = 0;
    if (!probe(family.any_source, tag, from)) {
      patience.pause();
      continue;
    }
    if (!receive(&all[count].what, sizeof all[count].what, from, tag, patience)) break;
    all[count].what.host[sizeof all[count].what.host - 1] = 0;
    all[count].what.boot_id[sizeof all[count].what.boot_id - 1] = 0;
    all[count].what.directory[sizeof all[count].what.directory - 1] = 0;
    all[count++].source = from;
  }
  return count;
}

/// For the launcher: where the data of another node are.
void note_away(const char *run_dir, const wire::HandAnnouncement &node) {
  char path[4096], text[512];
  put_path(path, sizeof path, run_dir, wire::away_prefix, node.boot_id);
  copy_text(text, sizeof text, node.host);
  append_text(text, sizeof text, "\n");
  append_text(text, sizeof text, node.directory);
  append_text(text, sizeof text, "\n");
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return;
  write_at(file, text, strlen(text), 0);
  close(file);
}

bool is_leader() { return is_away && node_header && own_slot == 0; }

void describe_node(wire::HandAnnouncement &node, const char *directory) {
  copy_text(node.host, sizeof node.host, live->host);
  copy_text(node.boot_id, sizeof node.boot_id, live->boot_id);
  copy_text(node.directory, sizeof node.directory, directory);
}

/// Leaders say where their nodes' data will be found if nothing comes of it.
void exchange_places() {
  Patience patience;
  if (is_leader()) {
    describe_node(announcements[0], find_place().directory);
    send(&announcements[0], sizeof announcements[0], receiver, HandTag::place, patience);
  }
  if (live->rank != receiver) return;
  std::size_t bytes = static_cast<std::size_t>(leaders) * sizeof(Announced);
  Announced *all = static_cast<Announced *>(map_private(bytes, false));
  if (!all) return;
  int count = receive_announcements(all, HandTag::place, patience);
  for (int i = 0; i < count; ++i) note_away(find_place().directory, all[i].what);
  if (count == leaders) unmap_private(all, bytes);
}

/// A spawned world, say, that is on other nodes altogether. There is nobody to give anything to.
void tell_stranded() {
  char id[sizeof live->boot_id];
  copy_text(id, sizeof id, live->boot_id);
  append_text(id, sizeof id, wire::stranded_suffix);
  tell_away(live->run_id, id, live->host, find_place().directory);
}

// -- The leader

bool is_alive(const wire::NodeSlot &slot) { return !shares_pids(slot) || start_time(slot.pid) == slot.start_time; }

/// Every process that has claimed a slot has filled it, or false: one of them ended otherwise, or does not come.
bool node_is_complete(int file, Patience &patience) {
  std::uint64_t before = 0, looked_ns = 0;
  for (int from = 0;; patience.pause()) {
    std::uint64_t members = __atomic_load_n(&node_header->members, __ATOMIC_ACQUIRE), written = __atomic_load_n(&node_header->written, __ATOMIC_ACQUIRE);
    if (written == members) return true;
    if (written != before) patience.moved();
    before = written;
    if (patience.is_over()) return false;
    probe(receiver, HandTag::answer, from);
    if (monotonic_ns() - looked_ns < 100'000'000) continue;
    looked_ns = monotonic_ns();
    for (unsigned i = 0; i < members; ++i) {
      wire::NodeSlot slot{};
      if (read_slot(file, i, slot) && slot.state == wire::NodeSlotState::claimed && !is_alive(slot)) return false;
    }
  }
}

HandAnswer hear_answer(Patience &patience) {
  for (int from = 0; !patience.is_over(); patience.pause()) {
    if (!probe(receiver, HandTag::answer, from)) continue;
    return receive(&answer, sizeof answer, receiver, HandTag::answer, patience) ? answer : HandAnswer::no;
  }
  return HandAnswer::no;
}

bool send_image(NodeImage &image, Patience &patience) {
  for (std::uint64_t at = 0; at < image.bytes();) {
    std::size_t size = 0;
    const char *part = image.next(at, size);
    if (!part) return false;
    if (!send(part, size, receiver, HandTag::data, patience)) return false;
    at += size;
  }
  return hear_answer(patience) == HandAnswer::done;
}

/// What has arrived is not needed here any more. Blocks of regions are in use until their processes end.
void remove_sent(const NodeImage &image, const char *directory) {
  char path[4096];
  for (unsigned i = 0; i < image.pieces(); ++i) {
    if (image.slot(i).kind != wire::NodeSlotKind::trace_calls) continue;
    name_block(path, sizeof path, directory, image.slot(i));
    unlink(path);
  }
  put_path(path, sizeof path, directory, wire::away_prefix, live->boot_id);
  unlink(path);
  unlink(node_path);
}

void lead(const char *directory) {
  Patience patience;
  int file = open(node_path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  wire::HandAnnouncement &own = announcements[1];
  describe_node(own, directory);
  {
    NodeImage image(file, directory);
    bool can_send = file >= 0 && node_is_complete(file, patience) && image.plan();
    own.bytes = can_send ? image.bytes() : 0;
    own.ranks = __atomic_load_n(&node_header->members, __ATOMIC_ACQUIRE);
    patience.moved();
    if (send(&own, sizeof own, receiver, HandTag::announce, patience) && can_send && hear_answer(patience) == HandAnswer::go &&
        send_image(image, patience)) {
      __atomic_store_n(&node_header->outcome, static_cast<std::uint32_t>(wire::NodeOutcome::handed_over), __ATOMIC_RELEASE);
      remove_sent(image, directory);
    }
  }
  if (file >= 0) close(file);
}

// -- The rank that takes over

HandAnswer answers[3] = {HandAnswer::no, HandAnswer::go, HandAnswer::done};

bool say(int to, HandAnswer what, Patience &patience) {
  return send(&answers[static_cast<int>(what)], sizeof(HandAnswer), to, HandTag::answer, patience);
}

/// With the sender's rank: this rank's node, too, may hold a container that the run directory is not in.
void name_taken(char *path, std::size_t size, const char *directory, const Announced &sender) {
  const wire::HandAnnouncement &node = sender.what;
  put_path(path, size, directory, wire::node_prefix, "");
  for (const char *c = node.host; *c; ++c) {
    char one[2] = {*c == '/' ? '_' : *c, 0};
    append_text(path, size, one);
  }
  append_text(path, size, "-");
  for (const char *c = node.boot_id; *c; ++c) {
    char one[2] = {*c == '/' ? '_' : *c, 0};
    append_text(path, size, one);
  }
  append_text(path, size, "-");
  append_text(path, size, live->world_key);
  append_text(path, size, "-from-");
  append_number(path, size, static_cast<std::uint64_t>(sender.source));
  append_text(path, size, wire::node_suffix);
}

/// A whole file or none. What can't be written is received all the same. False: the leader does not come on.
bool take(const Announced &node, const char *directory, char *buffer) {
  Patience patience;
  char path[4096], part[4096];
  name_taken(path, sizeof path, directory, node);
  copy_text(part, sizeof part, path);
  append_text(part, sizeof part, ".part");
  unlink(part);
  int file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  bool written = file >= 0 && fchmod(file, 0600) == 0, came = say(node.source, HandAnswer::go, patience);
  for (std::uint64_t at = 0; came && at < node.what.bytes;) {
    std::uint64_t left = node.what.bytes - at;
    std::size_t size = left < wire::hand_chunk_bytes ? static_cast<std::size_t>(left) : wire::hand_chunk_bytes;
    came = receive(buffer, size, node.source, HandTag::data, patience);
    written = written && came && write_at(file, buffer, size, at);
    at += size;
  }
  if (file >= 0) written = close(file) == 0 && written;
  written = written && came && rename(part, path) == 0;
  if (!written) unlink(part);
  return came && say(node.source, written ? HandAnswer::done : HandAnswer::no, patience);
}

void take_over(const char *directory) {
  Patience patience;
  Announced *all = static_cast<Announced *>(map_private(static_cast<std::size_t>(leaders) * sizeof(Announced), false));
  char *buffer = static_cast<char *>(map_private(wire::hand_chunk_bytes, false));
  if (!all || !buffer) return;
  int count = receive_announcements(all, HandTag::announce, patience);
  std::uint64_t ranks = 0;
  bool sound = count == leaders;
  for (int i = 0; i < count; ++i) {
    ranks += all[i].what.ranks;
    sound = sound && all[i].what.bytes > 0;
  }
  sound = sound && ranks == static_cast<std::uint64_t>(away_ranks);
  for (int i = 0; i < count; ++i) {
    if (sound) sound = take(all[i], directory, buffer);
    else if (all[i].what.bytes > 0) say(all[i].source, HandAnswer::no, patience);
  }
}

}  // namespace

void prepare_hand_over(bool away) {
  is_away = away;
  if (live->size < 2) return;
  Patience patience;
  if (!open_channel(patience)) return;
  static int rank, lowest, own[3], sums[3];
  rank = away ? INT_MAX : live->rank;
  own[0] = away;
  own[1] = is_leader();
  own[2] = away && !node_header;
  if (!lowest_of_all(&rank, &lowest, 1, patience) || !sum_of_all(own, sums, 3, patience)) return;
  receiver = lowest;
  away_ranks = sums[0];
  leaders = sums[1];
  ready = receiver != INT_MAX && away_ranks > 0 && sums[2] == 0;
  if (ready) exchange_places();
  if (receiver == INT_MAX && is_leader()) tell_stranded();
}

bool has_part_in_hand_over() { return ready && (is_away || live->rank == receiver); }

void hand_over(const char *directory) {
  if (is_leader()) lead(directory);
  if (live->rank == receiver) take_over(directory);
}

bool handed_over() {
  return is_away && node_header && __atomic_load_n(&node_header->outcome, __ATOMIC_ACQUIRE) == static_cast<std::uint32_t>(wire::NodeOutcome::handed_over);
}

void clear_place(const char *directory) {
  wire::NodeSlot slot{};
  slot.pid = live->pid;
  slot.start_time = live->start_time;
  char path[4096];
  for (wire::NodeSlotKind kind : block_kinds) {
    slot.kind = kind;
    name_block(path, sizeof path, directory, slot);
    unlink(path);
  }
  const char *const clock_claims[] = {"-0", "-1"};
  for (const char *which : clock_claims) {
    put_path(path, sizeof path, directory, wire::clock_prefix, live->boot_id);
    append_text(path, sizeof path, which);
    unlink(path);
  }
  rmdir(directory);  // the last one of the node's
}

}  // namespace scope::preload

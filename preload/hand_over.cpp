#include "hand_over.hpp"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.hpp"
#include "clock_exchange.hpp"
#include "family.hpp"
#include "library.hpp"
#include "live_block.hpp"
#include "memory.hpp"
#include "node_file.hpp"
#include "place.hpp"
#include "procfs.hpp"
#include "resolve.hpp"
#include "wire/contract.hpp"

namespace scope::preload {

namespace {

using wire::HandAnswer;
using wire::HandTag;

/// The library's procedures that this needs. All are nonblocking.
struct Procedures {
  int (*comm_idup)(Word, void *, void *);
  int (*comm_set_errhandler)(Word, Word);
  int (*iallreduce)(const void *, void *, int, Word, Word, Word, void *);
  int (*isend)(const void *, int, Word, int, int, Word, void *);
  int (*irecv)(void *, int, Word, int, int, Word, void *);
  int (*iprobe)(int, int, Word, int *, void *);
  int (*test)(void *, int *, Word);
  Word type_int, type_byte, op_min, op_sum, errors_return;
};
Procedures mpi;

// Requests that are given up stay with the library: what they point to is never freed.
HandleBuffer own_comm;
int receiver = INT_MAX;     // the lowest rank whose data are in the run directory
int away_ranks, leaders;
bool is_away, ready;

bool find_procedures() {
  auto find = [](auto &member, const char *name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(library_function(name));
    return member != nullptr;
  };
  bool all = find(mpi.comm_idup, "PMPI_Comm_idup") && find(mpi.comm_set_errhandler, "PMPI_Comm_set_errhandler") &&
             find(mpi.iallreduce, "PMPI_Iallreduce") && find(mpi.isend, "PMPI_Isend") && find(mpi.irecv, "PMPI_Irecv") &&
             find(mpi.iprobe, "PMPI_Iprobe") && find(mpi.test, "PMPI_Test");
  if (family.id == wire::Family::open_mpi) {
    auto data = [](const char *name) { return reinterpret_cast<Word>(library_data(name)); };
    mpi.type_int = data("ompi_mpi_int");
    mpi.type_byte = data("ompi_mpi_byte");
    mpi.op_min = data("ompi_mpi_op_min");
    mpi.op_sum = data("ompi_mpi_op_sum");
    mpi.errors_return = data("ompi_mpi_errors_return");
    return all && mpi.type_int && mpi.type_byte && mpi.op_min && mpi.op_sum && mpi.errors_return;
  }
  mpi.type_int = 0x4c000405u;
  mpi.type_byte = 0x4c00010du;
  mpi.op_min = 0x58000002u;
  mpi.op_sum = 0x58000003u;
  mpi.errors_return = 0x54000001u;
  return all;
}

/// Time without anything moving.
class Patience {
 public:
  Patience() {
    const char *text = environment(wire::env_patience);
    double seconds = text ? strtod(text, nullptr) : 0;
    if (!(seconds > 0 && seconds < 1e6)) seconds = static_cast<double>(wire::default_patience_s);
    length_ns_ = static_cast<std::uint64_t>(seconds * 1e9);
    moved();
  }
  void moved() { end_ns_ = monotonic_ns() + length_ns_; }
  bool is_over() const { return monotonic_ns() >= end_ns_; }

  /// Looks again at once at first, then every millisecond.
  void pause() {
    if (++looks_ < 200) return;
    timespec time{0, 1'000'000};
    syscall(SYS_nanosleep, &time, nullptr);
  }

 private:
  std::uint64_t length_ns_, end_ns_ = 0;
  int looks_ = 0;
};

bool complete(HandleBuffer &request, Patience &patience) {
  for (int done = 0;;) {
    if (mpi.test(request.address(), &done, family.status_ignore) != 0) return false;
    if (done) {
      patience.moved();
      return true;
    }
    if (patience.is_over()) return false;
    patience.pause();
  }
}

int number(HandTag tag) { return static_cast<int>(tag); }

/// True with the source of a message that is there. Looking also drives the library on: what the rank has sent before may wait for that.
bool probe(int source, HandTag tag, int &from) {
  alignas(8) char status[64] = "";
  int there = 0;
  if (mpi.iprobe(source, number(tag), own_comm.value, &there, status) != 0 || !there) return false;
  from = status_int(status, family.source_at);
  return true;
}

/// A request in memory of its own, which is given up with it.
template <class Begin>
bool transfer(Begin begin, Patience &patience) {
  HandleBuffer *request = static_cast<HandleBuffer *>(map_private(sizeof(HandleBuffer), false));
  if (!request || begin(request->address()) != 0 || !complete(*request, patience)) return false;
  unmap_private(request, sizeof *request);
  return true;
}

bool send(const void *bytes, std::size_t size, int to, HandTag tag, Patience &patience) {
  auto begin = [&](void *request) { return mpi.isend(bytes, static_cast<int>(size), mpi.type_byte, to, number(tag), own_comm.value, request); };
  return transfer(begin, patience);
}

bool receive(void *bytes, std::size_t size, int from, HandTag tag, Patience &patience) {
  auto begin = [&](void *request) { return mpi.irecv(bytes, static_cast<int>(size), mpi.type_byte, from, number(tag), own_comm.value, request); };
  return transfer(begin, patience);
}

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

// -- The node file as it goes over: the complete dumps, without the holes, and the blocks of regions and timelines.

/// A piece of it that lies in a file of this node.
struct Piece {
  wire::NodeSlot slot;
  std::uint64_t from;  ///< in its file
};

void name_block(char *path, std::size_t size, const char *directory, const wire::NodeSlot &slot) {
  put_path(path, size, directory, slot.kind == wire::NodeSlotKind::regions ? wire::region_prefix : wire::trace_prefix, "");
  if (slot.kind != wire::NodeSlotKind::regions) append_text(path, size, slot.kind == wire::NodeSlotKind::trace_calls ? "calls-" : "regions-");
  append_text(path, size, live->host);
  append_text(path, size, "-");
  append_number(path, size, slot.pid);
  append_text(path, size, "-");
  append_number(path, size, slot.start_time);
  append_text(path, size, wire::live_suffix);
}

constexpr wire::NodeSlotKind block_kinds[] = {wire::NodeSlotKind::regions, wire::NodeSlotKind::trace_calls, wire::NodeSlotKind::trace_regions};

class Image {
 public:
  Image(int node_file, const char *directory) : node_file_(node_file), directory_(directory) {}
  ~Image() {
    if (block_ >= 0) close(block_);
  }
  Image(const Image &) = delete;
  Image &operator=(const Image &) = delete;

  /// False where a process has no complete slot.
  bool plan() {
    std::uint64_t members = __atomic_load_n(&node_header->members, __ATOMIC_ACQUIRE), taken = __atomic_load_n(&node_header->claimed, __ATOMIC_ACQUIRE);
    unsigned claimed = static_cast<unsigned>(taken < wire::node_slot_limit ? taken : wire::node_slot_limit);
    pieces_ = static_cast<Piece *>(map_private(std::size_t{claimed} * 4 * sizeof(Piece), false));
    buffer_ = static_cast<char *>(map_private(wire::hand_chunk_bytes, false));
    if (!pieces_ || !buffer_) return false;
    for (unsigned i = 0; i < claimed; ++i) {
      wire::NodeSlot slot{};
      if (!read_slot(node_file_, i, slot)) return false;
      if (slot.state == wire::NodeSlotState::complete) add_dump(slot);
    }
    if (count_ != members) return false;
    for (unsigned i = 0; i < members; ++i)
      for (wire::NodeSlotKind kind : block_kinds) add_block(pieces_[i].slot, kind);
    lay_out();
    return true;
  }

  std::uint64_t bytes() const { return bytes_; }
  unsigned pieces() const { return count_; }
  const wire::NodeSlot &slot(unsigned i) const { return pieces_[i].slot; }

  /// The next part of it, at most a chunk; nullptr when it can't be read.
  const char *next(std::uint64_t at, std::size_t &size) {
    size = bytes_ - at < wire::hand_chunk_bytes ? static_cast<std::size_t>(bytes_ - at) : wire::hand_chunk_bytes;
    std::size_t done = 0;
    while (done < size) {
      std::size_t got = fill(at + done, buffer_ + done, size - done);
      if (!got) return nullptr;
      done += got;
    }
    return buffer_;
  }

 private:
  /// The later one of a process.
  void add_dump(const wire::NodeSlot &slot) {
    for (unsigned i = 0; i < count_; ++i)
      if (pieces_[i].slot.rank == slot.rank && pieces_[i].slot.pid == slot.pid && pieces_[i].slot.start_time == slot.start_time) {
        pieces_[i] = {slot, slot.offset};
        return;
      }
    pieces_[count_++] = {slot, slot.offset};
  }

  void add_block(const wire::NodeSlot &dump, wire::NodeSlotKind kind) {
    Piece piece{dump, 0};
    piece.slot.kind = kind;
    char path[4096];
    name_block(path, sizeof path, directory_, piece.slot);
    struct stat found;
    if (lstat(path, &found) != 0 || !S_ISREG(found.st_mode)) return;
    piece.slot.bytes = static_cast<std::uint64_t>(found.st_size);
    pieces_[count_++] = piece;
  }

  /// Blocks have no sum of their own: what they hold is checked by their readers.
  void lay_out() {
    header_ = *node_header;
    header_.capacity = count_;
    header_.payload_at = wire::node_payload_at(count_);
    header_.sum = wire::node_header_sum(header_);
    bytes_ = header_.payload_at;
    for (unsigned i = 0; i < count_; ++i) {
      wire::NodeSlot &slot = pieces_[i].slot;
      std::uint64_t payload_sum = wire::node_sum_begin;
      if (slot.kind == wire::NodeSlotKind::dump) payload_sum = sum_of(slot);
      slot.offset = bytes_;
      slot.sum = wire::node_slot_sum(slot, payload_sum);
      bytes_ += slot.bytes;
    }
  }

  std::uint64_t sum_of(const wire::NodeSlot &slot) {
    std::uint64_t sum = wire::node_sum_begin;
    for (std::uint64_t done = 0; done < slot.bytes;) {
      std::size_t part = slot.bytes - done < wire::hand_chunk_bytes ? static_cast<std::size_t>(slot.bytes - done) : wire::hand_chunk_bytes;
      if (!read_at(node_file_, buffer_, part, slot.offset + done)) return 0;
      sum = wire::node_sum(sum, buffer_, part);
      done += part;
    }
    return sum;
  }

  /// Some bytes from `at` on.
  std::size_t fill(std::uint64_t at, char *to, std::size_t room) {
    if (at < sizeof header_) return copy(&header_, sizeof header_, at, to, room);
    if (at < wire::node_header_bytes) return zeros(wire::node_header_bytes - at, to, room);
    std::uint64_t slot = (at - wire::node_header_bytes) / sizeof(wire::NodeSlot);
    if (slot < count_) return copy(&pieces_[slot].slot, sizeof(wire::NodeSlot), (at - wire::node_header_bytes) % sizeof(wire::NodeSlot), to, room);
    if (at < header_.payload_at) return zeros(header_.payload_at - at, to, room);
    while (current_ < count_ && at >= pieces_[current_].slot.offset + pieces_[current_].slot.bytes) ++current_;
    return current_ < count_ ? read_piece(at, to, room) : 0;
  }

  std::size_t read_piece(std::uint64_t at, char *to, std::size_t room) {
    const Piece &piece = pieces_[current_];
    int file = node_file_;
    if (piece.slot.kind != wire::NodeSlotKind::dump) {
      if (block_ < 0 || open_piece_ != current_) open_block(piece.slot);
      file = block_;
    }
    std::uint64_t begin = at - piece.slot.offset, left = piece.slot.bytes - begin;
    std::size_t size = left < room ? static_cast<std::size_t>(left) : room;
    return file >= 0 && read_at(file, to, size, piece.from + begin) ? size : 0;
  }

  void open_block(const wire::NodeSlot &slot) {
    if (block_ >= 0) close(block_);
    char path[4096];
    name_block(path, sizeof path, directory_, slot);
    block_ = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    open_piece_ = current_;
  }

  static std::size_t copy(const void *from, std::size_t size, std::uint64_t at, char *to, std::size_t room) {
    std::size_t part = size - at < room ? static_cast<std::size_t>(size - at) : room;
    memcpy(to, static_cast<const char *>(from) + at, part);
    return part;
  }
  static std::size_t zeros(std::uint64_t size, char *to, std::size_t room) {
    std::size_t part = size < room ? static_cast<std::size_t>(size) : room;
    memset(to, 0, part);
    return part;
  }

  int node_file_, block_ = -1;
  const char *directory_;
  Piece *pieces_ = nullptr;  // stays, as the buffer does: a send that was given up may read from it
  char *buffer_ = nullptr;
  unsigned count_ = 0, current_ = 0, open_piece_ = 0;
  wire::NodeHeader header_{};
  std::uint64_t bytes_ = 0;
};

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

bool send_image(Image &image, Patience &patience) {
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
void remove_sent(const Image &image, const char *directory) {
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
    Image image(file, directory);
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

/// The sum or minimum of some ints of all ranks; false when they don't all come.
bool reduce(const int *own, int *all, int count, Word operation, Patience &patience) {
  return transfer([&](void *request) { return mpi.iallreduce(own, all, count, mpi.type_int, operation, own_comm.value, request); }, patience);
}

}  // namespace

void prepare_hand_over(bool away) {
  is_away = away;
  if (live->size < 2 || !find_procedures()) return;
  Patience patience;
  // A program of which some ranks have no shim would wait here for ever in a blocking call.
  if (!transfer([](void *request) { return mpi.comm_idup(family.world, own_comm.address(), request); }, patience)) return;
  mpi.comm_set_errhandler(own_comm.value, mpi.errors_return);
  static int rank, lowest, own[3], sums[3];
  rank = away ? INT_MAX : live->rank;
  own[0] = away;
  own[1] = is_leader();
  own[2] = away && !node_header;
  if (!reduce(&rank, &lowest, 1, mpi.op_min, patience) || !reduce(own, sums, 3, mpi.op_sum, patience)) return;
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

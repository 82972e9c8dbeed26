#include "node_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <new>

#include "dump.hpp"
#include "json.hpp"
#include "live_block.hpp"
#include "memory.hpp"
#include "own_files.hpp"
#include "place.hpp"
#include "procfs.hpp"
#include "wire/contract.hpp"

namespace scope::preload {

wire::NodeHeader *node_header = nullptr;
char node_path[4096];
unsigned own_slot;

namespace {

bool filled;  // own_slot is complete

void name_file(const char *directory) {
  put_path(node_path, sizeof node_path, directory, wire::node_prefix, live->host);
  append_text(node_path, sizeof node_path, "-");
  append_text(node_path, sizeof node_path, live->boot_id);
  append_text(node_path, sizeof node_path, "-");
  append_text(node_path, sizeof node_path, live->world_key);
  append_text(node_path, sizeof node_path, wire::node_suffix);
}

/// Every rank writes it, and all write the same bytes, but the counters.
bool write_header(int file) {
  static wire::NodeHeader header;
  memset(&header, 0, sizeof header);
  memcpy(header.magic, wire::node_magic, sizeof header.magic);
  header.version = wire::node_version;
  header.header_bytes = wire::node_header_bytes;
  header.slot_bytes = sizeof(wire::NodeSlot);
  header.capacity = wire::node_slot_limit;
  header.payload_at = wire::node_payload_at(header.capacity);
  copy_text(header.run_id, sizeof header.run_id, live->run_id);
  copy_text(header.host, sizeof header.host, live->host);
  copy_text(header.boot_id, sizeof header.boot_id, live->boot_id);
  copy_text(header.world_key, sizeof header.world_key, live->world_key);
  header.sum = wire::node_header_sum(header);
  return may_reach(header.payload_at) && write_at(file, &header, wire::node_counters_at, 0) &&
         write_at(file, header.run_id, sizeof header - wire::node_texts_at, wire::node_texts_at);
}

wire::NodeHeader *map_header(int file) {
  struct stat found;
  if (fstat(file, &found) != 0) return nullptr;
  // The page must be in the file as a whole before it is touched; a byte of zero behind the texts is nobody's.
  char zero = 0;
  if (found.st_size < wire::node_header_bytes && !write_at(file, &zero, 1, wire::node_header_bytes - 1)) return nullptr;
  void *page = mmap(nullptr, wire::node_header_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) return nullptr;
  madvise(page, wire::node_header_bytes, MADV_DONTFORK);
  return static_cast<wire::NodeHeader *>(page);
}

std::size_t slot_at(unsigned number) { return wire::node_header_bytes + std::size_t{number} * sizeof(wire::NodeSlot); }

std::uint64_t pid_namespace() {
  struct stat found;
  return stat("/proc/self/ns/pid", &found) == 0 ? found.st_ino : 0;
}

wire::NodeSlot describe_slot(wire::NodeSlotState state) {
  wire::NodeSlot slot{};
  slot.state = state;
  slot.kind = wire::NodeSlotKind::dump;
  slot.rank = live->rank;
  slot.pid = live->pid;
  slot.start_time = live->start_time;
  slot.pid_namespace = pid_namespace();
  return slot;
}

/// A slot of this rank's, or false.
bool take_slot(int file, unsigned &number) {
  std::uint64_t taken = __atomic_fetch_add(&node_header->claimed, 1, __ATOMIC_ACQ_REL);
  if (taken >= wire::node_slot_limit) return false;
  wire::NodeSlot slot = describe_slot(wire::NodeSlotState::claimed);
  number = static_cast<unsigned>(taken);
  return write_at(file, &slot, sizeof slot, slot_at(number));
}

/// The JSON twice: its length first, since several ranks write behind each other. Threads that still call MPI may make it longer.
bool write_slot(int file, unsigned number) {
  static JsonWriter json(-1);
  new (&json) JsonWriter(-1);
  write_record(json);
  json.finish();
  std::uint64_t room = json.written() + json.written() / 8 + 4096;
  std::uint64_t offset = wire::node_payload_at(wire::node_slot_limit) + __atomic_fetch_add(&node_header->tail, room, __ATOMIC_ACQ_REL);
  if (!may_reach(offset + room) || lseek(file, static_cast<off_t>(offset), SEEK_SET) < 0) return false;
  new (&json) JsonWriter(file, room);
  write_record(json);
  if (!json.finish()) return false;
  wire::NodeSlot slot = describe_slot(wire::NodeSlotState::complete);
  slot.offset = offset;
  slot.bytes = json.written();
  slot.sum = wire::node_slot_sum(slot, json.sum());
  return write_at(file, &slot, sizeof slot, slot_at(number));
}

}  // namespace

bool read_slot(int file, unsigned number, wire::NodeSlot &slot) { return read_at(file, &slot, sizeof slot, slot_at(number)); }

bool shares_pids(const wire::NodeSlot &slot) { return slot.pid_namespace && slot.pid_namespace == pid_namespace(); }

bool claim_slot(const char *directory) {
  if (node_header) return true;
  name_file(directory);
  int file = open(node_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return false;
  fchmod(file, 0600);  // the program's mask may take the owner's own rights
  wire::NodeHeader *header = write_header(file) ? map_header(file) : nullptr;
  node_header = header;
  bool claimed = header && take_slot(file, own_slot);
  if (claimed) __atomic_fetch_add(&header->members, 1, __ATOMIC_ACQ_REL);
  close(file);
  if (!claimed && header) {
    munmap(header, wire::node_header_bytes);
    node_header = nullptr;
  }
  return claimed;
}

bool fill_slot() {
  if (!node_header) return false;
  int file = open(node_path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return false;
  unsigned number = own_slot;
  bool done = (!filled || take_slot(file, number)) && write_slot(file, number);
  done = close(file) == 0 && done;
  if (done && !filled) __atomic_fetch_add(&node_header->written, 1, __ATOMIC_ACQ_REL);
  filled = filled || done;
  return done;
}

}  // namespace scope::preload

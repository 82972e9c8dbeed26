#include "communicators.hpp"

#include <string.h>

#include <initializer_list>

#include "family.hpp"
#include "handle_map.hpp"
#include "library.hpp"
#include "procfs.hpp"

namespace scope::preload {

std::uint32_t comm_epoch = 1;

namespace {

HandleMap<Communicator> communicators;
SeparateLock lock;

wire::CommsItem *records;       // the item that is being filled
std::uint32_t record_count;
std::uint32_t merged_index = wire::none_comm;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

wire::CommRecord *record_at(std::uint32_t index) {
  return records && index >= records->first ? records->records() + (index - records->first) : nullptr;
}

/// The record of an index that may lie in an earlier item.
wire::CommRecord *find_record(std::uint32_t index) {
  if (wire::CommRecord *record = record_at(index)) return record;
  char *base = reinterpret_cast<char *>(live);
  for (std::uint64_t at = (sizeof(wire::Header) + 63) / 64 * 64; at < live->used;) {
    wire::ItemHeader *item = reinterpret_cast<wire::ItemHeader *>(base + at);
    wire::CommsItem *comms = reinterpret_cast<wire::CommsItem *>(item);
    if (item->type == wire::Item::comms && index >= comms->first && index < comms->first + comms->count) return comms->records() + (index - comms->first);
    at += item->bytes;
  }
  return nullptr;
}

std::uint32_t append_record(const wire::CommRecord &record) {
  Holding holding(state_lock);
  if (!records || records->count == records->capacity) {
    constexpr std::uint32_t capacity = 32;
    wire::ItemHeader *item = add_item(wire::Item::comms, 0, sizeof(wire::CommsItem) + capacity * sizeof(wire::CommRecord));
    if (!item) return wire::none_comm;
    records = reinterpret_cast<wire::CommsItem *>(item);
    records->first = record_count;
    records->capacity = capacity;
  }
  records->records()[records->count] = record;
  __atomic_store_n(&records->count, records->count + 1, __ATOMIC_RELEASE);
  return record_count++;
}

/// A record for a new communicator, or the common one beyond comm_limit.
std::uint32_t new_record(const Communicator &communicator, const char *name) {
  wire::CommRecord record{};
  if (record_count < wire::comm_limit) {
    record.key = communicator.key;
    record.size = communicator.size;
    record.remote_size = communicator.remote_size;
    record.foreign = communicator.foreign;
    record.rank_plus_1 = communicator.rank + 1;
    copy_text(record.name, sizeof record.name, name);
    return append_record(record);
  }
  ++live->folded.communicators;
  if (merged_index == wire::none_comm) {
    record.key = wire::comm_key_merged;
    record.merged = 1;
    copy_text(record.name, sizeof record.name, "(further communicators)");
    merged_index = append_record(record);
  }
  return merged_index;
}

/// World ranks of a group of the library; foreign when some of its processes are not in our MPI_COMM_WORLD.
struct Group {
  std::int32_t *ranks;  ///< nullptr: they are 0 .. size - 1, or the group could not be translated
  std::int32_t size;
  std::uint64_t hash;
  bool foreign;
};

Group translate(Word group, std::int32_t size) {
  Group result{nullptr, size, mix(7, static_cast<std::uint64_t>(size)), false};
  HandleBuffer world_group;
  if (size <= 0 || library.comm_group(family.world, world_group.address()) != 0) return result;
  std::size_t bytes = static_cast<std::size_t>(size) * sizeof(std::int32_t);
  std::int32_t *from = static_cast<std::int32_t *>(take_block(bytes)), *to = static_cast<std::int32_t *>(take_block(bytes));
  if (from && to) {
    for (std::int32_t i = 0; i < size; ++i) from[i] = i;
    bool identical = true;
    if (library.group_translate_ranks(group, size, from, as_handle(world_group.value), to) == 0)
      for (std::int32_t i = 0; i < size; ++i) {
        identical = identical && to[i] == i;
        result.foreign = result.foreign || to[i] == family.undefined;
        result.hash = mix(result.hash, static_cast<std::uint32_t>(to[i]));
      }
    if (!identical && !result.foreign) {
      result.ranks = to;
      to = nullptr;
    }
  }
  give_block(from, bytes);
  give_block(to, bytes);
  library.group_free(world_group.address());
  return result;
}

/// Asks the library for size, groups and rank. The handle is valid.
void describe(Communicator &communicator) {
  int inter = 0;
  library.comm_test_inter(communicator.handle, &inter);
  communicator.inter = inter != 0;
  library.comm_rank(communicator.handle, &communicator.rank);
  library.comm_size(communicator.handle, &communicator.size);
  HandleBuffer group;
  library.comm_group(communicator.handle, group.address());
  Group local = translate(as_handle(group.value), communicator.size);
  library.group_free(group.address());
  if (!communicator.inter) {
    communicator.to_world = local.ranks;
    communicator.group_hash = local.hash;
    return;
  }
  library.comm_remote_size(communicator.handle, &communicator.remote_size);
  HandleBuffer remote_group;
  library.comm_remote_group(communicator.handle, remote_group.address());
  Group remote = translate(as_handle(remote_group.value), communicator.remote_size);
  library.group_free(remote_group.address());
  communicator.to_world = remote.ranks;
  communicator.foreign = remote.foreign;
  communicator.group_hash = local.hash + remote.hash;  // the same from both sides
  give_block(local.ranks, static_cast<std::size_t>(local.size) * sizeof(std::int32_t));
}

void release(Communicator *communicator) {
  std::int32_t peers = communicator->inter ? communicator->remote_size : communicator->size;
  give_block(communicator->to_world, static_cast<std::size_t>(peers) * sizeof(std::int32_t));
  if (Topology *topology = communicator->topology) {
    give_block(topology->out_null, static_cast<std::size_t>(topology->out_degree));
    give_block(topology->in_null, static_cast<std::size_t>(topology->in_degree));
    give_block(topology, sizeof *topology);
  }
  give_block(communicator, sizeof *communicator);
}

Communicator *fresh(Word handle) {
  Communicator *communicator = static_cast<Communicator *>(take_block(sizeof(Communicator)));
  if (!communicator) return nullptr;
  memset(communicator, 0, sizeof *communicator);
  communicator->handle = handle;
  communicator->references = 1;
  communicator->index = wire::none_comm;
  return communicator;
}

/// Gives the communicator its key and record and makes it known. Keys of communicators of the same group that nobody saw
/// being made are told apart by how many of them there are.
void publish(Communicator *communicator, std::uint64_t key, const char *name) {
  communicator->key = key;
  communicator->index = new_record(*communicator, name);
  communicators.insert(communicator->handle, communicator);
}

Communicator *discover(Word handle) {
  KeepErrno keep_errno;
  Holding holding(lock, multiple);
  if (Communicator *known = communicators.find(handle)) return known;
  if (!library.comm_group || live->state == wire::State::before_init) return nullptr;
  Communicator *communicator = fresh(handle);
  if (!communicator) return nullptr;
  describe(*communicator);
  static std::uint32_t discovered;
  char name[512] = "";
  int length = 0;
  library.comm_get_name(handle, name, &length);
  publish(communicator, mix(mix(communicator->group_hash, 'L'), discovered++), name);
  return communicator;
}

/// How often a communicator of this key has been made, with this time. Beyond comm_limit they share a record, and it does not
/// matter any more.
std::uint32_t times_made(std::uint64_t key) {
  constexpr std::uint32_t slots = 2 * wire::comm_limit;
  static std::uint64_t keys[slots];
  static std::uint32_t times[slots], used;
  for (std::uint64_t i = key;; ++i) {
    std::uint32_t at = static_cast<std::uint32_t>(i % slots);
    if (!times[at]) {
      if (used == wire::comm_limit) return 0;
      ++used;
      keys[at] = key;
    }
    if (keys[at] == key) return ++times[at];
  }
}

void advance_epoch() { __atomic_fetch_add(&comm_epoch, 1, __ATOMIC_RELEASE); }

}  // namespace

void start_communicators() {
  KeepErrno keep_errno;
  Holding holding(lock, multiple);
  struct Fixed {
    Word handle;
    std::uint64_t key;
    const char *name;
  };
  for (const Fixed &fixed : {Fixed{family.world, wire::comm_key_world, "MPI_COMM_WORLD"}, Fixed{family.self, wire::comm_key_self, "MPI_COMM_SELF"}}) {
    if (communicators.find(fixed.handle)) continue;
    Communicator *communicator = fresh(fixed.handle);
    if (!communicator) return;
    describe(*communicator);
    publish(communicator, fixed.key, fixed.name);
  }
}

Communicator *look_up_communicator(Thread &thread, Word handle) {
  std::uint32_t epoch = __atomic_load_n(&comm_epoch, __ATOMIC_ACQUIRE);
  Communicator *communicator;
  {
    Holding holding(lock, multiple);
    communicator = communicators.find(handle);
  }
  if (communicator) comm_slot(thread, handle) = {handle, epoch, communicator};
  return communicator;
}

Communicator *any_communicator(Thread &thread, Word handle) {
  Communicator *communicator = known_communicator(thread, handle);
  return communicator || handle == family.null_comm ? communicator : discover(handle);
}

void created_communicator(Thread &thread, Communicator *parent, Word handle, bool collective, std::uint64_t distinct) {
  KeepErrno keep_errno;
  std::uint32_t order = 0;
  if (parent && collective) order = __atomic_fetch_add(&parent->created, 1, __ATOMIC_RELAXED);
  if (handle == family.null_comm) return;
  forget_communicator(handle);  // freed where we could not see it
  Holding holding(lock, multiple);
  Communicator *communicator = fresh(handle);
  if (!communicator) return;
  describe(*communicator);
  std::uint64_t key = mix(mix(parent ? parent->key : 3, distinct), communicator->group_hash);
  if (collective) {
    key = mix(key, order);
  } else {
    // Ranks outside did not count this one. Members of one group made the same ones in the same order.
    key = mix(key, times_made(key));
  }
  char name[512] = "";
  int length = 0;
  library.comm_get_name(handle, name, &length);
  publish(communicator, key, name);
  static_cast<void>(thread);
}

void duplicated_communicator(Communicator *parent, Word handle) {
  if (!parent) return;
  KeepErrno keep_errno;
  std::uint32_t order = __atomic_fetch_add(&parent->created, 1, __ATOMIC_RELAXED);
  forget_communicator(handle);
  Holding holding(lock, multiple);
  Communicator *communicator = fresh(handle);
  if (!communicator) return;
  *communicator = *parent;
  communicator->handle = handle;
  communicator->references = 1;
  communicator->created = 0;
  communicator->topology = nullptr;
  if (parent->to_world) {
    std::size_t bytes = static_cast<std::size_t>(parent->inter ? parent->remote_size : parent->size) * sizeof(std::int32_t);
    communicator->to_world = static_cast<std::int32_t *>(take_block(bytes));
    if (communicator->to_world) memcpy(communicator->to_world, parent->to_world, bytes);
  }
  publish(communicator, mix(mix(mix(parent->key, 0), communicator->group_hash), order), "");
}

void forget_communicator(Word handle) {
  Communicator *communicator;
  {
    Holding holding(lock, multiple);
    communicator = communicators.remove(handle);
  }
  if (!communicator) return;
  advance_epoch();
  drop(communicator);
}

void rename_communicator(Communicator &communicator, const char *name) {
  if (communicator.index == merged_index) return;
  Holding holding(state_lock);
  if (wire::CommRecord *record = find_record(communicator.index)) copy_text(record->name, sizeof record->name, name);
}

namespace {

// Atomic only where threads may be here at once: a locked instruction costs as much as the rest of a request's bookkeeping.
void add_references(Communicator *communicator, std::uint32_t count) {
  if (multiple)
    __atomic_fetch_add(&communicator->references, count, __ATOMIC_RELAXED);
  else
    communicator->references += count;
}

void drop_references(Communicator *communicator, std::uint32_t count) {
  std::uint32_t left = multiple ? __atomic_sub_fetch(&communicator->references, count, __ATOMIC_ACQ_REL) : communicator->references -= count;
  if (left != 0) return;
  Holding holding(lock, multiple);
  release(communicator);
}

constexpr std::uint32_t references_at_once = 256;

/// The references that the thread has in stock are of this communicator, and it was not freed since.
bool in_stock(Thread &thread, const Communicator *communicator) {
  return thread.kept.comm == communicator && thread.kept.epoch == __atomic_load_n(&comm_epoch, __ATOMIC_ACQUIRE);
}

void give_back_stock(KeptReferences &kept) {
  if (kept.comm && kept.left) drop_references(kept.comm, kept.left);
  kept = {};
}

}  // namespace

void keep(Communicator *communicator) {
  if (communicator) add_references(communicator, 1);
}

void drop(Communicator *communicator) {
  if (communicator) drop_references(communicator, 1);
}

void keep(Thread &thread, Communicator *communicator) {
  if (!communicator) return;
  if (!multiple) return add_references(communicator, 1);
  KeptReferences &kept = thread.kept;
  if (!in_stock(thread, communicator) || !kept.left) {
    give_back_stock(kept);
    add_references(communicator, references_at_once);
    kept = {communicator, __atomic_load_n(&comm_epoch, __ATOMIC_ACQUIRE), references_at_once};
  }
  --kept.left;
}

void drop(Thread &thread, Communicator *communicator) {
  if (!communicator) return;
  if (!multiple) return drop_references(communicator, 1);
  KeptReferences &kept = thread.kept;
  if (!in_stock(thread, communicator)) {
    if (kept.epoch != __atomic_load_n(&comm_epoch, __ATOMIC_ACQUIRE)) give_back_stock(kept);
    return drop_references(communicator, 1);
  }
  if (++kept.left < 2 * references_at_once) return;
  kept.left -= references_at_once;
  drop_references(communicator, references_at_once);
}

namespace {

/// Marks neighbours that are MPI_PROC_NULL: nullptr when there are none.
std::uint8_t *mark_null(const int *neighbours, int count) {
  std::uint8_t *marks = nullptr;
  for (int i = 0; i < count; ++i) {
    if (neighbours[i] != family.proc_null) continue;
    if (!marks) {
      marks = static_cast<std::uint8_t *>(take_block(static_cast<std::size_t>(count)));
      if (!marks) return nullptr;
      memset(marks, 0, static_cast<std::size_t>(count));
    }
    marks[i] = 1;
  }
  return marks;
}

/// MPI 4.1, 8.6: neighbours of a Cartesian communicator are, for each dimension, those at displacement -1 and +1.
void cartesian(Communicator &communicator, Topology &topology) {
  int dimensions = 0;
  library.cartdim_get(communicator.handle, &dimensions);
  int neighbours[2 * 64];
  if (dimensions > 64) dimensions = 64;
  for (int i = 0; i < dimensions; ++i) library.cart_shift(communicator.handle, i, 1, &neighbours[2 * i], &neighbours[2 * i + 1]);
  topology.out_degree = topology.in_degree = 2 * dimensions;
  topology.out_null = mark_null(neighbours, 2 * dimensions);
  topology.in_null = mark_null(neighbours, 2 * dimensions);
}

void graph(Communicator &communicator, Topology &topology) {
  int count = 0;
  library.graph_neighbors_count(communicator.handle, communicator.rank, &count);
  topology.out_degree = topology.in_degree = count;
}

void distributed_graph(Communicator &communicator, Topology &topology) {
  int weighted = 0;
  library.dist_graph_neighbors_count(communicator.handle, &topology.in_degree, &topology.out_degree, &weighted);
  std::size_t in = static_cast<std::size_t>(topology.in_degree), out = static_cast<std::size_t>(topology.out_degree);
  std::size_t bytes = 2 * (in + out + 1) * sizeof(int);
  int *space = static_cast<int *>(take_block(bytes));
  if (!space) return;
  int *sources = space, *in_weights = space + in, *targets = space + 2 * in, *out_weights = space + 2 * in + out;
  if (library.dist_graph_neighbors(communicator.handle, topology.in_degree, sources, in_weights, topology.out_degree, targets, out_weights) == 0) {
    topology.in_null = mark_null(sources, topology.in_degree);
    topology.out_null = mark_null(targets, topology.out_degree);
  }
  give_block(space, bytes);
}

}  // namespace

const Topology *topology_of(Communicator &communicator) {
  if (communicator.topology) return communicator.topology;
  KeepErrno keep_errno;
  Holding holding(lock, multiple);
  if (communicator.topology) return communicator.topology;
  int kind = 0;
  if (!library.topo_test || library.topo_test(communicator.handle, &kind) != 0) return nullptr;
  // MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH: 1, 2, 3 in Open MPI, 2, 1, 3 in MPICH.
  const int cart = family.id == wire::Family::open_mpi ? 1 : 2, plain_graph = 3 - cart;
  if (kind != cart && kind != plain_graph && kind != 3) return nullptr;
  Topology *topology = static_cast<Topology *>(take_block(sizeof(Topology)));
  if (!topology) return nullptr;
  memset(topology, 0, sizeof *topology);
  if (kind == cart)
    cartesian(communicator, *topology);
  else if (kind == plain_graph)
    graph(communicator, *topology);
  else
    distributed_graph(communicator, *topology);
  __atomic_store_n(&communicator.topology, topology, __ATOMIC_RELEASE);
  return topology;
}

}  // namespace scope::preload

#include "requests.hpp"

#include <string.h>

#include "communicators.hpp"

namespace scope::preload {

namespace {

constexpr std::uint32_t nil = 0;  // nodes are numbered from 1

/// The first node of a handle stands in the chain of its bucket; the others of the handle hang behind it as a queue.
struct Node {
  Operation operation;
  std::uint32_t next_handle;  // in the bucket; also the list of free nodes
  std::uint32_t next_same;
  std::uint32_t last_same;    // of the first node: end of the queue
};

Lock lock;
Node *nodes;
std::uint32_t node_capacity, node_used, free_node = nil, count;
std::uint32_t *buckets;
std::uint32_t bucket_mask;

std::uint32_t bucket_of(Word handle) { return static_cast<std::uint32_t>((handle * 0x9e3779b97f4a7c15u) >> 32) & bucket_mask; }

void rehash(std::uint32_t size) {
  std::uint32_t *fresh = static_cast<std::uint32_t *>(map_private(size * sizeof(std::uint32_t), true));
  if (!fresh) return;
  std::uint32_t *old = buckets, old_size = old ? bucket_mask + 1 : 0;
  buckets = fresh;
  bucket_mask = size - 1;
  for (std::uint32_t i = 0; i < old_size; ++i)
    for (std::uint32_t node = old[i]; node;) {
      std::uint32_t next = nodes[node].next_handle, &head = buckets[bucket_of(nodes[node].operation.handle)];
      nodes[node].next_handle = head;
      head = node;
      node = next;
    }
  unmap_private(old, old_size * sizeof(std::uint32_t));
}

bool grow() {
  KeepErrno keep_errno;
  std::uint32_t capacity = node_capacity ? node_capacity * 2 : 1024;
  if (capacity > operation_limit) return false;
  Node *fresh = static_cast<Node *>(map_private(capacity * sizeof(Node), true));
  if (!fresh) return false;
  if (nodes) memcpy(fresh, nodes, node_capacity * sizeof(Node));
  unmap_private(nodes, node_capacity * sizeof(Node));
  nodes = fresh;
  node_capacity = capacity;
  if (!node_used) node_used = 1;
  rehash(capacity * 2);
  return buckets != nullptr;
}

std::uint32_t *find(Word handle) {
  if (!buckets) return nullptr;
  for (std::uint32_t *link = &buckets[bucket_of(handle)]; *link; link = &nodes[*link].next_handle)
    if (nodes[*link].operation.handle == handle) return link;
  return nullptr;
}

/// Takes the first node of a handle out of its queue.
void unlink_first(std::uint32_t *link) {
  std::uint32_t node = *link, second = nodes[node].next_same;
  if (second) {
    nodes[second].next_handle = nodes[node].next_handle;
    nodes[second].last_same = nodes[node].last_same;
    *link = second;
  } else {
    *link = nodes[node].next_handle;
  }
  nodes[node].next_handle = free_node;
  free_node = node;
  --count;
}

std::uint32_t new_node(const Operation &operation) {
  std::uint32_t node = free_node;
  if (node) {
    free_node = nodes[node].next_handle;
  } else {
    if (node_used >= node_capacity && !grow()) return nil;
    node = node_used++;
  }
  nodes[node] = {operation, nil, nil, node};
  ++count;
  return node;
}

void insert(const Operation &operation, bool in_front) {
  std::uint32_t node = new_node(operation);
  if (!node) {
    __atomic_fetch_add(&live->untracked_requests, 1, __ATOMIC_RELAXED);
    drop(operation.comm);
    return;
  }
  std::uint32_t *link = find(operation.handle);
  if (!link) {
    std::uint32_t &head = buckets[bucket_of(operation.handle)];
    nodes[node].next_handle = head;
    head = node;
  } else if (in_front) {
    std::uint32_t first = *link;
    nodes[node].next_same = first;
    nodes[node].next_handle = nodes[first].next_handle;
    nodes[node].last_same = nodes[first].last_same;
    *link = node;
  } else {
    nodes[nodes[*link].last_same].next_same = node;
    nodes[*link].last_same = node;
  }
}

}  // namespace

void add_operation(const Operation &operation) {
  keep(operation.comm);
  Holding holding(lock, multiple);
  insert(operation, false);
}

bool take_operation(Word handle, Operation &operation) {
  Holding holding(lock, multiple);
  std::uint32_t *link = find(handle);
  if (!link) return false;
  Operation &first = nodes[*link].operation;
  if (!first.active) return false;
  operation = first;
  if (first.persistent)
    first.active = false;
  else
    unlink_first(link);
  return true;
}

void restore_operation(const Operation &operation) {
  Holding holding(lock, multiple);
  if (!operation.persistent) {
    insert(operation, true);
  } else if (std::uint32_t *link = find(operation.handle)) {
    nodes[*link].operation.active = true;
  }
}

void finish_operation(const Operation &operation) {
  if (!operation.persistent) drop(operation.comm);
}

const Operation *peek_operation(Word handle) {
  std::uint32_t *link = find(handle);
  return link && nodes[*link].operation.active ? &nodes[*link].operation : nullptr;
}

bool start_operation(Word handle, Started started, Operation &operation) {
  Holding holding(lock, multiple);
  std::uint32_t *link = find(handle);
  if (!link || !nodes[*link].operation.persistent) return false;
  nodes[*link].operation.active = true;
  nodes[*link].operation.started = started;
  operation = nodes[*link].operation;
  return true;
}

void free_operation(Word handle) {
  Communicator *comm;
  {
    Holding holding(lock, multiple);
    std::uint32_t *link = find(handle);
    if (!link) return;
    comm = nodes[*link].operation.comm;
    unlink_first(link);
  }
  drop(comm);
}

std::uint32_t operation_count() { return count; }

}  // namespace scope::preload

#include "requests.hpp"

#include "communicators.hpp"

namespace scope::preload {

namespace {

/// The first node of a handle stands in the chain of its bucket; the others of the handle hang behind it as a queue. Nodes do not
/// move, and their memory is kept for others.
struct Node {
  Operation operation;  // first: a pointer to it is one to its node
  Node *next_handle;    // in the bucket; also the list of free nodes
  Node *next_same;
  Node *last_same;      // of the first node: end of the queue
};

/// Of the handles that hash to it. Two threads with different requests touch different cache lines.
struct alignas(64) Part {
  Lock lock;
  std::uint32_t count;  // of operations that can be found
  std::uint32_t bucket_mask;
  std::uint32_t unused_count;
  Node **buckets;
  Node *free;
  Node *unused;         // memory that was never a node
  std::uint32_t last_chunk;  // nodes in it
};

constexpr unsigned part_bits = 4;
constexpr std::uint32_t first_buckets = 64, first_chunk = 46, largest_chunk = 736;  // a page of nodes, 16 pages
Part parts[1u << part_bits];
std::uint32_t nodes_made;  // of all parts

std::uint32_t hash_of(Word handle) { return static_cast<std::uint32_t>((handle * 0x9e3779b97f4a7c15u) >> 32); }
Part &part_of(Word handle) { return parts[hash_of(handle) >> (32 - part_bits)]; }

void rehash(Part &part, std::uint32_t size) {
  KeepErrno keep_errno;
  Node **fresh = static_cast<Node **>(map_private(size * sizeof(Node *), true));
  if (!fresh) return;
  Node **old = part.buckets;
  std::uint32_t old_size = old ? part.bucket_mask + 1 : 0;
  part.buckets = fresh;
  part.bucket_mask = size - 1;
  for (std::uint32_t i = 0; i < old_size; ++i)
    for (Node *node = old[i]; node;) {
      Node *next = node->next_handle, **head = &fresh[hash_of(node->operation.handle) & part.bucket_mask];
      node->next_handle = *head;
      *head = node;
      node = next;
    }
  unmap_private(old, old_size * sizeof(Node *));
}

bool more_nodes(Part &part) {
  KeepErrno keep_errno;
  std::uint32_t chunk = part.last_chunk ? part.last_chunk * 2 : first_chunk;
  if (chunk > largest_chunk) chunk = largest_chunk;
  if (__atomic_add_fetch(&nodes_made, chunk, __ATOMIC_RELAXED) <= operation_limit)
    part.unused = static_cast<Node *>(map_private(chunk * sizeof(Node), true));
  if (!part.unused) {
    __atomic_fetch_sub(&nodes_made, chunk, __ATOMIC_RELAXED);
    return false;
  }
  part.unused_count = part.last_chunk = chunk;
  return true;
}

Node *new_node(Part &part) {
  if (__builtin_expect(part.count > part.bucket_mask, false) || !part.buckets) rehash(part, part.buckets ? (part.bucket_mask + 1) * 2 : first_buckets);
  if (!part.buckets) return nullptr;
  if (Node *node = part.free) {
    part.free = node->next_handle;
    return node;
  }
  if (!part.unused_count && !more_nodes(part)) return nullptr;
  if (--part.unused_count) return part.unused++;
  Node *node = part.unused;
  part.unused = nullptr;
  return node;
}

Node **find(Part &part, Word handle) {
  if (!part.buckets) return nullptr;
  for (Node **link = &part.buckets[hash_of(handle) & part.bucket_mask]; *link; link = &(*link)->next_handle)
    if ((*link)->operation.handle == handle) return link;
  return nullptr;
}

/// Takes the first node of a handle out of its queue.
Node *unlink_first(Part &part, Node **link) {
  Node *node = *link, *second = node->next_same;
  if (second) {
    second->next_handle = node->next_handle;
    second->last_same = node->last_same;
    *link = second;
  } else {
    *link = node->next_handle;
  }
  --part.count;
  return node;
}

void release(Part &part, Node *node) {
  node->next_handle = part.free;
  part.free = node;
}

void link_in(Part &part, Node *node, bool in_front) {
  node->next_same = nullptr;
  node->last_same = node;
  ++part.count;
  Node **link = find(part, node->operation.handle);
  if (!link) {
    Node **head = &part.buckets[hash_of(node->operation.handle) & part.bucket_mask];
    node->next_handle = *head;
    *head = node;
  } else if (in_front) {
    Node *first = *link;
    node->next_same = first;
    node->next_handle = first->next_handle;
    node->last_same = first->last_same;
    *link = node;
  } else {
    (*link)->last_same->next_same = node;
    (*link)->last_same = node;
  }
}

}  // namespace

void add_operation(const Operation &operation) {
  keep(operation.comm);
  Part &part = part_of(operation.handle);
  {
    Holding holding(part.lock, multiple);
    if (Node *node = new_node(part)) {
      node->operation = operation;
      return link_in(part, node, false);
    }
  }
  __atomic_fetch_add(&live->untracked_requests, 1, __ATOMIC_RELAXED);
  drop(operation.comm);
}

Operation *take_operation(Word handle) {
  Part &part = part_of(handle);
  Holding holding(part.lock, multiple);
  Node **link = find(part, handle);
  if (!link || !(*link)->operation.active) return nullptr;
  Node *node = *link;
  if (node->operation.persistent)
    node->operation.active = false;
  else
    unlink_first(part, link);
  return &node->operation;
}

void restore_operation(Operation *operation) {
  Part &part = part_of(operation->handle);
  Holding holding(part.lock, multiple);
  if (operation->persistent)
    operation->active = true;
  else
    link_in(part, reinterpret_cast<Node *>(operation), true);
}

void finish_operation(Operation *operation) {
  if (operation->persistent) return;
  Communicator *comm = operation->comm;
  {
    Part &part = part_of(operation->handle);
    Holding holding(part.lock, multiple);
    release(part, reinterpret_cast<Node *>(operation));
  }
  drop(comm);
}

const Operation *start_operation(Word handle, Started started) {
  Part &part = part_of(handle);
  Holding holding(part.lock, multiple);
  Node **link = find(part, handle);
  if (!link || !(*link)->operation.persistent) return nullptr;
  (*link)->operation.active = true;
  (*link)->operation.started = started;
  return &(*link)->operation;
}

void free_operation(Word handle) {
  Communicator *comm;
  {
    Part &part = part_of(handle);
    Holding holding(part.lock, multiple);
    Node **link = find(part, handle);
    if (!link) return;
    Node *node = unlink_first(part, link);
    comm = node->operation.comm;
    release(part, node);
  }
  drop(comm);
}

std::uint32_t operation_count() {
  std::uint32_t count = 0;
  for (const Part &part : parts) count += part.count;
  return count;
}

}  // namespace scope::preload

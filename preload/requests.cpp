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

constexpr std::uint32_t first_buckets = 64, most_kept_buckets = 4096, batch = 46;  // a page of nodes

/// Nodes that nobody uses: a list, and memory that was never a node.
struct Stock {
  Node *list;
  Node *fresh;
  std::uint32_t listed, fresh_count;
};

}  // namespace

/// What a thread began, and what it put back. Others look into it only for what they don't have themselves.
struct alignas(64) RequestMap {
  Lock lock;
  std::uint32_t count;  // of operations that can be found; read by others without the lock, to pass by an empty map
  std::uint32_t bucket_mask;
  Node **buckets;
  Stock stock;          // of the thread alone, as the rest of the page
  Node *small_table[first_buckets];
};
static_assert(sizeof(RequestMap) <= 4096);

namespace {

// Nodes that are in no thread's stock, in lists of `batch`, linked through next_same of their first ones.
SeparateLock spare_lock;
Node *spare;
Node *unused;  // memory that was never a node
std::uint32_t unused_count, nodes_made;

/// Counts what was put into another map than the one that it was taken from: a search that meets this may have missed it.
std::uint32_t moved;

std::uint32_t hash_of(Word handle) { return static_cast<std::uint32_t>((handle * 0x9e3779b97f4a7c15u) >> 32); }

RequestMap *map_of(const Thread &thread) { return __atomic_load_n(&thread.requests, __ATOMIC_ACQUIRE); }
bool empty(const RequestMap *map) { return !map || __atomic_load_n(&map->count, __ATOMIC_RELAXED) == 0; }
void change_count(RequestMap &map, std::uint32_t by) { __atomic_store_n(&map.count, map.count + by, __ATOMIC_RELAXED); }

RequestMap *make_map(Thread &thread) {
  KeepErrno keep_errno;
  RequestMap *map = static_cast<RequestMap *>(map_private(sizeof(RequestMap), true));
  if (!map) return nullptr;
  map->buckets = map->small_table;
  map->bucket_mask = first_buckets - 1;
  __atomic_store_n(&thread.requests, map, __ATOMIC_RELEASE);
  return map;
}

/// Puts the chains into a table of another size; 64: the one in the map itself.
void rehash(RequestMap &map, std::uint32_t size) {
  KeepErrno keep_errno;
  Node **fresh = size == first_buckets ? map.small_table : static_cast<Node **>(map_private(size * sizeof(Node *), true));
  if (!fresh) return;
  Node **old = map.buckets;
  std::uint32_t old_size = map.bucket_mask + 1;
  map.buckets = fresh;
  map.bucket_mask = size - 1;
  for (std::uint32_t i = 0; i < old_size; ++i) {
    for (Node *node = old[i]; node;) {
      Node *next = node->next_handle, **head = &fresh[hash_of(node->operation.handle) & map.bucket_mask];
      node->next_handle = *head;
      *head = node;
      node = next;
    }
    old[i] = nullptr;
  }
  if (old != map.small_table) unmap_private(old, old_size * sizeof(Node *));
}

/// A batch from what other threads gave back, else from new memory, by pages.
bool fill(Stock &stock) {
  KeepErrno keep_errno;
  constexpr std::uint32_t chunk = 16 * batch;
  Holding holding(spare_lock, multiple);
  if (Node *first = spare) {
    spare = first->next_same;
    stock.list = first;
    stock.listed = batch;
    return true;
  }
  if (!unused_count && nodes_made + chunk <= operation_limit) {
    unused = static_cast<Node *>(map_private(chunk * sizeof(Node), true));
    if (unused) {
      unused_count = chunk;
      nodes_made += chunk;
    }
  }
  if (!unused_count) return false;
  stock.fresh = unused;
  stock.fresh_count = batch;
  unused += batch;
  unused_count -= batch;
  return true;
}

Node *new_node(Stock &stock) {
  if (__builtin_expect(!stock.list, false)) {
    if (!stock.fresh_count && !fill(stock)) return nullptr;
    if (stock.fresh_count) {
      --stock.fresh_count;
      return stock.fresh++;
    }
  }
  Node *node = stock.list;
  stock.list = node->next_handle;
  --stock.listed;
  return node;
}

/// A thread that completes what others began hands the nodes on.
void hand_on(Stock &stock) {
  Node *first = stock.list, *last = first;
  for (std::uint32_t i = 1; i < batch; ++i) last = last->next_handle;
  stock.list = last->next_handle;
  stock.listed -= batch;
  last->next_handle = nullptr;
  Holding holding(spare_lock, multiple);
  first->next_same = spare;
  spare = first;
}

void release(Stock &stock, Node *node) {
  node->next_handle = stock.list;
  stock.list = node;
  if (__builtin_expect(++stock.listed >= 2 * batch, false)) hand_on(stock);
}

Node **bucket_of(RequestMap &map, Word handle) { return &map.buckets[hash_of(handle) & map.bucket_mask]; }

Node **find(Node **bucket, Word handle) {
  for (Node **link = bucket; *link; link = &(*link)->next_handle)
    if ((*link)->operation.handle == handle) return link;
  return nullptr;
}
Node **find(RequestMap &map, Word handle) { return find(bucket_of(map, handle), handle); }

/// Takes the first node of a handle out of its queue.
Node *unlink_first(RequestMap &map, Node **link) {
  Node *node = *link, *second = node->next_same;
  if (second) {
    second->next_handle = node->next_handle;
    second->last_same = node->last_same;
    *link = second;
  } else {
    *link = node->next_handle;
  }
  change_count(map, -1u);
  if (__builtin_expect(map.count == 0 && map.bucket_mask >= most_kept_buckets, false)) rehash(map, first_buckets);
  return node;
}

void link_in(RequestMap &map, Node *node, bool in_front) {
  if (__builtin_expect(map.count > map.bucket_mask, false)) rehash(map, (map.bucket_mask + 1) * 2);
  node->next_same = nullptr;
  node->last_same = node;
  change_count(map, 1);
  Node **bucket = bucket_of(map, node->operation.handle), **link = find(bucket, node->operation.handle);
  if (!link) {
    node->next_handle = *bucket;
    *bucket = node;
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

/// `use(map, link)` under the lock of the map that has the handle: the thread's own, else another's.
template <class Use>
auto with(Thread &thread, Word handle, Use use) -> decltype(use(*thread.requests, nullptr)) {
  RequestMap *own = thread.requests;
  if (!empty(own)) {
    Holding holding(own->lock, multiple);
    if (Node **link = find(*own, handle)) return use(*own, link);
  }
  for (std::uint32_t before = __atomic_load_n(&moved, __ATOMIC_ACQUIRE), after;; before = after) {
    for (Thread *other = all_threads(); other; other = other->next) {
      RequestMap *map = map_of(*other);
      if (map == own || empty(map)) continue;
      Holding holding(map->lock, multiple);
      if (Node **link = find(*map, handle)) return use(*map, link);
    }
    after = __atomic_load_n(&moved, __ATOMIC_ACQUIRE);
    if (after == before) return nullptr;
  }
}

bool is_active(const Operation &operation) { return __atomic_load_n(&operation.active, __ATOMIC_RELAXED); }
void set_active(Operation &operation, bool active) { __atomic_store_n(&operation.active, active, __ATOMIC_RELAXED); }

}  // namespace

Operation *new_operation(Thread &thread) {
  RequestMap *map = thread.requests;
  if (__builtin_expect(!map, false)) map = make_map(thread);
  Node *node = map ? new_node(map->stock) : nullptr;
  if (__builtin_expect(!node, false)) {
    __atomic_fetch_add(&live->untracked_requests, 1, __ATOMIC_RELAXED);
    return nullptr;
  }
  return &node->operation;
}

void add_operation(Thread &thread, Operation *operation) {
  if (operation->comm) keep(thread, operation->comm);
  RequestMap &map = *thread.requests;
  Holding holding(map.lock, multiple);
  link_in(map, reinterpret_cast<Node *>(operation), false);
}

Operation *take_operation(Thread &thread, Word handle) {
  return with(thread, handle, [&thread](RequestMap &map, Node **link) -> Operation * {
    Operation &operation = (*link)->operation;
    if (!is_active(operation)) return nullptr;
    if (operation.persistent) {
      set_active(operation, false);
    } else {
      unlink_first(map, link);
      operation.foreign = &map != thread.requests;
    }
    return &operation;
  });
}

void restore_operation(Thread &thread, Operation *operation) {
  if (operation->persistent) return set_active(*operation, true);
  RequestMap *map = thread.requests;
  if (!map) map = make_map(thread);
  if (!map) return;  // no memory: it is not found any more
  {
    Holding holding(map->lock, multiple);
    link_in(*map, reinterpret_cast<Node *>(operation), true);
  }
  if (operation->foreign) __atomic_fetch_add(&moved, 1, __ATOMIC_RELEASE);
}

void finish_operation(Thread &thread, Operation *operation) {
  if (operation->persistent) return;
  if (operation->comm) drop(thread, operation->comm);
  RequestMap *map = thread.requests;
  if (__builtin_expect(!map, false)) map = make_map(thread);
  if (map) release(map->stock, reinterpret_cast<Node *>(operation));
}

const Operation *start_operation(Thread &thread, Word handle, Started started) {
  return with(thread, handle, [started](RequestMap &, Node **link) -> const Operation * {
    Operation &operation = (*link)->operation;
    if (!operation.persistent) return nullptr;
    operation.started = started;
    set_active(operation, true);
    return &operation;
  });
}

void free_operation(Thread &thread, Word handle) {
  Operation *freed = with(thread, handle, [](RequestMap &map, Node **link) { return &unlink_first(map, link)->operation; });
  if (!freed) return;
  freed->persistent = false;
  finish_operation(thread, freed);
}

std::uint32_t operation_count() {
  std::uint32_t count = 0;
  for (Thread *thread = all_threads(); thread; thread = thread->next)
    if (RequestMap *map = map_of(*thread)) count += __atomic_load_n(&map->count, __ATOMIC_RELAXED);
  return count;
}

}  // namespace scope::preload

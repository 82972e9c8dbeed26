#include "callsites.hpp"

#include <string.h>
#include <unwind.h>

#include "procfs.hpp"
#include "python_frames.hpp"
#include "site_records.hpp"

namespace scope::preload {

namespace {

std::uint32_t depth;
constexpr std::uint8_t first_checks = 8;

Interpreter interpreter;
bool interpreter_sought;

/// Return addresses from the user's code outwards, and where the innermost stands on the stack.
struct Walk {
  SiteCache &cache;
  std::uintptr_t caller;  ///< return address of our entry: what comes before is ours
  bool arrived;
  std::uint32_t wanted, count;
  std::uintptr_t addresses[wire::site_depth_limit];
  std::uintptr_t first_stack;  ///< address of the word that holds addresses[0], 0 unknown
};

const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/// The name of the object that holds an address, from the records; "" if it is in none.
const char *object_name(std::uintptr_t address);

/// Layers of an MPI library between the user's code and its C functions: Fortran and C++ bindings.
bool is_binding(const char *path) {
  const char *name = base_name(path);
  static constexpr const char *starts[] = {"libmpi_", "libmpichf", "libmpifort", "libmpichcxx", "libmpicxx"};
  for (const char *start : starts)
    if (strncmp(name, start, strlen(start)) == 0) return true;
  return false;
}
bool is_mpi4py(const char *path) { return strncmp(base_name(path), "MPI.", 4) == 0 && strstr(path, "mpi4py"); }

bool in_binding(SiteCache &cache, std::uintptr_t address) {
  KindSlot &slot = cache.kinds[(address ^ address >> 8) % SiteCache::kind_count];
  if (slot.address != address) slot = {address, is_binding(object_name(address))};
  return slot.binding;
}

_Unwind_Reason_Code step(_Unwind_Context *context, void *data) {
  Walk &walk = *static_cast<Walk *>(data);
  std::uintptr_t address = _Unwind_GetIP(context);
  if (!walk.arrived) {
    if (address != walk.caller) return _URC_NO_REASON;
    walk.arrived = true;
  }
  if (!address) return _URC_END_OF_STACK;
  if (walk.count == 0 && in_binding(walk.cache, address)) return _URC_NO_REASON;
  if (walk.count == 0) {
    // The canonical frame address of the callee: its return address stands in the word below, on x86-64.
    const std::uintptr_t *word = reinterpret_cast<const std::uintptr_t *>(_Unwind_GetCFA(context)) - 1;
    walk.first_stack = *word == address ? reinterpret_cast<std::uintptr_t>(word) : 0;
  }
  walk.addresses[walk.count++] = address;
  return walk.count == walk.wanted ? _URC_END_OF_STACK : _URC_NO_REASON;
}

Walk unwind(SiteCache &cache, const void *caller, std::uint32_t wanted) {
  Walk walk{cache, reinterpret_cast<std::uintptr_t>(caller), false, wanted, 0, {}, 0};
  _Unwind_Backtrace(step, &walk);
  if (walk.count == 0) walk.addresses[walk.count++] = walk.caller;  // bindings only, or no tables to unwind by
  return walk;
}

std::uint64_t path_of(const std::uintptr_t *addresses, std::uint32_t count) {
  std::uint64_t path = 1;
  for (std::uint32_t i = 0; i < count; ++i) path = mix(path, addresses[i]);
  return path;
}

std::uint32_t native_site(const std::uintptr_t *addresses, std::uint32_t count) {
  KeepErrno keep;
  Holding holding(state_lock);
  std::uint64_t path = path_of(addresses, count);
  if (std::uint32_t known = known_site(path)) return known;
  std::uint32_t frames[wire::site_depth_limit], found = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    frames[found] = native_frame(addresses[i]);
    if (frames[found] == no_frame) break;
    ++found;
  }
  return add_site(path, frames, found);
}

PathSlot &path_slot(SiteCache &cache, std::uint64_t path) { return cache.paths[path % SiteCache::path_count]; }

std::uint32_t cached_native_site(SiteCache &cache, const std::uintptr_t *addresses, std::uint32_t count) {
  std::uint64_t path = path_of(addresses, count);
  PathSlot &slot = path_slot(cache, path);
  if (slot.path != path || !slot.site) slot = {path, native_site(addresses, count)};
  return slot.site;
}

std::uint32_t python_site(std::uint64_t path) {
  KeepErrno keep;
  Holding holding(state_lock);
  if (std::uint32_t known = known_site(path)) return known;
  static char file[sizeof wire::ModuleRecord::path], function[sizeof wire::FrameRecord::function];
  std::uint32_t frames[wire::site_depth_limit], found = 0;
  for (PythonFrame frame = current_python_frame(); frame.frame && found < depth; frame = outer_python_frame(frame)) {
    int line = describe_python_frame(frame, file, sizeof file, function, sizeof function);
    frames[found] = python_frame(file, function, line);
    if (frames[found] == no_frame) break;
    ++found;
  }
  return add_site(path, frames, found);
}

/// 0 when this thread runs no Python code.
std::uint32_t cached_python_site(SiteCache &cache) {
  PythonFrame frame = current_python_frame();
  if (!frame.frame) return 0;
  std::uint64_t path = python_place(frame);
  for (std::uint32_t i = 1; i < depth; ++i) {
    frame = outer_python_frame(frame);
    if (!frame.frame) break;
    path = mix(path, python_place(frame));
  }
  PathSlot &slot = path_slot(cache, path);
  if (slot.path != path || !slot.site) slot = {path, python_site(path)};
  return slot.site;
}

bool python_is_readable() {
  Holding holding(state_lock);
  if (interpreter_sought) return interpreter == Interpreter::readable;
  interpreter_sought = true;
  const char *version = "";
  interpreter = find_interpreter(version);
  if (interpreter == Interpreter::foreign) {
    copy_text(live->foreign_python, sizeof live->foreign_python, version);
    live->foreign_python[strcspn(live->foreign_python, " ")] = 0;
  }
  return interpreter == Interpreter::readable;
}

const char *object_name(std::uintptr_t address) {
  Holding holding(state_lock);
  return module_path(place_of(address).module);
}

std::uintptr_t saved_base(const void *frame) { return *static_cast<const std::uintptr_t *>(frame); }

/// Where the wrapper's own return address stands, as far as one unwinding can tell.
void learn_route(CallerSlot &slot, const Walk &walk, const void *frame) {
  slot.route = SiteRoute::unwound;
  if (!walk.first_stack) return;
  std::intptr_t from_base = static_cast<std::intptr_t>(walk.first_stack - saved_base(frame));
  bool has_base = from_base == static_cast<std::intptr_t>(sizeof(void *));  // the wrapper keeps a base pointer: its frame may vary
  slot.route = has_base ? SiteRoute::behind_base : SiteRoute::behind_stack;
  slot.where = has_base ? from_base : static_cast<std::intptr_t>(walk.first_stack - reinterpret_cast<std::uintptr_t>(frame));
  slot.checks = first_checks;
}

/// A caller that this thread has not met, or not lately.
void meet(SiteCache &cache, CallerSlot &slot, const void *caller, const void *frame) {
  KeepErrno keep;
  slot = {reinterpret_cast<std::uintptr_t>(caller), 0, 0, SiteRoute::direct, 0};
  const char *path = object_name(slot.caller);
  if (is_mpi4py(path) && python_is_readable()) slot.route = SiteRoute::python;
  else if (depth > 1) slot.route = SiteRoute::unwound;
  else if (is_binding(path)) learn_route(slot, unwind(cache, caller, 1), frame);
  else slot.site = cached_native_site(cache, &slot.caller, 1);
}

std::uint32_t unwound_site(SiteCache &cache, const void *caller) {
  KeepErrno keep;
  Walk walk = unwind(cache, caller, depth);
  return cached_native_site(cache, walk.addresses, walk.count);
}

/// Behind a wrapper of constant size. The first calls are unwound as well: a wrapper that does not keep to it is unwound always.
std::uint32_t wrapped_site(SiteCache &cache, CallerSlot &slot, const void *caller, const void *frame) {
  std::uintptr_t base = slot.route == SiteRoute::behind_base ? saved_base(frame) : reinterpret_cast<std::uintptr_t>(frame);
  std::uintptr_t place = base + static_cast<std::uintptr_t>(slot.where);
  if (slot.checks) {
    KeepErrno keep;
    --slot.checks;
    Walk walk = unwind(cache, caller, 1);
    if (walk.first_stack != place) slot.route = SiteRoute::unwound;
    return cached_native_site(cache, walk.addresses, walk.count);
  }
  std::uintptr_t address = *reinterpret_cast<const std::uintptr_t *>(place);
  return cached_native_site(cache, &address, 1);
}

}  // namespace

void start_callsites(const char *text) {
  depth = 0;
  if (!text) return;
  std::uint32_t number = 0;
  for (; *text >= '0' && *text <= '9' && number < 1000; ++text) number = number * 10 + static_cast<std::uint32_t>(*text - '0');
  if (*text || number > wire::site_depth_limit) return;
  depth = live->site_depth = number;
}

void prepare_callsites(Thread &thread) {
  if (depth && !thread.sites) thread.sites = static_cast<SiteCache *>(map_private(sizeof(SiteCache), true));
}

void locate(Thread &thread, const void *caller, const void *frame) {
  SiteCache &cache = *thread.sites;
  std::uintptr_t address = reinterpret_cast<std::uintptr_t>(caller);
  CallerSlot &slot = cache.callers[(address ^ address >> 8) % SiteCache::caller_count];
  if (__builtin_expect(slot.caller != address, false)) meet(cache, slot, caller, frame);
  std::uint32_t site = slot.site;
  switch (slot.route) {
    case SiteRoute::direct: break;
    case SiteRoute::behind_stack:
    case SiteRoute::behind_base: site = wrapped_site(cache, slot, caller, frame); break;
    case SiteRoute::unwound: site = unwound_site(cache, caller); break;
    case SiteRoute::python:
      site = cached_python_site(cache);
      if (!site) site = cached_native_site(cache, &slot.caller, 1);  // a thread without Python code, such as a callback's
      break;
  }
  thread.site = site;
  thread.item->current.site = site;
}

}  // namespace scope::preload

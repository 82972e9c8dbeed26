#include "resolve.hpp"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

namespace scope::preload {

std::uintptr_t library_begin = 1, library_size = 0;

namespace {

void *library;  // handle of the object that holds PMPI_Init, without an own reference

/// dlsym leaves an error text behind that the program could read with dlerror.
void *quiet_dlsym(void *handle, const char *name) {
  void *symbol = dlsym(handle, name);
  if (!symbol) dlerror();
  return symbol;
}

void *open_again(const char *file) {
  void *handle = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) {
    dlerror();
    return nullptr;
  }
  dlclose(handle);  // the program's own reference keeps it
  return handle;
}

/// Python and others load libmpi with RTLD_LOCAL: it is then in the scope of the caller's object only.
void *in_scope_of(const void *caller, const char *name) {
  Dl_info where;
  if (!caller || !dladdr(caller, &where) || !where.dli_fname) return nullptr;
  void *handle = open_again(where.dli_fname);
  return handle ? quiet_dlsym(handle, name) : nullptr;
}

struct Candidates {
  static constexpr int most = 32;
  const char *names[most];
  int count;
};

/// Only notes names: opening objects in here could lock up against a thread that is loading one.
int note_object(dl_phdr_info *object, size_t, void *data) {
  Candidates *candidates = static_cast<Candidates *>(data);
  if (object->dlpi_name && strstr(object->dlpi_name, "mpi") && candidates->count < Candidates::most)
    candidates->names[candidates->count++] = object->dlpi_name;
  return 0;
}

/// The last resort: any loaded object but ourselves that has PMPI_Init.
void *in_any_object(const char *name) {
  Candidates candidates{};
  dl_iterate_phdr(note_object, &candidates);
  Dl_info self;
  if (!dladdr(reinterpret_cast<void *>(&note_object), &self)) return nullptr;
  for (int i = 0; i < candidates.count; ++i) {
    void *handle = open_again(candidates.names[i]);
    void *init = handle ? quiet_dlsym(handle, "PMPI_Init") : nullptr;
    Dl_info other;
    if (!init || !dladdr(init, &other) || self.dli_fbase == other.dli_fbase) continue;
    if (void *found = quiet_dlsym(handle, name)) return found;
  }
  return nullptr;
}

int measure_object(dl_phdr_info *object, size_t, void *data) {
  std::uintptr_t address = reinterpret_cast<std::uintptr_t>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
    std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    if (address - begin >= part.p_memsz) continue;
    library_begin = begin;
    library_size = part.p_memsz;
    return 1;
  }
  return 0;
}

}  // namespace

void *find_function(const char *name, bool profiling, const void *caller) {
  KeepErrno keep;
  char pmpi_name[80] = "P";
  strncat(pmpi_name, name, sizeof pmpi_name - 2);
  const char *wanted = profiling ? pmpi_name : name;
  if (void *next = quiet_dlsym(RTLD_NEXT, wanted)) return next;
  if (void *found = in_scope_of(caller, wanted)) return found;
  return in_any_object(wanted);
}

void *library_function(const char *pmpi_name) {
  KeepErrno keep;
  if (library)
    if (void *found = quiet_dlsym(library, pmpi_name)) return found;
  if (void *next = quiet_dlsym(RTLD_NEXT, pmpi_name)) return next;
  return in_any_object(pmpi_name);
}

void *library_data(const char *name) {
  KeepErrno keep;
  if (void *found = quiet_dlsym(RTLD_DEFAULT, name)) return found;
  return library ? quiet_dlsym(library, name) : nullptr;
}

bool inside_component(const void *address) {
  KeepErrno keep;
  Dl_info where;
  if (!dladdr(address, &where) || !where.dli_fname) return false;
  const char *slash = strrchr(where.dli_fname, '/');
  return strncmp(slash ? slash + 1 : where.dli_fname, "mca_", 4) == 0;
}

void remember_library(const void *function) {
  KeepErrno keep;
  Dl_info where;
  if (!dladdr(function, &where) || !where.dli_fname) return;
  library = open_again(where.dli_fname);
  dl_iterate_phdr(measure_object, const_cast<void *>(function));
}

}  // namespace scope::preload

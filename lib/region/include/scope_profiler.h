/* Regions of a program, for scope-profiler. C89, C++98 and later; gcc, clang and compilers like them.
 *
 *   #include <scope_profiler.h>
 *   SCOPE_BEGIN("solve");   ...   SCOPE_END("solve");
 *
 * Nothing is linked and nothing has to be installed where the program runs. Outside of `scope-profiler run` a begin or an end is
 * one load and one branch. Under it, the first one loads the recorder that the environment names.
 *
 * Regions nest by thread: a begin inside another region makes the path "outer/inner". An end closes the innermost open region of
 * that name in its thread, and with it what was left open inside; an end without a begin is ignored. Both are counted and
 * reported. Everything here may be called from any thread, before MPI_Init and after MPI_Finalize, not from a signal's handler.
 *
 * Names are copied; what is behind the 127th byte is cut. -DSCOPE_DISABLE removes all of it.
 */
#ifndef SCOPE_PROFILER_H
#define SCOPE_PROFILER_H

#include <stddef.h>

#if !defined(SCOPE_DISABLE) && (!defined(__GNUC__) || !defined(__ELF__))
#define SCOPE_DISABLE /* no weak symbols: programs build, without regions */
#endif

#ifdef SCOPE_DISABLE

#define SCOPE_BEGIN(name) ((void)0)
#define SCOPE_END(name) ((void)0)
#define scope_begin(name) ((void)(name))
#define scope_end(name) ((void)(name))

#else

#define SCOPE_ENV_LIBRARY "SCOPE_PROFILER_REGION_LIBRARY"
#define SCOPE_START_FUNCTION "scope_profiler_start_1"

#ifdef __cplusplus
extern "C" {
#endif

/* A place in the source that begins or ends a region; static storage. `handle` is the recorder's. */
struct scope_profiler_site {
  const char *name;
  const char *file;
  int line;
  const void *handle;
};

/* What begins and ends go through: null where nothing is recorded. Version 1; later ones add members behind. */
struct scope_profiler_hooks {
  void (*begin)(struct scope_profiler_site *site);
  void (*end)(struct scope_profiler_site *site);
  void (*begin_name)(const char *name, size_t length, const char *file, int line);
  void (*end_name)(const char *name, size_t length);
};

/* The recorder's: fills in the hooks if this process is to be recorded, and returns whether it is. */
typedef int (*scope_profiler_start_function)(struct scope_profiler_hooks *hooks);

/* One copy in each executable and library. All reach the same recorder, which is loaded once. */
extern struct scope_profiler_hooks scope_profiler_hooks_ __attribute__((weak, visibility("hidden")));

/* Functions of the C library, under names that cannot disagree with its headers. Weak: a static program may lack them. */
extern char *scope_profiler_secure_getenv_(const char *name) __asm__("secure_getenv") __attribute__((weak));
extern void *scope_profiler_dlsym_(void *library, const char *name) __asm__("dlsym") __attribute__((weak));

/* The first begin or end of the process, or of a library in it. A setuid program loads nothing, nor does a static one: dlsym
 * finds no dlopen there, and none is linked. */
static void scope_profiler_find_(void) {
  struct scope_profiler_hooks found = {0, 0, 0, 0};
  void *(*open)(const char *, int) = 0;
  scope_profiler_start_function start = 0;
  const char *file = scope_profiler_secure_getenv_ && scope_profiler_dlsym_ ? scope_profiler_secure_getenv_(SCOPE_ENV_LIBRARY) : 0;
  void *library = 0;
  if (file && *file == '/') *(void **)(&open) = scope_profiler_dlsym_(0, "dlopen"); /* RTLD_DEFAULT */
  if (open) library = open(file, 0x2);                                              /* RTLD_NOW */
  if (library) *(void **)(&start) = scope_profiler_dlsym_(library, SCOPE_START_FUNCTION);
  if (start) start(&found);
  __atomic_store_n(&scope_profiler_hooks_.end, found.end, __ATOMIC_RELAXED);
  __atomic_store_n(&scope_profiler_hooks_.end_name, found.end_name, __ATOMIC_RELAXED);
  __atomic_store_n(&scope_profiler_hooks_.begin, found.begin, __ATOMIC_RELAXED);
  __atomic_store_n(&scope_profiler_hooks_.begin_name, found.begin_name, __ATOMIC_RELAXED);
}
static __inline__ void scope_profiler_begin_site_(struct scope_profiler_site *site) {
  void (*begin)(struct scope_profiler_site *) = __atomic_load_n(&scope_profiler_hooks_.begin, __ATOMIC_RELAXED);
  if (__builtin_expect(begin != 0, 0)) begin(site);
}
static __inline__ void scope_profiler_end_site_(struct scope_profiler_site *site) {
  void (*end)(struct scope_profiler_site *) = __atomic_load_n(&scope_profiler_hooks_.end, __ATOMIC_RELAXED);
  if (__builtin_expect(end != 0, 0)) end(site);
}
static __inline__ void scope_profiler_begin_name_(const char *name, size_t length, const char *file, int line) {
  void (*begin)(const char *, size_t, const char *, int) = __atomic_load_n(&scope_profiler_hooks_.begin_name, __ATOMIC_RELAXED);
  if (__builtin_expect(begin != 0, 0)) begin(name, length, file, line);
}
static __inline__ void scope_profiler_end_name_(const char *name, size_t length) {
  void (*end)(const char *, size_t) = __atomic_load_n(&scope_profiler_hooks_.end_name, __ATOMIC_RELAXED);
  if (__builtin_expect(end != 0, 0)) end(name, length);
}

/* What the hooks are at first. */
static void scope_profiler_first_begin_(struct scope_profiler_site *site) {
  scope_profiler_find_();
  scope_profiler_begin_site_(site);
}
static void scope_profiler_first_end_(struct scope_profiler_site *site) {
  scope_profiler_find_();
  scope_profiler_end_site_(site);
}
static void scope_profiler_first_begin_name_(const char *name, size_t length, const char *file, int line) {
  scope_profiler_find_();
  scope_profiler_begin_name_(name, length, file, line);
}
static void scope_profiler_first_end_name_(const char *name, size_t length) {
  scope_profiler_find_();
  scope_profiler_end_name_(name, length);
}

struct scope_profiler_hooks scope_profiler_hooks_ = {scope_profiler_first_begin_, scope_profiler_first_end_,
                                                     scope_profiler_first_begin_name_, scope_profiler_first_end_name_};

/* Names that are made at run time: the recorder compares the text at each call. */
static __inline__ void scope_begin(const char *name) { scope_profiler_begin_name_(name, (size_t)-1, 0, 0); }
static __inline__ void scope_end(const char *name) { scope_profiler_end_name_(name, (size_t)-1); }

#ifdef __cplusplus
}
#endif

/* Names that are the same each time, such as literals. */
#define SCOPE_BEGIN(name)                                                                            \
  do {                                                                                               \
    static struct scope_profiler_site scope_profiler_here_ = {(name), __FILE__, __LINE__, 0};        \
    scope_profiler_begin_site_(&scope_profiler_here_);                                               \
  } while (0)
#define SCOPE_END(name)                                                                              \
  do {                                                                                               \
    static struct scope_profiler_site scope_profiler_here_ = {(name), __FILE__, __LINE__, 0};        \
    scope_profiler_end_site_(&scope_profiler_here_);                                                 \
  } while (0)

#endif /* SCOPE_DISABLE */
#endif /* SCOPE_PROFILER_H */

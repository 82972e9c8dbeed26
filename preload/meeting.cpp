#include "meeting.hpp"

#include "recorder.hpp"
#include "wire/region_block.hpp"

extern "C" {
/// Not exported: the note below leads to it.
__attribute__((visibility("hidden"), used)) scope::wire::Meeting scope_meeting;
}

// Owner, size and type of an ELF note, then the distance to the meeting: the same wherever the shim is loaded.
static_assert(sizeof scope::wire::meeting_note_name == 15 && scope::wire::meeting_note_type == 1);
asm(R"(
  .pushsection .note.scope-profiler, "a", @note
  .balign 4
  .long 15, 8, 1
  .asciz "scope-profiler"
  .balign 4
  .quad scope_meeting - .
  .popsection
)");

namespace scope::preload {

namespace {

char *thread_pointer() {
#if defined(__x86_64__)
  char *pointer;
  asm("movq %%fs:0, %0" : "=r"(pointer));  // clang 14 has no builtin for it
  return pointer;
#else
  return static_cast<char *>(__builtin_thread_pointer());
#endif
}

}  // namespace

void open_meeting() {
  __atomic_store_n(&scope_meeting.totals_offset, reinterpret_cast<char *>(&totals) - thread_pointer(), __ATOMIC_RELEASE);
}

}  // namespace scope::preload

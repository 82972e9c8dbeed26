#include "meeting.hpp"

#include <link.h>
#include <string.h>

namespace scope::region {

namespace {
const wire::Meeting nobody{0};
}
const wire::Meeting *meeting = &nobody;
const wire::ThreadTotals no_totals{0, 0};

namespace {

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

/// The meeting that a note segment leads to; nullptr if it holds none of ours.
const wire::Meeting *search(const char *at, std::size_t bytes) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, at, sizeof note);
    std::size_t name = sizeof note, field = name + aligned(note.n_namesz), next = field + aligned(note.n_descsz);
    if (next > bytes) return nullptr;
    bool ours = note.n_type == wire::meeting_note_type && note.n_namesz == sizeof wire::meeting_note_name &&
                note.n_descsz == sizeof(std::int64_t) && memcmp(at + name, wire::meeting_note_name, note.n_namesz) == 0;
    if (ours) {
      std::int64_t distance;
      memcpy(&distance, at + field, sizeof distance);
      return reinterpret_cast<const wire::Meeting *>(at + field + distance);
    }
    at += next;
    bytes -= next;
  }
  return nullptr;
}

int visit(dl_phdr_info *object, std::size_t, void *) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const wire::Meeting *found = search(reinterpret_cast<const char *>(object->dlpi_addr + segment.p_vaddr), segment.p_memsz);
    if (found) meeting = found;
    if (found) return 1;
  }
  return 0;
}

}  // namespace

void find_meeting() { dl_iterate_phdr(visit, nullptr); }

}  // namespace scope::region

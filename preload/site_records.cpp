#include "site_records.hpp"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "memory.hpp"
#include "procfs.hpp"

namespace scope::preload {

namespace {

/// A growing list of records in the live block; part by part, so that what was written stays where it is.
template <class Record, wire::Item Type, std::uint32_t Limit, std::uint32_t Part>
class Records {
 public:
  Record *add() {
    if (count_ >= Limit) return nullptr;
    if (!part_ || part_->count == part_->capacity) {
      wire::ItemHeader *item = add_item(Type, 0, sizeof(wire::RecordsItem<Record>) + Part * sizeof(Record));
      if (!item) return nullptr;
      part_ = parts_[count_ / Part] = reinterpret_cast<wire::RecordsItem<Record> *>(item);
      part_->first = count_;
      part_->capacity = Part;
    }
    return &part_->records()[part_->count];
  }
  const Record *find(std::uint32_t index) const {
    return index < count_ ? &parts_[index / Part]->records()[index % Part] : nullptr;
  }
  /// The record that add() gave is complete. Its index.
  std::uint32_t publish() {
    __atomic_store_n(&part_->count, part_->count + 1, __ATOMIC_RELEASE);
    return count_++;
  }

 private:
  wire::RecordsItem<Record> *part_ = nullptr;
  wire::RecordsItem<Record> *parts_[Limit / Part] = {};
  std::uint32_t count_ = 0;
};

Records<wire::ModuleRecord, wire::Item::modules, wire::module_limit, 16> modules;
Records<wire::FrameRecord, wire::Item::frames, wire::frame_limit, 128> frames;
Records<wire::SiteRecord, wire::Item::sites, wire::site_limit, 128> sites;

/// Number by key; open addressing with room to spare, from the kernel at the first use. Keys are hashes; 0 is kept for "empty".
template <std::uint32_t Slots>
class Numbers {
 public:
  /// 0 when it is not there.
  std::uint32_t find(std::uint64_t key) const {
    if (!slots_) return 0;
    for (std::uint64_t i = key;; ++i) {
      const Slot &slot = slots_[i % Slots];
      if (slot.number == 0 || slot.key == key) return slot.number;
    }
  }
  bool put(std::uint64_t key, std::uint32_t number) {
    if (!slots_) slots_ = static_cast<Slot *>(map_private(Slots * sizeof(Slot), true));
    if (!slots_ || used_ + 1 >= Slots / 2) return false;
    std::uint64_t i = key;
    while (slots_[i % Slots].number) ++i;
    slots_[i % Slots] = {key, number};
    ++used_;
    return true;
  }

 private:
  struct Slot {
    std::uint64_t key;
    std::uint32_t number;
  };
  Slot *slots_ = nullptr;
  std::uint32_t used_ = 0;
};

Numbers<4 * wire::frame_limit> frame_numbers;  // index + 1
Numbers<4 * wire::site_limit> site_numbers;    // by their frames
Numbers<8 * wire::site_limit> path_numbers;    // by the ways that lead to them: several may lead to one
Numbers<4 * wire::module_limit> module_numbers;

std::uint64_t hash_text(std::uint64_t hash, const char *text) {
  for (; *text; ++text) hash = mix(hash, static_cast<unsigned char>(*text));
  return hash;
}

struct Search {
  std::uintptr_t address;
  const char *name;
  std::uintptr_t base;
  const std::uint8_t *build_id;
  std::uint32_t build_id_bytes;
};

void read_build_id(const dl_phdr_info &object, Search &search) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = object.dlpi_phdr[i];
    if (part.p_type != PT_NOTE || part.p_align > 8) continue;
    std::size_t align = part.p_align < 8 ? 4 : 8;
    const char *at = reinterpret_cast<const char *>(object.dlpi_addr + part.p_vaddr), *end = at + part.p_memsz;
    while (static_cast<std::size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
      const ElfW(Nhdr) *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
      std::size_t name = (note->n_namesz + 3u) / 4 * 4, bytes = sizeof(*note) + name + note->n_descsz;
      if (bytes > static_cast<std::size_t>(end - at)) break;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(note + 1, "GNU", 4) == 0) {
        search.build_id = reinterpret_cast<const std::uint8_t *>(note + 1) + name;
        search.build_id_bytes = note->n_descsz;
        return;
      }
      at += (bytes + align - 1) / align * align;
    }
  }
}

int find_object(dl_phdr_info *object, size_t, void *data) {
  Search &search = *static_cast<Search *>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || search.address - (object->dlpi_addr + part.p_vaddr) >= part.p_memsz) continue;
    search.name = object->dlpi_name;
    search.base = object->dlpi_addr;
    read_build_id(*object, search);
    return 1;
  }
  return 0;
}

std::uint32_t module_of(const char *path, const Search *native) {
  std::uint64_t key = hash_text(native ? 1 : 2, path) | 1;
  if (std::uint32_t number = module_numbers.find(key)) return number - 1;
  wire::ModuleRecord *record = modules.add();
  if (!record) return wire::none_module;
  copy_text(record->path, sizeof record->path, path);
  record->python = !native;
  if (native && native->build_id_bytes <= sizeof record->build_id) {
    memcpy(record->build_id, native->build_id, native->build_id_bytes);
    record->build_id_bytes = native->build_id_bytes;
  }
  std::uint32_t index = modules.publish();
  module_numbers.put(key, index + 1);
  return index;
}

std::uint32_t frame_of(std::uint32_t module, std::uint64_t offset, const char *function) {
  std::uint64_t key = hash_text(mix(mix(0, module), offset), function) | 1;
  if (std::uint32_t number = frame_numbers.find(key)) return number - 1;
  wire::FrameRecord *record = frames.add();
  if (!record) return no_frame;
  record->offset = offset;
  record->module = module;
  copy_text(record->function, sizeof record->function, function);
  std::uint32_t index = frames.publish();
  frame_numbers.put(key, index + 1);
  return index;
}

}  // namespace

NativePlace place_of(std::uintptr_t address) {
  Search search{address, nullptr, 0, nullptr, 0};
  // A loader lock that is held for long would be one of a thread that calls MPI from a constructor.
  if (!dl_iterate_phdr(find_object, &search)) return {wire::none_module, address};
  const char *path = search.name && *search.name ? search.name : live->executable;
  return {module_of(path, &search), address - search.base};
}

const char *module_path(std::uint32_t module) {
  const wire::ModuleRecord *record = modules.find(module);
  return record ? record->path : "";
}

std::uint32_t native_frame(std::uintptr_t address) {
  NativePlace place = place_of(address);
  return frame_of(place.module, place.offset, "");
}

std::uint32_t python_frame(const char *path, const char *function, int line) {
  return frame_of(module_of(path, nullptr), line > 0 ? static_cast<std::uint64_t>(line) : 0, function);
}

std::uint32_t known_site(std::uint64_t key) { return path_numbers.find(key | 1); }

std::uint32_t add_site(std::uint64_t key, const std::uint32_t *site_frames, std::uint32_t count) {
  // Different ways (threads, a wrapper of each of two bindings) may lead to the same frames.
  std::uint64_t content = 0x51;
  for (std::uint32_t i = 0; i < count; ++i) content = mix(content, site_frames[i]);
  content |= 1;
  std::uint32_t number = count ? site_numbers.find(content) : wire::site_other;
  if (!number) {
    wire::SiteRecord *record = sites.add();
    if (record) {
      record->count = count;
      memcpy(record->frames, site_frames, count * sizeof *site_frames);
      number = sites.publish() + 1;
      site_numbers.put(content, number);
    }
  }
  if (!number) number = wire::site_other;
  if (number == wire::site_other) __atomic_fetch_add(&live->folded.sites, 1, __ATOMIC_RELAXED);
  path_numbers.put(key | 1, number);
  return number;
}

}  // namespace scope::preload

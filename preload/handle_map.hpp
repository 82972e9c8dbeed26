#pragma once
// From handles to pointers: open addressing, no holes left behind. Not thread-safe.

#include "memory.hpp"
#include "recorder.hpp"

namespace scope::preload {

template <class T>
class HandleMap {
 public:
  T *find(Word handle) const {
    if (!slots_) return nullptr;
    for (Word i = home(handle);; i = (i + 1) & mask_) {
      if (!slots_[i].value) return nullptr;
      if (slots_[i].handle == handle) return slots_[i].value;
    }
  }

  /// False without memory: the handle is then unknown, and treated as such.
  bool insert(Word handle, T *value) {
    if ((count_ + 1) * 2 > size() && !grow()) return false;
    Word i = home(handle);
    while (slots_[i].value && slots_[i].handle != handle) i = (i + 1) & mask_;
    count_ += !slots_[i].value;
    slots_[i] = {handle, value};
    return true;
  }

  T *remove(Word handle) {
    if (!slots_) return nullptr;
    Word i = home(handle);
    while (slots_[i].value && slots_[i].handle != handle) i = (i + 1) & mask_;
    T *found = slots_[i].value;
    if (!found) return nullptr;
    // Moves later members of the run into the hole where that shortens their way.
    Word hole = i;
    for (Word j = (i + 1) & mask_; slots_[j].value; j = (j + 1) & mask_) {
      if (((j - home(slots_[j].handle)) & mask_) < ((j - hole) & mask_)) continue;
      slots_[hole] = slots_[j];
      hole = j;
    }
    slots_[hole] = {};
    --count_;
    return found;
  }

 private:
  struct Slot {
    Word handle;
    T *value;
  };

  Word size() const { return slots_ ? mask_ + 1 : 0; }
  Word home(Word handle) const { return ((handle * 0x9e3779b97f4a7c15u) >> 32) & mask_; }

  bool grow() {
    Word old_size = size(), new_size = old_size ? old_size * 2 : 64;
    Slot *old = slots_, *fresh = static_cast<Slot *>(map_private(new_size * sizeof(Slot), true));
    if (!fresh) return false;
    slots_ = fresh;
    mask_ = new_size - 1;
    count_ = 0;
    for (Word i = 0; i < old_size; ++i)
      if (old[i].value) insert(old[i].handle, old[i].value);
    unmap_private(old, old_size * sizeof(Slot));
    return true;
  }

  Slot *slots_ = nullptr;
  Word mask_ = 0;
  Word count_ = 0;
};

}  // namespace scope::preload

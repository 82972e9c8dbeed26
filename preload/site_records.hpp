#pragma once
// The modules, frames and sites of the live block: each once, whatever thread or way it was met on. Callers hold `state_lock`.

#include <cstdint>

#include "live_block.hpp"

namespace scope::preload {

/// The file that holds an address, and the address in the file's terms. none_module when it lies in none, or the limit is reached.
struct NativePlace {
  std::uint32_t module;
  std::uint64_t offset;
};
NativePlace place_of(std::uintptr_t address);

/// Path of a module, "" for none_module.
const char *module_path(std::uint32_t module);

/// Index of the frame, or none when the limit is reached.
inline constexpr std::uint32_t no_frame = 0xffffffffu;
std::uint32_t native_frame(std::uintptr_t address);
std::uint32_t python_frame(const char *path, const char *function, int line);

/// Number of the site for EntryKey::site, site_other beyond the limits. `key` stands for the frames.
std::uint32_t known_site(std::uint64_t key);  ///< 0 when there is none yet
std::uint32_t add_site(std::uint64_t key, const std::uint32_t *frames, std::uint32_t count);

/// Mixes a word into a hash.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

}  // namespace scope::preload

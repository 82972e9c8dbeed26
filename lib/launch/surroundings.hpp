#pragma once
// What of this machine bears on a profile though nothing is wrong with the tool: facts, found out for `doctor`.

#include <filesystem>
#include <string>
#include <string_view>

#include "launch/environment.hpp"

namespace scope::launch {

struct Surroundings {
  std::string preload;              ///< LD_PRELOAD of the user
  std::filesystem::path temporary;  ///< TMPDIR, or /tmp
  bool temporary_noexec = false;
  std::string hidepid;              ///< of /proc: "1", "invisible", ...; "" where processes can be seen
  bool counter_is_good = true;      ///< ranks can use the time-stamp counter
};
Surroundings look_around(const Environment &environment);

/// The value of hidepid= in the line of /proc in /proc/self/mounts; "" for none, and for 0 and "off".
std::string hidepid_of(std::string_view mounts);

/// Whether /proc/cpuinfo of x86-64 has the flags that the shim asks for before it uses the counter.
bool has_constant_counter(std::string_view cpuinfo);

}  // namespace scope::launch

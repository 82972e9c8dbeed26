#include "launch/surroundings.hpp"

#include <sys/statvfs.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace scope::launch {

namespace {

std::string text_of(const char *file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_noexec(const std::filesystem::path &directory) {
  struct statvfs file_system {};
  return statvfs(directory.c_str(), &file_system) == 0 && (file_system.f_flag & ST_NOEXEC);
}

}  // namespace

std::string hidepid_of(std::string_view mounts) {
  std::istringstream lines{std::string(mounts)};
  std::string value;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string device, place, type, options, option;
    if (!(fields >> device >> place >> type >> options) || place != "/proc" || type != "proc") continue;
    value.clear();  // a later mount covers an earlier one
    for (std::istringstream list(options); std::getline(list, option, ',');) {
      if (option.starts_with("hidepid=")) value = option.substr(8);
    }
  }
  return value == "0" || value == "off" ? "" : value;
}

bool has_constant_counter(std::string_view cpuinfo) {
  auto flags = cpuinfo.find("\nflags");
  if (flags == std::string_view::npos) return false;
  auto line = std::string(cpuinfo.substr(flags + 1, cpuinfo.find('\n', flags + 1) - flags - 1)) + ' ';
  return line.find(" constant_tsc ") != std::string::npos && line.find(" nonstop_tsc ") != std::string::npos;
}

Surroundings look_around(const Environment &environment) {
  Surroundings found;
  found.preload = value_of(environment, "LD_PRELOAD").value_or("");
  found.temporary = value_of(environment, "TMPDIR").value_or("");
  if (found.temporary.empty()) found.temporary = "/tmp";
  found.temporary_noexec = is_noexec(found.temporary);
  found.hidepid = hidepid_of(text_of("/proc/self/mounts"));
#if defined(__x86_64__)
  found.counter_is_good = has_constant_counter(text_of("/proc/cpuinfo"));
#endif
  return found;
}

}  // namespace scope::launch

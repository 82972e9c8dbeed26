#include "launch/inventory.hpp"

#include <algorithm>
#include <regex>

#include "support/error.hpp"
#include "wire/contract.hpp"
#include "wire/live_block.hpp"

namespace scope::launch {

namespace fs = std::filesystem;

ShimPaths shim_paths(const fs::path &executable) {
  auto directory = executable.parent_path().parent_path() / "lib" / "scope-profiler";
  return {directory / wire::shim_file, directory / wire::agent_file, directory / wire::probe_file, directory / wire::region_file};
}

fs::path own_executable() {
  std::error_code error;
  auto path = fs::read_symlink("/proc/self/exe", error);
  if (error) throw support::Error("cannot read /proc/self/exe: " + support::errno_text(error.value()), 125);
  return path;
}

std::vector<FormatVersion> format_versions() {
  return {{wire::summary_format, wire::summary_version},
          {wire::dump_format, wire::dump_version},
          {"live block", static_cast<int>(wire::live_version)}};
}

std::string version_number(const std::string &text) {
  std::smatch match;
  static const std::regex labelled(R"((?:^|\n)\s*Version:\s*(\S+))"), first_line(R"(^[^\n]*?(\d+(?:\.\d+)+\S*))");
  if (std::regex_search(text, match, labelled)) return match[1];
  if (std::regex_search(text, match, first_line)) return match[1];
  return "";
}

std::vector<InstalledLauncher> find_launchers(const std::optional<std::string> &search_path, const VersionOf &version_of) {
  std::vector<InstalledLauncher> found;
  for (const auto &name : launcher_names()) {
    auto program = find_program(name, search_path);
    if (program.path.empty() || program.error) continue;
    auto text = version_of(program.path);
    found.push_back({program.path, recognise(program.path, [&](const fs::path &) { return text; }), version_number(text)});
  }
  return found;
}

std::vector<DistinctLauncher> distinct(const std::vector<InstalledLauncher> &launchers) {
  std::vector<DistinctLauncher> result;
  for (const auto &launcher : launchers) {
    std::error_code error;
    auto file = fs::canonical(launcher.path, error);
    if (error) file = launcher.path;
    auto same = std::find_if(result.begin(), result.end(), [&](const auto &known) { return known.file == file; });
    if (same == result.end()) result.push_back({launcher.path, file, {}, launcher.kind, launcher.version});
    else same->names.push_back(launcher.path.filename().string());
  }
  return result;
}

std::vector<std::string> library_candidates(LauncherKind kind, const fs::path &launcher_file) {
  // The numbers are those of the ABI: 40 of Open MPI 4 and 5, 20 of 2 and 3; 12 of the MPICH ABI initiative. Debian's
  // MPICH is libmpich.
  std::vector<std::string> names;
  if (kind == LauncherKind::openmpi) names = {"libmpi.so.40", "libmpi.so.20"};
  if (kind == LauncherKind::hydra) names = {"libmpi.so.12", "libmpich.so.12"};
  std::vector<std::string> result;
  for (const char *directory : {"lib", "lib64"}) {
    for (const auto &name : names) result.push_back((launcher_file.parent_path().parent_path() / directory / name).string());
  }
  result.insert(result.end(), names.begin(), names.end());
  return result;
}

}  // namespace scope::launch

#pragma once
// What an executable file says about how a preloaded library gets into it.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scope::launch {

struct ProgramFile {
  std::filesystem::path path;
  std::string interpreter;       ///< of dynamic linking, "/lib64/ld-linux-x86-64.so.2"; "": statically linked
  bool privileged = false;       ///< set-user-ID or set-group-ID: ld.so ignores LD_PRELOAD
  bool needs_asan = false;       ///< links gcc's libasan, which refuses to start behind another library

  bool is_static() const { return interpreter.empty(); }
  bool is_musl() const;
};

/// Nothing for what can't be read or is no 64-bit ELF program. A damaged file is never trusted: what lies outside of it is not there.
std::optional<ProgramFile> read_program_file(const std::filesystem::path &path);

/// Those words of a command that are programs, found as execvp finds them: `mpiexec -n 4 ./sim input` has two. What a script starts
/// is not seen.
std::vector<ProgramFile> programs_of(const std::vector<std::string> &command, const std::optional<std::string> &search_path);

}  // namespace scope::launch

#pragma once
// From addresses in executables and libraries to function, file and line, by their symbol tables and DWARF (elfutils libdw).
// Knows nothing of recording or profiles. Not thread-safe.

#include <cstdint>
#include <memory>
#include <string>

namespace scope::symbols {

struct Location {
  std::string function;  ///< demangled, without parameters; "" unknown
  std::string file;      ///< as the compiler noted it; "" unknown
  int line = 0;          ///< from 1 on; 0 unknown
  bool operator==(const Location &) const = default;
};

/// Why a file gives less than it could.
enum class Trouble {
  none,
  unreadable,  ///< it is not there, or no ELF file
  changed,     ///< its build id is another: it was built anew since it ran
  stripped     ///< no line numbers: built without -g
};

class Resolver {
 public:
  Resolver();
  ~Resolver();
  Resolver(const Resolver &) = delete;
  Resolver &operator=(const Resolver &) = delete;

  /// Of the code that calls and would return to `return_address` (in the terms of the file's own program headers). Where the call
  /// was inlined, the inlined function. `build_id` in hexadecimal digits; "" is not compared. Files are opened once. Separate
  /// debug files are looked for on this machine only (build id, debug link), never in the network.
  Location find(const std::string &file, const std::string &build_id, std::uint64_t return_address);

  /// What was found out about a file so far.
  Trouble trouble(const std::string &file) const;

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

/// "solver::Grid::exchange" of "_ZN6solver4Grid8exchangeEv"; names that are not mangled stay.
std::string readable_name(const char *name);

}  // namespace scope::symbols

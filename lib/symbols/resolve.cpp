#include "symbols/resolve.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <map>

namespace scope::symbols {
namespace {

char *default_debug_path = nullptr;

const Dwfl_Callbacks callbacks{dwfl_build_id_find_elf, dwfl_standard_find_debuginfo, dwfl_offline_section_address,
                               &default_debug_path};

std::string hexadecimal(const unsigned char *bytes, int count) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < count; ++i) text += {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
  return text;
}

/// The compilation unit of an address. Compilers may leave out the index that dwfl_module_addrdie needs (clang does).
Dwarf_Die *unit_of(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr &bias) {
  if (Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias)) return unit;
  Dwarf_Die *unit = nullptr;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)))
    if (dwarf_haspc(unit, address - bias) == 1) return unit;
  return nullptr;
}

bool is_fortran(Dwarf_Die *unit) {
  switch (dwarf_srclang(unit)) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08: return true;
    default: return false;
  }
}

std::string name_of(Dwarf_Die *scope, bool fortran) {
  Dwarf_Attribute memory;
  // Fortran's linkage names are the compiler's own (__module_MOD_name), C++'s say the class as well.
  for (unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
    if (fortran && attribute != DW_AT_name) continue;
    if (const char *name = dwarf_formstring(dwarf_attr_integrate(scope, attribute, &memory))) return readable_name(name);
  }
  return "";
}

std::string function_of(Dwarf_Die *unit, Dwarf_Addr address) {
  Dwarf_Die *scopes = nullptr;
  int count = dwarf_getscopes(unit, address, &scopes);
  std::string name;
  for (int i = 0; i < count && name.empty(); ++i) {
    int tag = dwarf_tag(&scopes[i]);
    if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) name = name_of(&scopes[i], is_fortran(unit));
  }
  std::free(scopes);
  return name;
}

void fill_line(Dwarf_Die *unit, Dwarf_Addr address, Location &location) {
  Dwarf_Line *line = dwarf_getsrc_die(unit, address);
  const char *file = line ? dwarf_linesrc(line, nullptr, nullptr) : nullptr;
  if (!file) return;
  int number = 0;
  dwarf_lineno(line, &number);
  location.file = file;
  location.line = number;
}

/// libdw would ask the servers of this variable for what is not here, for as long as they take.
class NoServers {
 public:
  NoServers() {
    const char *servers = std::getenv(name);
    was_set_ = servers;
    if (servers) servers_ = servers;
    ::unsetenv(name);
  }
  ~NoServers() {
    if (was_set_) ::setenv(name, servers_.c_str(), 1);
  }
  NoServers(const NoServers &) = delete;
  NoServers &operator=(const NoServers &) = delete;

 private:
  static constexpr char name[] = "DEBUGINFOD_URLS";
  bool was_set_;
  std::string servers_;
};

/// One file, opened.
struct File {
  Dwfl *dwfl = nullptr;
  Dwfl_Module *module = nullptr;
  std::string build_id;
  Trouble trouble = Trouble::unreadable;

  explicit File(const std::string &path) {
    // Opened here: libdw would wait for the writer of a fifo.
    int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return;
    dwfl = dwfl_begin(&callbacks);
    dwfl_report_begin(dwfl);
    module = dwfl_report_elf(dwfl, "", path.c_str(), file, 0, true);  // takes the descriptor when it succeeds
    dwfl_report_end(dwfl, nullptr, nullptr);
    if (!module) {
      ::close(file);
      return;
    }
    trouble = Trouble::none;
    const unsigned char *bits = nullptr;
    GElf_Addr where = 0;
    int count = dwfl_module_build_id(module, &bits, &where);
    if (count > 0) build_id = hexadecimal(bits, count);
  }
  ~File() {
    if (dwfl) dwfl_end(dwfl);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  Location find(std::uint64_t address) {
    Location location;
    Dwarf_Addr bias = 0;
    if (Dwarf_Die *unit = unit_of(module, address, bias)) {
      location.function = function_of(unit, address - bias);
      fill_line(unit, address - bias, location);
    }
    if (location.function.empty())
      if (const char *symbol = dwfl_module_addrname(module, address)) location.function = readable_name(symbol);
    if (location.line == 0) trouble = Trouble::stripped;
    return location;
  }
};

}  // namespace

struct Resolver::Files {
  NoServers no_servers;
  std::map<std::string, File> open;
};

Resolver::Resolver() : files_(std::make_unique<Files>()) {}
Resolver::~Resolver() = default;

Location Resolver::find(const std::string &file, const std::string &build_id, std::uint64_t return_address) {
  if (file.empty() || return_address == 0) return {};
  File &opened = files_->open.try_emplace(file, file).first->second;
  if (!opened.module) return {};
  if (!build_id.empty() && opened.build_id != build_id) {
    opened.trouble = Trouble::changed;
    return {};
  }
  return opened.find(return_address - 1);  // inside the call instruction: what follows it may be another line
}

Trouble Resolver::trouble(const std::string &file) const {
  auto found = files_->open.find(file);
  return found == files_->open.end() ? Trouble::none : found->second.trouble;
}

std::string readable_name(const char *name) {
  int status = 0;
  char *demangled = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  if (!demangled) return name;
  std::string text = demangled;
  std::free(demangled);
  // Parameters stand in the last parentheses at the end, " const" and the like behind them.
  std::size_t end = text.rfind(')');
  if (end == std::string::npos || text.find('>', end) != std::string::npos) return text;
  int open = 0;
  for (std::size_t i = end + 1; i-- > 0;) {
    if (text[i] == ')') ++open;
    if (text[i] == '(' && --open == 0) return text.substr(0, i);
  }
  return text;
}

}  // namespace scope::symbols

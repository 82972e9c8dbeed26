// The names of regions that are MPI calls, shared with the Python package scope-profiler. C++17; needs no MPI.
//
//   mpi:<operation> kind=<kind> bytes=<n> peer=<n> root=<n> tag=<n> comm=<id>[ request=<operation>]
#ifndef SCOPE_PROFILER_MPI_NAMES_HPP
#define SCOPE_PROFILER_MPI_NAMES_HPP

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scope_profiler {

/// What a name says. -1 stands for "none" and "not known".
struct MpiRegionMetadata {
  std::string operation;  ///< "send": the procedure without MPI_, in lower case
  std::string kind;       ///< "point-to-point", "collective", "wait"; the tool also knows "one-sided", "io", "process", "other"
  std::int64_t bytes = -1;
  int peer = -1, root = -1, tag = -1;
  int comm = -1;          ///< 0: MPI_COMM_WORLD, 1: MPI_COMM_SELF, others by number
  std::string request;    ///< of a wait: the operation that it completes; "" otherwise

  friend bool operator==(const MpiRegionMetadata &a, const MpiRegionMetadata &b) {
    return a.operation == b.operation && a.kind == b.kind && a.bytes == b.bytes && a.peer == b.peer && a.root == b.root && a.tag == b.tag &&
           a.comm == b.comm && a.request == b.request;
  }
  friend bool operator!=(const MpiRegionMetadata &a, const MpiRegionMetadata &b) { return !(a == b); }
};

inline std::string format_mpi_region(const MpiRegionMetadata &call) {
  std::string text = "mpi:" + call.operation + " kind=" + call.kind + " bytes=" + std::to_string(call.bytes) + " peer=" + std::to_string(call.peer) +
                     " root=" + std::to_string(call.root) + " tag=" + std::to_string(call.tag) + " comm=" + std::to_string(call.comm);
  if (!call.request.empty()) text += " request=" + call.request;
  return text;
}

namespace detail {

/// Takes `begin` off the front of `text`.
inline bool take(std::string_view &text, std::string_view begin) {
  if (text.substr(0, begin.size()) != begin) return false;
  text.remove_prefix(begin.size());
  return true;
}

/// Takes a word up to the next blank; an empty one is none.
inline bool take_word(std::string_view &text, std::string &word) {
  word = std::string(text.substr(0, text.find(' ')));
  text.remove_prefix(word.size());
  return !word.empty();
}

template <class Number>
bool take_number(std::string_view &text, std::string_view key, Number &number) {
  if (!take(text, key)) return false;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return text.empty() || text.front() == ' ';
}

}  // namespace detail

/// Nothing for a name that does not begin with "mpi:", lacks a key, has keys in another order or further ones, or a number that is none.
inline std::optional<MpiRegionMetadata> parse_mpi_region(std::string_view name) {
  using namespace detail;
  MpiRegionMetadata call;
  bool good = take(name, "mpi:") && take_word(name, call.operation) && take(name, " kind=") && take_word(name, call.kind) &&
              take_number(name, " bytes=", call.bytes) && take_number(name, " peer=", call.peer) && take_number(name, " root=", call.root) &&
              take_number(name, " tag=", call.tag) && take_number(name, " comm=", call.comm);
  if (good && !name.empty()) good = take(name, " request=") && take_word(name, call.request) && name.empty();
  return good ? std::optional<MpiRegionMetadata>(call) : std::nullopt;
}

}  // namespace scope_profiler

#endif

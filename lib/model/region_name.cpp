#include "model/region_name.hpp"

#include <charconv>

namespace scope::model {
namespace {

constexpr std::string_view prefix = "mpi:";

/// Takes `begin` off the front of `text`.
bool take(std::string_view &text, std::string_view begin) {
  if (!text.starts_with(begin)) return false;
  text.remove_prefix(begin.size());
  return true;
}

/// Takes a word up to the next space; empty is none.
bool take_word(std::string_view &text, std::string &word) {
  word = text.substr(0, text.find(' '));
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

}  // namespace

std::string operation_of(std::string_view procedure) {
  if (!take(procedure, "MPI_")) take(procedure, "MPIX_");
  std::string operation(procedure);
  for (char &c : operation)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return operation;
}

std::string format_region_name(const RegionName &name) {
  std::string text(prefix);
  text += name.operation + " kind=" + name.kind;
  text += " bytes=" + std::to_string(name.bytes) + " peer=" + std::to_string(name.peer);
  text += " root=" + std::to_string(name.root) + " tag=" + std::to_string(name.tag) + " comm=" + std::to_string(name.comm);
  if (!name.request.empty()) text += " request=" + name.request;
  return text;
}

std::optional<RegionName> parse_region_name(std::string_view text) {
  RegionName name;
  bool good = take(text, prefix) && take_word(text, name.operation) && take(text, " kind=") && take_word(text, name.kind) &&
              take_number(text, " bytes=", name.bytes) && take_number(text, " peer=", name.peer) &&
              take_number(text, " root=", name.root) && take_number(text, " tag=", name.tag) &&
              take_number(text, " comm=", name.comm);
  if (good && !text.empty()) good = take(text, " request=") && take_word(text, name.request) && text.empty();
  return good ? std::optional(name) : std::nullopt;
}

}  // namespace scope::model

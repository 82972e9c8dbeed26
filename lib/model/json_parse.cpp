// Why a text is refused, and where. rapidjson, which reads four times as fast, says it in fewer words, and nothing of keys that
// are there twice and of depth.

#include <unordered_set>

#include <nlohmann/json.hpp>

#include "model/json_reader.hpp"
#include "support/text.hpp"

namespace scope::model {
namespace {

using nlohmann::ordered_json;

/// Our own formats nest to a depth of 6.
constexpr std::size_t deepest = 64;

/// An iterator over the text that says how far the parser came.
class Tracked {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  Tracked(const char *at, const char **seen) : at_(at), seen_(seen) {}
  const char &operator*() const { return *at_; }
  Tracked &operator++() {
    *seen_ = ++at_;
    return *this;
  }
  bool operator==(const Tracked &other) const { return at_ == other.at_; }
  bool operator!=(const Tracked &other) const { return at_ != other.at_; }

 private:
  const char *at_;
  const char **seen_;
};

/// nlohmann's text begins with the name of its class and the position; what follows is the reason.
std::string reason_of(const std::string &what) {
  for (const char *before : {"syntax error while parsing ", "]"}) {
    std::size_t at = what.find(before);
    if (at == std::string::npos) continue;
    std::size_t reason = before[0] == ']' ? at + 2 : what.find(" - ", at);
    if (reason != std::string::npos && reason < what.size()) return what.substr(before[0] == ']' ? reason : reason + 3);
  }
  return what;
}

/// Goes through the text. A callback that returns false ends the parser; `reason` says why.
class Checker {
 public:
  using number_integer_t = ordered_json::number_integer_t;
  using number_unsigned_t = ordered_json::number_unsigned_t;
  using number_float_t = ordered_json::number_float_t;
  using string_t = ordered_json::string_t;
  using binary_t = ordered_json::binary_t;

  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(number_integer_t) { return true; }
  bool number_unsigned(number_unsigned_t) { return true; }
  bool number_float(number_float_t, const string_t &) { return true; }
  bool string(string_t &) { return true; }
  bool binary(binary_t &) { return false; }  // of binary formats only
  bool start_object(std::size_t) { return open(); }
  bool start_array(std::size_t) { return open(); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(string_t &name) {
    return keys_.back().insert(name).second || refuse("has the key \"" + support::shortened(name) + "\" twice");
  }

  bool parse_error(std::size_t byte, const std::string &, const nlohmann::detail::exception &error) {
    byte_ = byte;
    reason = reason_of(error.what());
    return false;
  }

  std::string reason;
  bool out_of_bounds = false;    ///< refused here, not by the parser
  std::size_t byte() const { return byte_; }  ///< of the parser's refusal, from 1; at the end of the text behind the last

 private:
  bool refuse(std::string why) {
    out_of_bounds = true;
    reason = std::move(why);
    return false;
  }

  bool open() {
    if (keys_.size() == deepest) return refuse("is nested more than " + std::to_string(deepest) + " levels deep");
    keys_.emplace_back();
    return true;
  }

  bool close() {
    keys_.pop_back();
    return true;
  }

  std::vector<std::unordered_set<std::string>> keys_;  ///< of the objects that are open, outermost first; empty for arrays
  std::size_t byte_ = 0;
};

/// "line 2, column 7" of a byte that counts from 1.
std::string place_of(const std::string &text, std::size_t byte) {
  std::size_t line = 1, column = 1;
  for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
    column = text[i] == '\n' ? 1 : column + 1;
    line += text[i] == '\n' ? 1 : 0;
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace

void explain_json(const std::string &text, const std::string &file) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) throw support::Error(file + ": is empty");
  const char *seen = text.data();
  Checker checker;
  if (ordered_json::sax_parse(Tracked(text.data(), &seen), Tracked(text.data() + text.size(), &seen), &checker)) return;
  if (checker.out_of_bounds)
    throw support::Error(file + ": " + place_of(text, static_cast<std::size_t>(seen - text.data())) + ": " + checker.reason);
  std::string place = place_of(text, checker.byte());
  if (checker.byte() > text.size()) throw support::Error(file + ": is truncated: the JSON text ends at " + place);
  throw support::Error(file + ": " + place + ": is no JSON: " + support::shortened(support::valid_utf8(checker.reason)));
}

}  // namespace scope::model

// JSON text to a document, with bounds: files may be damaged, or made to hurt. nlohmann's own document parser looks for a key by
// going through all keys of the object (hours for an object of a million keys), takes the last of equal keys, and nests without
// a limit.

#include <unordered_set>

#include "model/json_reader.hpp"
#include "support/text.hpp"

namespace scope::model {
namespace {

using nlohmann::ordered_json;

/// Our own formats nest to a depth of 6.
constexpr std::size_t deepest = 64;
/// An empty value takes 16 bytes: together at most 1 GiB.
constexpr std::size_t most_values = std::size_t{1} << 26;
/// Objects up to this many keys are searched one by one.
constexpr std::size_t few_keys = 16;

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

/// Builds the document. A callback that returns false ends the parser; `reason` says why.
class Builder {
 public:
  using number_integer_t = ordered_json::number_integer_t;
  using number_unsigned_t = ordered_json::number_unsigned_t;
  using number_float_t = ordered_json::number_float_t;
  using string_t = ordered_json::string_t;
  using binary_t = ordered_json::binary_t;

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(number_integer_t value) { return add(value); }
  bool number_unsigned(number_unsigned_t value) { return add(value); }
  bool number_float(number_float_t value, const string_t &) { return add(value); }
  bool string(string_t &value) { return add(std::move(value)); }
  bool binary(binary_t &) { return false; }  // of binary formats only
  bool start_object(std::size_t) { return open(ordered_json::value_t::object); }
  bool start_array(std::size_t) { return open(ordered_json::value_t::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(string_t &name) {
    Level &level = levels_.back();
    auto &object = level.value->get_ref<ordered_json::object_t &>();
    if (object.size() == few_keys)
      for (const auto &[known, value] : object) level.keys.insert(known);
    bool known = false;
    if (object.size() < few_keys)
      for (const auto &[other, value] : object) known = known || other == name;
    else
      known = !level.keys.insert(name).second;
    if (known) return refuse("has the key \"" + support::shortened(name) + "\" twice");
    if (!count()) return false;
    object.emplace_back(std::move(name), ordered_json());
    level.next = &object.back().second;
    return true;
  }

  bool parse_error(std::size_t byte, const std::string &, const nlohmann::detail::exception &error) {
    byte_ = byte;
    reason = reason_of(error.what());
    return false;
  }

  ordered_json document;
  std::string reason;
  bool out_of_bounds = false;    ///< refused here, not by the parser
  std::size_t byte() const { return byte_; }  ///< of the parser's refusal, from 1; at the end of the text behind the last

 private:
  struct Level {
    ordered_json *value;
    ordered_json *next = nullptr;  ///< where the value of the key goes
    std::unordered_set<std::string> keys;
  };

  bool refuse(std::string why) {
    out_of_bounds = true;
    reason = std::move(why);
    return false;
  }

  bool count() { return ++values_ <= most_values || refuse("has more than " + std::to_string(most_values) + " values"); }

  /// Where the next value goes; null if it must not.
  ordered_json *place() {
    if (!count()) return nullptr;
    if (levels_.empty()) return &document;
    Level &level = levels_.back();
    if (level.next) return std::exchange(level.next, nullptr);
    auto &array = level.value->get_ref<ordered_json::array_t &>();
    return &array.emplace_back();
  }

  template <class Value>
  bool add(Value &&value) {
    ordered_json *to = place();
    if (to) *to = std::forward<Value>(value);
    return to;
  }

  bool open(ordered_json::value_t type) {
    if (levels_.size() == deepest) return refuse("is nested more than " + std::to_string(deepest) + " levels deep");
    ordered_json *to = place();
    if (!to) return false;
    *to = ordered_json(type);
    levels_.push_back({to, nullptr, {}});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  std::vector<Level> levels_;
  std::size_t values_ = 0, byte_ = 0;
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

ordered_json parse_json(const std::string &text, const std::string &file) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) throw support::Error(file + ": is empty");
  const char *seen = text.data();
  Builder builder;
  bool good = ordered_json::sax_parse(Tracked(text.data(), &seen), Tracked(text.data() + text.size(), &seen), &builder);
  if (good) return std::move(builder.document);
  if (builder.out_of_bounds)
    throw support::Error(file + ": " + place_of(text, static_cast<std::size_t>(seen - text.data())) + ": " + builder.reason);
  std::string place = place_of(text, builder.byte());
  if (builder.byte() > text.size()) throw support::Error(file + ": is truncated: the JSON text ends at " + place);
  throw support::Error(file + ": " + place + ": is no JSON: " + support::shortened(support::valid_utf8(builder.reason)));
}

}  // namespace scope::model

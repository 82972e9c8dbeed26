#include "model/json_reader.hpp"

#include <cmath>
#include <unordered_set>

#include "support/text.hpp"

namespace scope::model {
namespace {

namespace dom = simdjson::dom;

/// Our own formats nest to a depth of 6.
constexpr std::size_t deepest = 64;

/// simdjson's own count of elements ends here.
constexpr std::size_t saturated = 0xFFFFFF;

/// Objects up to this many keys are searched one by one.
constexpr std::size_t few_keys = 24;

bool keys_differ(dom::object object) {
  std::string_view known[few_keys];
  std::size_t count = 0;
  for (auto field : object) {
    if (count == few_keys) {
      std::unordered_set<std::string_view> all;
      for (auto every : object)
        if (!all.insert(every.key).second) return false;
      return true;
    }
    for (std::size_t i = 0; i < count; ++i)
      if (known[i] == field.key) return false;
    known[count++] = field.key;
  }
  return true;
}

/// False where the text has to be looked at again: a key twice, or too deep.
bool sound(dom::element value, std::size_t level = 1) {
  if (value.is_array()) {
    if (level > deepest) return false;
    for (dom::element item : dom::array(value))
      if ((item.is_array() || item.is_object()) && !sound(item, level + 1)) return false;
  } else if (value.is_object()) {
    if (level > deepest || !keys_differ(value)) return false;
    for (auto field : dom::object(value))
      if ((field.value.is_array() || field.value.is_object()) && !sound(field.value, level + 1)) return false;
  }
  return true;
}

std::string dump(dom::element value) { return simdjson::minify(value); }

}  // namespace

void JsonDocument::parse(const std::string &text, std::string file) {
  file_ = std::move(file);
  // One level more than is accepted, so that the deepest document can be told from those beyond.
  const bool room = text.size() <= parser_.capacity() || !parser_.allocate(text.size(), deepest + 2);
  const auto result = parser_.parse(text);
  if (room && !result.get(root_) && sound(root_)) return;
  explain_json(text, file_);
  throw support::Error(file_ + ": " + (result.error() ? simdjson::error_message(result.error()) : "cannot be read"));
}

std::string JsonView::path() const {
  if (!parent_) return "the document";
  std::string text = parent_->parent_ ? parent_->path() : "";
  if (key_.empty()) return text.append("[").append(std::to_string(index_)).append("]");
  return text.append(text.empty() ? "" : ".").append(support::shortened(std::string(key_)));
}

dom::array JsonView::array() const {
  if (!value_.is_array()) fail("is not an array");
  return value_.get_array().value_unsafe();
}

dom::object JsonView::object() const {
  if (!value_.is_object()) fail("is not an object");
  return value_.get_object().value_unsafe();
}

JsonView::Elements JsonView::elements() const { return {array(), this}; }

std::size_t JsonView::size() const {
  const dom::array all = array();
  std::size_t count = all.size();
  if (count < saturated) return count;
  count = 0;
  for ([[maybe_unused]] dom::element item : all) ++count;
  return count;
}

JsonView JsonView::at(std::size_t index) const {
  std::size_t at = 0;
  for (dom::element item : array())
    if (at++ == index) return JsonView(item, *this, {}, index);
  fail("has " + std::to_string(at) + " elements");
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
  for (auto field : object())
    if (field.key == key) return field.value.is_null() ? std::nullopt : std::optional(JsonView(field.value, *this, field.key, 0));
  return std::nullopt;
}

JsonView JsonView::at(std::string_view key) const {
  for (auto field : object())
    if (field.key == key) return JsonView(field.value, *this, field.key, 0);
  fail("has no key \"" + std::string(key) + "\"");
}

std::vector<std::pair<std::string, JsonView>> JsonView::members() const {
  std::vector<std::pair<std::string, JsonView>> result;
  for (auto field : object()) result.emplace_back(field.key, JsonView(field.value, *this, field.key, 0));
  return result;
}

std::string JsonView::text() const {
  if (!value_.is_string()) fail("is not a string");
  return std::string(value_.get_string().value_unsafe());
}

std::string JsonView::scalar_text() const {
  if (value_.is_array() || value_.is_object()) fail("is no text, number or truth");
  return value_.is_string() ? text() : dump(value_);
}

bool JsonView::flag() const {
  if (!value_.is_bool()) fail("is not true or false");
  return value_.get_bool().value_unsafe();
}

double JsonView::number() const {
  if (!value_.is_number()) fail("is not a number");
  const double number = value_.get_double().value_unsafe();
  if (!std::isfinite(number)) fail("is not a finite number");
  return number;
}

std::int64_t JsonView::integer(std::int64_t lowest, std::int64_t highest) const {
  std::int64_t number = 0;
  const bool beyond = value_.is_uint64() && !value_.is_int64();
  if (beyond) {
    number = std::numeric_limits<std::int64_t>::max();
  } else if (value_.get(number)) {
    fail("is not an integer");
  }
  if (number < lowest) fail("is " + dump(value_) + ", at least " + std::to_string(lowest) + " is expected");
  if (beyond || number > highest) fail("is " + dump(value_) + ", at most " + std::to_string(highest) + " is expected");
  return number;
}

std::uint64_t JsonView::instant() const {
  std::uint64_t number = 0;
  if (!value_.get(number)) return number;
  fail(value_.is_int64() ? "is negative" : "is not an integer");
}

void check_format(const JsonView &root, const std::string &file, const char *format, int version) {
  std::optional<JsonView> name = root.find("format");
  if (!name) throw support::Error(file + ": is no " + format + " file: it has no key \"format\"");
  if (name->text() != format)
    throw support::Error(file + ": is no " + format + " file: its format is \"" + support::shortened(name->text()) + "\"");
  std::int64_t found = root.at("format_version").integer(1, std::numeric_limits<int>::max());
  if (found > version)
    throw support::Error(file + ": is of " + std::string(format) + " version " + std::to_string(found) +
                         ", this scope-profiler reads up to version " + std::to_string(version) +
                         "; use the scope-profiler that wrote it or a newer one");
}

}  // namespace scope::model

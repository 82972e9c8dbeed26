#include "model/json_reader.hpp"

#include <charconv>
#include <cmath>
#include <unordered_set>

#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "support/text.hpp"

namespace scope::model {
namespace {

using rapidjson::Value;

/// Our own formats nest to a depth of 6.
constexpr std::size_t deepest = 64;

/// Objects up to this many keys are searched one by one.
constexpr std::size_t few_keys = 24;

std::string_view view_of(const Value &string) { return {string.GetString(), string.GetStringLength()}; }

/// rapidjson's iterators can't be compared in C++20 without a warning; theirs are pointers.
const Value::Member *begin_of(const Value &object) { return object.MemberCount() ? &*object.MemberBegin() : nullptr; }
const Value::Member *end_of(const Value &object) { return begin_of(object) + object.MemberCount(); }

bool keys_differ(const Value &object) {
  const Value::Member *const begin = begin_of(object), *const end = end_of(object);
  if (object.MemberCount() > few_keys) {
    std::unordered_set<std::string_view> known;
    for (auto member = begin; member != end; ++member)
      if (!known.insert(view_of(member->name)).second) return false;
    return true;
  }
  for (auto member = begin; member != end; ++member)
    for (auto other = begin; other != member; ++other)
      if (view_of(other->name) == view_of(member->name)) return false;
  return true;
}

/// False where the text has to be looked at again: a key twice, or too deep.
bool sound(const Value &value, std::size_t level = 1) {
  if (value.IsArray()) {
    if (level > deepest) return false;
    for (const Value &item : value.GetArray())
      if ((item.IsArray() || item.IsObject()) && !sound(item, level + 1)) return false;
  } else if (value.IsObject()) {
    if (level > deepest || !keys_differ(value)) return false;
    for (auto member = begin_of(value); member != end_of(value); ++member)
      if ((member->value.IsArray() || member->value.IsObject()) && !sound(member->value, level + 1)) return false;
  }
  return true;
}

/// Makes the document's values. Numbers come as they stand in the text: rapidjson's own conversion to the nearest double shifts by
/// what is undefined for a zero of many digits.
struct Builder {
  rapidjson::Document &document;

  bool Null() { return document.Null(); }
  bool Bool(bool value) { return document.Bool(value); }
  bool Int(int value) { return document.Int(value); }
  bool Uint(unsigned value) { return document.Uint(value); }
  bool Int64(std::int64_t value) { return document.Int64(value); }
  bool Uint64(std::uint64_t value) { return document.Uint64(value); }
  bool Double(double value) { return document.Double(value); }
  bool String(const char *text, rapidjson::SizeType length, bool copy) { return document.String(text, length, copy); }
  bool StartObject() { return document.StartObject(); }
  bool Key(const char *text, rapidjson::SizeType length, bool copy) { return document.Key(text, length, copy); }
  bool EndObject(rapidjson::SizeType members) { return document.EndObject(members); }
  bool StartArray() { return document.StartArray(); }
  bool EndArray(rapidjson::SizeType elements) { return document.EndArray(elements); }

  bool RawNumber(const char *text, rapidjson::SizeType length, bool) {
    const char *const end = text + length;
    std::uint64_t positive = 0;
    std::int64_t negative = 0;
    double number = 0;
    if (is_whole(std::from_chars(text, end, positive), end)) return document.Uint64(positive);
    if (*text == '-' && is_whole(std::from_chars(text, end, negative), end)) return document.Int64(negative);
    return is_whole(std::from_chars(text, end, number), end) && document.Double(number);
  }

  static bool is_whole(const std::from_chars_result &result, const char *end) { return result.ec == std::errc() && result.ptr == end; }
};

/// What Document::Populate asks for: parses in the text itself, which strings and numbers then point into.
struct Generator {
  char *text;
  bool good;

  bool operator()(rapidjson::Document &document) {
    // Iterative: a text of nothing but brackets must not end the stack.
    constexpr unsigned flags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag |
                               rapidjson::kParseNumbersAsStringsFlag;
    rapidjson::Reader reader;
    rapidjson::InsituStringStream stream(text);
    Builder builder{document};
    good = !reader.Parse<flags>(stream, builder).IsError();
    return good;
  }
};

std::string dump(const Value &value) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  value.Accept(writer);
  return text.GetString();
}

}  // namespace

JsonDocument::JsonDocument(const std::string &text, std::string file) : file_(std::move(file)) {
  constexpr std::size_t beyond = 32;  // with SSE the parser reads 16 bytes at a time
  text_.reserve(text.size() + beyond);
  text_.append(text).append(beyond, '\0');
  const bool read = text.find('\0') == std::string::npos;  // where the parser would take it for the end
  Generator generator{text_.data(), false};
  if (read) document_.Populate(generator);
  if (generator.good && sound(document_)) return;
  explain_json(text, file_);
  throw support::Error(file_ + ": can't be read as JSON");
}

std::string JsonView::path() const {
  if (!parent_) return "the document";
  std::string text = parent_->parent_ ? parent_->path() : "";
  if (key_.empty()) return text.append("[").append(std::to_string(index_)).append("]");
  return text.append(text.empty() ? "" : ".").append(support::shortened(std::string(key_)));
}

const Value &JsonView::array() const {
  if (!value_->IsArray()) fail("is not an array");
  return *value_;
}

const Value &JsonView::object() const {
  if (!value_->IsObject()) fail("is not an object");
  return *value_;
}

JsonView::Elements JsonView::elements() const { return {array(), this}; }

std::size_t JsonView::size() const { return array().Size(); }

JsonView JsonView::at(std::size_t index) const {
  if (index >= size()) fail("has " + std::to_string(size()) + " elements");
  return JsonView((*value_)[static_cast<rapidjson::SizeType>(index)], *this, {}, index);
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
  for (auto member = begin_of(object()); member != end_of(*value_); ++member)
    if (view_of(member->name) == key) return member->value.IsNull() ? std::nullopt : std::optional(JsonView(member->value, *this, view_of(member->name), 0));
  return std::nullopt;
}

JsonView JsonView::at(std::string_view key) const {
  for (auto member = begin_of(object()); member != end_of(*value_); ++member)
    if (view_of(member->name) == key) return JsonView(member->value, *this, view_of(member->name), 0);
  fail("has no key \"" + std::string(key) + "\"");
}

std::vector<std::pair<std::string, JsonView>> JsonView::members() const {
  std::vector<std::pair<std::string, JsonView>> result;
  for (auto member = begin_of(object()); member != end_of(*value_); ++member)
    result.emplace_back(view_of(member->name), JsonView(member->value, *this, view_of(member->name), 0));
  return result;
}

std::string JsonView::text() const {
  if (!value_->IsString()) fail("is not a string");
  return std::string(view_of(*value_));
}

std::string JsonView::scalar_text() const {
  if (value_->IsArray() || value_->IsObject()) fail("is no text, number or truth");
  return value_->IsString() ? text() : dump(*value_);
}

bool JsonView::flag() const {
  if (!value_->IsBool()) fail("is not true or false");
  return value_->GetBool();
}

double JsonView::number() const {
  if (!value_->IsNumber()) fail("is not a number");
  const double number = value_->GetDouble();
  if (!std::isfinite(number)) fail("is not a finite number");
  return number;
}

std::int64_t JsonView::integer(std::int64_t lowest, std::int64_t highest) const {
  const bool beyond = value_->IsUint64() && !value_->IsInt64();
  if (!beyond && !value_->IsInt64()) fail("is not an integer");
  const std::int64_t number = beyond ? std::numeric_limits<std::int64_t>::max() : value_->GetInt64();
  if (number < lowest) fail("is " + dump(*value_) + ", at least " + std::to_string(lowest) + " is expected");
  if (beyond || number > highest) fail("is " + dump(*value_) + ", at most " + std::to_string(highest) + " is expected");
  return number;
}

std::uint64_t JsonView::instant() const {
  if (value_->IsUint64()) return value_->GetUint64();
  fail(value_->IsInt64() ? "is negative" : "is not an integer");
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

#include "model/json_reader.hpp"

#include <cmath>

#include "support/text.hpp"

namespace scope::model {

using nlohmann::ordered_json;

std::string JsonView::path() const {
  if (!parent_) return "the document";
  std::string text = parent_->parent_ ? parent_->path() : "";
  if (key_.empty()) return text.append("[").append(std::to_string(index_)).append("]");
  return text.append(text.empty() ? "" : ".").append(support::shortened(std::string(key_)));
}

const ordered_json &JsonView::elements() const {
  if (!value_->is_array()) fail("is not an array");
  return *value_;
}

const ordered_json::object_t &JsonView::object() const {
  if (!value_->is_object()) fail("is not an object");
  return value_->get_ref<const ordered_json::object_t &>();
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
  for (const auto &[name, value] : object())
    if (name == key) return value.is_null() ? std::nullopt : std::optional(JsonView(value, *this, name, 0));
  return std::nullopt;
}

JsonView JsonView::at(std::string_view key) const {
  for (const auto &[name, value] : object())
    if (name == key) return JsonView(value, *this, name, 0);
  fail("has no key \"" + std::string(key) + "\"");
}

std::vector<std::pair<std::string, JsonView>> JsonView::members() const {
  std::vector<std::pair<std::string, JsonView>> result;
  for (const auto &[name, value] : object()) result.emplace_back(name, JsonView(value, *this, name, 0));
  return result;
}

std::string JsonView::text() const {
  if (!value_->is_string()) fail("is not a string");
  return value_->get_ref<const std::string &>();
}

std::string JsonView::scalar_text() const {
  if (value_->is_structured()) fail("is no text, number or truth");
  return value_->is_string() ? text() : value_->dump();
}

bool JsonView::flag() const {
  if (!value_->is_boolean()) fail("is not true or false");
  return value_->get<bool>();
}

double JsonView::number() const {
  if (!value_->is_number()) fail("is not a number");
  double number = value_->get<double>();
  if (!std::isfinite(number)) fail("is not a finite number");
  return number;
}

std::int64_t JsonView::integer(std::int64_t lowest, std::int64_t highest) const {
  if (!value_->is_number_integer()) fail("is not an integer");
  bool beyond = value_->is_number_unsigned() &&
                value_->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::int64_t number = beyond ? std::numeric_limits<std::int64_t>::max() : value_->get<std::int64_t>();
  if (number < lowest) fail("is " + value_->dump() + ", at least " + std::to_string(lowest) + " is expected");
  if (beyond || number > highest) fail("is " + value_->dump() + ", at most " + std::to_string(highest) + " is expected");
  return number;
}

std::uint64_t JsonView::instant() const {
  if (!value_->is_number_integer()) fail("is not an integer");
  if (!value_->is_number_unsigned() && value_->get<std::int64_t>() < 0) fail("is negative");
  return value_->get<std::uint64_t>();
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

#pragma once
// Checked access to a JSON document: every error names the file, the path of the key and the reason. Internal to the model's
// JSON files.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/limits.hpp"
#include "support/error.hpp"

namespace scope::model {

/// A value and where it stands. The path is made only when an error needs it, by way of the parents, which therefore must
/// outlive it (they do in a chain of calls and in nested loops).
class JsonView {
 public:
  JsonView(const nlohmann::ordered_json &value, const std::string &file) : value_(&value), file_(&file) {}

  [[noreturn]] void fail(const std::string &reason) const { throw support::Error(*file_ + ": " + path() + " " + reason); }

  /// A key that must be there.
  JsonView at(std::string_view key) const;
  /// A key that may be missing or null.
  std::optional<JsonView> find(std::string_view key) const;
  JsonView at(std::size_t index) const { return JsonView(elements()[index], *this, {}, index); }
  std::size_t size() const { return elements().size(); }
  /// Keys and values of an object, in the file's order.
  std::vector<std::pair<std::string, JsonView>> members() const;

  bool is_array() const { return value_->is_array(); }
  std::string text() const;
  /// A text as it is; a number, truth or null as JSON writes it.
  std::string scalar_text() const;
  bool flag() const;
  double number() const;
  std::int64_t integer(std::int64_t lowest, std::int64_t highest) const;
  std::int64_t count() const { return integer(0, largest_count); }
  /// An instant or a key, all 64 bits.
  std::uint64_t instant() const;
  int small(int lowest = std::numeric_limits<int>::min()) const {
    return static_cast<int>(integer(lowest, std::numeric_limits<int>::max()));
  }
  /// What may be null: "" then.
  std::string text_or_null() const { return value_->is_null() ? std::string() : text(); }

 private:
  JsonView(const nlohmann::ordered_json &value, const JsonView &parent, std::string_view key, std::size_t index)
      : value_(&value), file_(parent.file_), parent_(&parent), key_(key), index_(index) {}
  std::string path() const;
  const nlohmann::ordered_json &elements() const;
  const nlohmann::ordered_json::object_t &object() const;

  const nlohmann::ordered_json *value_;
  const std::string *file_;
  const JsonView *parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

/// Throws support::Error naming file, line, column and reason for what is no JSON, nests deeper than 64 levels, has a key twice
/// in one object, or more than 2^26 values. The memory it takes is a small multiple of the text's size.
nlohmann::ordered_json parse_json(const std::string &text, const std::string &file);

/// Refuses another format, and a newer version by naming both.
void check_format(const JsonView &root, const std::string &file, const char *format, int version);

}  // namespace scope::model

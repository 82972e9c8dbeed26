#pragma once
// Checked access to a JSON document: every error names the file, the path of the key and the reason. Internal to the model's
// JSON files.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rapidjson/document.h>

#include "model/limits.hpp"
#include "support/error.hpp"

namespace scope::model {

/// A value and where it stands. The path is made only when an error needs it, by way of the parents, which therefore must
/// outlive it (they do in a chain of calls and in nested loops).
class JsonView {
 public:
  /// The elements of an array, in order.
  class Elements;

  JsonView(const rapidjson::Value &value, const std::string &file) : value_(&value), file_(&file) {}

  [[noreturn]] void fail(const std::string &reason) const { throw support::Error(*file_ + ": " + path() + " " + reason); }

  /// A key that must be there.
  JsonView at(std::string_view key) const;
  /// A key that may be missing or null.
  std::optional<JsonView> find(std::string_view key) const;
  /// An element that must be there.
  JsonView at(std::size_t index) const;
  std::size_t size() const;
  Elements elements() const;
  /// Keys and values of an object, in the file's order.
  std::vector<std::pair<std::string, JsonView>> members() const;

  bool is_array() const { return value_->IsArray(); }
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
  std::string text_or_null() const { return value_->IsNull() ? std::string() : text(); }

 private:
  JsonView(const rapidjson::Value &value, const JsonView &parent, std::string_view key, std::size_t index)
      : value_(&value), file_(parent.file_), parent_(&parent), key_(key), index_(index) {}
  std::string path() const;
  const rapidjson::Value &array() const;
  const rapidjson::Value &object() const;

  const rapidjson::Value *value_;
  const std::string *file_;
  const JsonView *parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

class JsonView::Elements {
 public:
  class Iterator {
   public:
    Iterator(const rapidjson::Value *at, const JsonView *parent) : at_(at), parent_(parent) {}
    JsonView operator*() const { return JsonView(*at_, *parent_, {}, index_); }
    Iterator &operator++() {
      ++at_;
      ++index_;
      return *this;
    }
    bool operator!=(const Iterator &other) const { return at_ != other.at_; }

   private:
    const rapidjson::Value *at_;
    const JsonView *parent_;
    std::size_t index_ = 0;
  };

  Iterator begin() const { return {array_->Begin(), parent_}; }
  Iterator end() const { return {array_->End(), parent_}; }

 private:
  friend class JsonView;
  Elements(const rapidjson::Value &array, const JsonView *parent) : array_(&array), parent_(parent) {}
  const rapidjson::Value *array_;
  const JsonView *parent_;
};

/// A text that was read. Views into it live as long as it does.
class JsonDocument {
 public:
  /// Throws support::Error naming file, line, column and reason for what is no JSON, nests deeper than 64 levels, or has a key
  /// twice in one object. It takes a small multiple of the text's size.
  JsonDocument(const std::string &text, std::string file);
  JsonDocument(const JsonDocument &) = delete;
  JsonDocument &operator=(const JsonDocument &) = delete;
  JsonView root() const { return JsonView(document_, file_); }

 private:
  std::string text_;  ///< that strings of the document point into
  rapidjson::Document document_;
  std::string file_;
};

/// Throws what JsonDocument's constructor throws, found by a slower parser that knows the position; returns where it sees no fault.
void explain_json(const std::string &text, const std::string &file);

/// Refuses another format, and a newer version by naming both.
void check_format(const JsonView &root, const std::string &file, const char *format, int version);

}  // namespace scope::model

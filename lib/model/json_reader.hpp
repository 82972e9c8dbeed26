#pragma once
// Checked access to a JSON document: every error names the file, the path of the key and the reason. Internal to the model's
// JSON files.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <simdjson.h>

#include "model/limits.hpp"
#include "support/error.hpp"

namespace scope::model {

/// A value and where it stands. The path is made only when an error needs it, by way of the parents, which therefore must
/// outlive it (they do in a chain of calls and in nested loops).
class JsonView {
 public:
  /// The elements of an array, in order. Reading them by index would go through the array from its start each time.
  class Elements;

  JsonView(simdjson::dom::element value, const std::string &file) : value_(value), file_(&file) {}

  [[noreturn]] void fail(const std::string &reason) const { throw support::Error(*file_ + ": " + path() + " " + reason); }

  /// A key that must be there.
  JsonView at(std::string_view key) const;
  /// A key that may be missing or null.
  std::optional<JsonView> find(std::string_view key) const;
  /// An element near the front. Must be there.
  JsonView at(std::size_t index) const;
  std::size_t size() const;
  Elements elements() const;
  /// Keys and values of an object, in the file's order.
  std::vector<std::pair<std::string, JsonView>> members() const;

  bool is_array() const { return value_.is_array(); }
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
  std::string text_or_null() const { return value_.is_null() ? std::string() : text(); }

 private:
  JsonView(simdjson::dom::element value, const JsonView &parent, std::string_view key, std::size_t index)
      : value_(value), file_(parent.file_), parent_(&parent), key_(key), index_(index) {}
  std::string path() const;
  simdjson::dom::array array() const;
  simdjson::dom::object object() const;

  simdjson::dom::element value_;
  const std::string *file_;
  const JsonView *parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

class JsonView::Elements {
 public:
  class Iterator {
   public:
    Iterator(simdjson::dom::array::iterator at, const JsonView *parent) : at_(at), parent_(parent) {}
    JsonView operator*() const { return JsonView(*at_, *parent_, {}, index_); }
    Iterator &operator++() {
      ++at_;
      ++index_;
      return *this;
    }
    bool operator!=(const Iterator &other) const { return at_ != other.at_; }

   private:
    simdjson::dom::array::iterator at_;
    const JsonView *parent_;
    std::size_t index_ = 0;
  };

  Iterator begin() const { return {array_.begin(), parent_}; }
  Iterator end() const { return {array_.end(), parent_}; }

 private:
  friend class JsonView;
  Elements(simdjson::dom::array array, const JsonView *parent) : array_(array), parent_(parent) {}
  simdjson::dom::array array_;
  const JsonView *parent_;
};

/// A text that was read. Views into it live as long as it does. Parsing a second text with the same one reuses its memory and
/// ends the views of the first.
class JsonDocument {
 public:
  JsonDocument() = default;
  JsonDocument(const std::string &text, std::string file) { parse(text, std::move(file)); }
  JsonDocument(const JsonDocument &) = delete;
  JsonDocument &operator=(const JsonDocument &) = delete;

  /// Throws support::Error naming file, line, column and reason for what is no JSON, nests deeper than 64 levels, or has a key
  /// twice in one object. It takes up to 14 times the text's size of address space, of which what holds values is touched.
  void parse(const std::string &text, std::string file);
  JsonView root() const { return JsonView(root_, file_); }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
  std::string file_;
};

/// Throws what JsonDocument::parse throws, found by a slower parser that knows the position; returns where it sees no fault.
void explain_json(const std::string &text, const std::string &file);

/// Refuses another format, and a newer version by naming both.
void check_format(const JsonView &root, const std::string &file, const char *format, int version);

}  // namespace scope::model

#include "launch/words.hpp"

#include "support/error.hpp"

namespace scope::launch {
namespace {

constexpr int tool_fault = 125;

class Splitter {
 public:
  Splitter(const std::string &text, const std::string &option) : text_(text), option_(option) {}

  std::vector<std::string> split() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == ' ' || c == '\t' || c == '\n') end_word();
      else if (c == '\'') take_single();
      else if (c == '"') take_double();
      else if (c == '\\') take_escape();
      else if (std::string("|&;<>()$`").find(c) != std::string::npos) refuse(c);
      else if (c == '#' && !in_word_) refuse(c);
      else add(c);
    }
    end_word();
    if (words_.empty()) throw support::Error(option_ + " is empty: it needs a command.", tool_fault);
    return words_;
  }

 private:
  void add(char c) {
    word_ += c;
    in_word_ = true;
  }

  void end_word() {
    if (in_word_) words_.push_back(word_);
    word_.clear();
    in_word_ = false;
  }

  void take_single() {
    const auto end = text_.find('\'', at_);
    if (end == std::string::npos) unclosed('\'');
    word_ += text_.substr(at_, end - at_);
    in_word_ = true;
    at_ = end + 1;
  }

  void take_double() {
    in_word_ = true;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return;
      }
      if (c == '$' || c == '`') refuse(c);
      const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
      if (c != '\\' || (next != '"' && next != '\\' && next != '$' && next != '`' && next != '\n')) {
        word_ += c;
        continue;
      }
      ++at_;
      if (next != '\n') word_ += next;
    }
    unclosed('"');
  }

  void take_escape() {
    if (at_ == text_.size()) throw support::Error(option_ + " ends in a backslash that quotes nothing.", tool_fault);
    const char next = text_[at_++];
    if (next != '\n') add(next);  // a line that goes on
  }

  [[noreturn]] void unclosed(char quote) const {
    throw support::Error(option_ + " has a " + std::string(1, quote) + " that is not closed: " + text_, tool_fault);
  }
  [[noreturn]] void refuse(char c) const {
    throw support::Error(option_ + " has a '" + std::string(1, c) +
                             "', which only a shell understands, and none is started. Quote it, or give a shell: " + option_ +
                             " \"sh -c '...'\".",
                         tool_fault);
  }

  const std::string &text_;
  const std::string &option_;
  std::vector<std::string> words_;
  std::string word_;
  bool in_word_ = false;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::string> split_words(const std::string &text, const std::string &option) { return Splitter(text, option).split(); }

}  // namespace scope::launch

#include "support/toml.hpp"

#include "cli_config.hpp"

#include <algorithm>
#include <set>

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/text.hpp"

namespace scope::cli {

using support::Error;

namespace {

constexpr std::size_t largest_config = std::size_t{1} << 20;
constexpr std::size_t longest_line = 4096;  // the library's messages repeat what they refuse

class ConfigReader {
 public:
  explicit ConfigReader(const std::string &file) : file_(file) {}

  [[noreturn]] void fail(std::size_t line, const std::string &reason) const {
    throw Error("'" + file_ + "', line " + std::to_string(line) + ": " + reason);
  }

  void read(const toml::table &table, const std::string &section) {
    for (const auto &[key, node] : table) {
      const std::string name(key.str());
      const std::size_t line = key.source().begin.line;
      if (const toml::table *inner = node.as_table()) {
        if (!section.empty() || inner->is_inline()) fail(line, "a table is no value of an option, and sections have no sections: [run], [report].");
        read(*inner, name);
        continue;
      }
      FileItem item{section, name, {}, line};
      if (const toml::array *array = node.as_array()) {
        for (const toml::node &element : *array) item.values.push_back(value_of(element, line));
      } else {
        item.values.push_back(value_of(node, line));
      }
      items_.push_back(std::move(item));
    }
  }

  std::vector<FileItem> take() {
    std::stable_sort(items_.begin(), items_.end(), [](const FileItem &a, const FileItem &b) { return a.line < b.line; });
    std::set<std::pair<std::string, std::string>> known;
    for (const FileItem &item : items_) {
      std::string plain = item.key;
      std::replace(plain.begin(), plain.end(), '_', '-');  // both are one option to us, not to TOML
      if (!known.insert({item.section, plain}).second) fail(item.line, "the key '" + support::shortened(item.key) + "' is there twice.");
    }
    return std::move(items_);
  }

 private:
  std::string value_of(const toml::node &node, std::size_t line) const {
    if (const auto text = node.value<std::string>(); text && node.is_string()) return *text;
    if (const auto truth = node.as_boolean()) return truth->get() ? "true" : "false";
    if (const auto number = node.as_integer()) return std::to_string(number->get());
    if (const auto number = node.as_floating_point()) {
      std::ostringstream text;
      text.imbue(std::locale::classic());
      text << number->get();
      return text.str();
    }
    fail(line, "lists of lists, tables, dates and times are no values of options.");
  }

  const std::string &file_;
  std::vector<FileItem> items_;
};

void refuse_long_lines(const std::string &text, const ConfigReader &reader) {
  std::size_t begin = 0, line = 1;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != '\n') continue;
    if (i - begin > longest_line) reader.fail(line, "the line is longer than 4096 bytes.");
    begin = i + 1;
    ++line;
  }
}

}  // namespace

std::vector<FileItem> parse_config(const std::string &text, const std::string &file) {
  ConfigReader reader(file);
  refuse_long_lines(text, reader);
  try {
    const toml::table table = toml::parse(text, file);
    reader.read(table, "");
    return reader.take();
  } catch (const toml::parse_error &error) {
    const std::string reason = support::ellipsize(support::terminal_safe(support::valid_utf8(std::string(error.description()))), 300, false);
    reader.fail(error.source().begin.line, reason + ". Texts stand in quotes: color = \"never\".");
  }
}

std::vector<FileItem> read_config(const std::string &file) {
  std::string text;
  try {
    text = support::read_file(file, largest_config);
  } catch (const Error &error) {
    throw Error(std::string(error.what()) + " (--config).");
  }
  return parse_config(text, file);
}

}  // namespace scope::cli

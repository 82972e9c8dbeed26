#include "cli_layers.hpp"

#include <algorithm>
#include <cctype>

#include "cli.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace scope::cli {

using support::Error;

namespace {

std::string without_hyphens(const std::string &name) { return name.substr(std::min(name.find_first_not_of('-'), name.size())); }

const OptionSpec *find_name(const std::vector<OptionSpec> &options, const std::string &name) {
  for (const auto &option : options) {
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) return &option;
  }
  return nullptr;
}

[[noreturn]] void refuse(const std::vector<OptionSpec> &options, const std::string &word) {
  std::vector<std::string> bare;
  for (const auto &option : options) {
    for (const auto &name : option.names) bare.push_back(without_hyphens(name));
  }
  auto near = support::nearest(without_hyphens(word), bare);
  // -np of mpiexec is what hands type for -n.
  if (near.empty() && word.size() == 3 && find_name(options, word.substr(0, 2))) near = word.substr(1, 1);
  std::string message = "unknown option '" + word + "'.";
  if (!near.empty()) message += " Did you mean '" + (near.size() == 1 ? "-" : std::string("--")) + near + "'?";
  throw Error(message + " Options are listed by --help; a command can't begin with '-'.");
}

/// A text of a file as it may stand in a message: its beginning, where it is long.
std::string shown(const std::string &text) {
  constexpr int longest = 60;
  return support::ellipsize(text, longest, false);
}

std::string truth(const std::string &text, const std::string &origin) {
  std::string lower;
  for (char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char *word : {"1", "true", "yes", "on"}) {
    if (lower == word) return "true";
  }
  for (const char *word : {"0", "false", "no", "off"}) {
    if (lower == word) return "false";
  }
  throw Error(origin + " is '" + shown(text) + "': it can be true or false (1, 0, yes, no, on, off).");
}

bool is_truth(const std::string &text) {
  for (const char *word : {"true", "yes", "on", "false", "no", "off"})
    if (text == word) return true;
  return false;
}

/// Where a value stands: in an error, and in the list of --verbose.
struct Source {
  std::string origin, place;
};

void add_values(Scanned &scanned, const OptionSpec &option, const std::vector<std::string> &values, const Source &source) {
  const std::string &origin = source.origin;
  if (values.size() > 1 && !option.repeatable) throw Error(origin + " has several values: one is possible.");
  for (auto value : values) {
    if (option.value_is_optional && is_truth(value)) value = truth(value, origin) == "true" ? "1" : "0";
    if (option.value_is_optional) {
      scanned.given.push_back({option.key, value, origin, source.place});
      continue;
    }
    scanned.given.push_back({option.key, option.takes_value ? value : truth(value, origin), origin, source.place});
  }
}

std::vector<std::string> split_at_commas(const std::string &text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    auto end = std::min(text.find(',', begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

class Scanner {
 public:
  Scanner(const std::vector<OptionSpec> &options, const std::vector<std::string> &arguments)
      : options_(options), arguments_(arguments) {}

  Scanned scan(Stop stop) {
    while (at_ < arguments_.size()) {
      const auto &word = arguments_[at_++];
      bool is_word = word.size() < 2 || word[0] != '-';
      if (word == "--") {
        take_rest(stop);
      } else if (is_word && stop == Stop::at_first_word) {
        --at_;
        take_rest(stop);
      } else if (is_word) {
        result_.words.push_back(word);
      } else if (word[1] == '-') {
        take_long(word);
      } else {
        take_short(word);
      }
    }
    return std::move(result_);
  }

 private:
  void take_rest(Stop stop) {
    if (stop == Stop::at_first_word && at_ < arguments_.size() && arguments_[at_].starts_with('-'))
      refuse(options_, arguments_[at_]);
    result_.words.insert(result_.words.end(), arguments_.begin() + static_cast<std::ptrdiff_t>(at_), arguments_.end());
    at_ = arguments_.size();
  }

  void take_long(const std::string &word) {
    auto equals = word.find('=');
    auto name = word.substr(0, equals);
    const auto *option = find_name(options_, name);
    if (!option) refuse(options_, name);
    if (equals != std::string::npos) {
      auto value = word.substr(equals + 1);
      result_.given.push_back({option->key, option->takes_value || option->value_is_optional ? value : truth(value, name), ""});
    } else {
      take_value(*option, name);
    }
  }

  /// -v, -vq, -n 4, -n4.
  void take_short(const std::string &word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      std::string name{'-', word[i]};
      const auto *option = find_name(options_, name);
      if (!option) refuse(options_, word);
      if (option->takes_value && i + 1 < word.size()) {
        if (name == "-n" && !std::isdigit(static_cast<unsigned char>(word[i + 1]))) refuse(options_, word);
        result_.given.push_back({option->key, word.substr(i + 1), ""});
        return;
      }
      take_value(*option, name);
    }
  }

  void take_value(const OptionSpec &option, const std::string &name) {
    if (!option.takes_value) {
      result_.given.push_back({option.key, option.value_is_optional ? "1" : "true", ""});
    } else if (at_ < arguments_.size()) {
      result_.given.push_back({option.key, arguments_[at_++], ""});
    } else {
      throw Error("option " + name + " needs a value.");
    }
  }

  const std::vector<OptionSpec> &options_;
  const std::vector<std::string> &arguments_;
  std::size_t at_ = 0;
  Scanned result_;
};

}  // namespace

Scanned scan(const std::vector<OptionSpec> &options, const std::vector<std::string> &arguments, Stop stop) {
  return Scanner(options, arguments).scan(stop);
}

void add_environment(Scanned &scanned, const std::vector<OptionSpec> &options, const launch::Environment &environment) {
  Scanned added;
  for (const auto &option : options) {
    if (!option.has_twin || is_given(scanned, option.key)) continue;
    auto twin = environment_twin(option.key);
    auto value = launch::value_of(environment, twin).value_or("");
    if (!value.empty()) add_values(added, option, option.repeatable ? split_at_commas(value) : std::vector{value},
                                   {twin, "environment " + twin});
  }
  scanned.given.insert(scanned.given.end(), added.given.begin(), added.given.end());
}

void add_file(Scanned &scanned, const std::vector<OptionSpec> &options, const std::vector<FileItem> &items,
              const std::string &command, const std::string &file, const std::vector<std::string> &all_keys) {
  Scanned added;
  for (const auto &item : items) {
    std::string key = item.key;
    std::replace(key.begin(), key.end(), '_', '-');
    if (std::find(all_keys.begin(), all_keys.end(), key) == all_keys.end()) {
      auto near = support::nearest(shown(key), all_keys);
      throw Error("'" + file + "', line " + std::to_string(item.line) + ": unknown key '" + shown(item.key) + "'." +
                  (near.empty() ? "" : " Did you mean '" + near + "'?"));
    }
    if (key == "config")
      throw Error("'" + file + "', line " + std::to_string(item.line) + ": a file of options can't name another one. Leave the key 'config' out.");
    auto option = std::find_if(options.begin(), options.end(), [&](const OptionSpec &o) { return o.has_twin && o.key == key; });
    bool for_us = item.section.empty() || item.section == command;
    if (!for_us || option == options.end() || is_given(scanned, key)) continue;
    auto line = std::to_string(item.line);
    add_values(added, *option, item.values, {"key '" + item.key + "' of '" + file + "', line " + line, file + ':' + line});
  }
  scanned.given.insert(scanned.given.end(), added.given.begin(), added.given.end());
}

std::string value_of(const Scanned &scanned, const std::string &key) {
  std::string value;
  for (const auto &given : scanned.given) {
    if (given.key == key) value = given.value;
  }
  return value;
}

bool is_given(const Scanned &scanned, const std::string &key) {
  return std::any_of(scanned.given.begin(), scanned.given.end(), [&](const Given &given) { return given.key == key; });
}

}  // namespace scope::cli

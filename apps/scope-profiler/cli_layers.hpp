#pragma once
// Where an option's value comes from: flag, environment, file. Knows options as a table and nothing of what they mean.

#include <string>
#include <vector>

#include "launch/environment.hpp"

namespace scope::cli {

struct OptionSpec {
  std::string key;                 ///< of the file, and with SCOPE_PROFILER_ of the environment: "mpi-calls"
  std::vector<std::string> names;  ///< with hyphens: "-o", "--output"
  bool takes_value = false;
  bool value_is_optional = false;  ///< --name or --name=VALUE; without a value it is as if 1 had been given, "false" is as good as not given
  bool repeatable = false;
  bool has_twin = true;  ///< false: a flag only (--help, --version)
};

struct Given {
  std::string key, value;  ///< value of a flag: "true" or "false"
  std::string origin;      ///< "SCOPE_PROFILER_N", "key 'n' of FILE"; "" for a flag
  std::string place = "flag";  ///< the same, for --verbose: "flag", "environment SCOPE_PROFILER_N", "FILE:3"
  bool operator==(const Given &) const = default;
};

struct Scanned {
  std::vector<Given> given;
  std::vector<std::string> words;  ///< the command, or the positional arguments
};

enum class Stop { at_first_word, at_end };

/// Splits options from words. A word that begins with a hyphen and is no option is refused, with the nearest option's name;
/// with Stop::at_first_word this holds for a command behind "--" too. Throws support::Error.
Scanned scan(const std::vector<OptionSpec> &options, const std::vector<std::string> &arguments, Stop stop);

/// Adds what no flag gave. Several values of a repeatable option are separated by commas. Empty is as good as not set.
void add_environment(Scanned &scanned, const std::vector<OptionSpec> &options, const launch::Environment &environment);

struct FileItem {
  std::string section;  ///< "" outside of [sections]
  std::string key;
  std::vector<std::string> values;
  std::size_t line = 0;  ///< of the file, from 1
};
/// Adds what neither flag nor environment gave. Items of other sections than "" and `command` are left alone.
/// `all_keys` are the options of all commands: a key that none has is refused.
void add_file(Scanned &scanned, const std::vector<OptionSpec> &options, const std::vector<FileItem> &items,
              const std::string &command, const std::string &file, const std::vector<std::string> &all_keys);

/// The value of the last occurrence, "" if it was not given.
std::string value_of(const Scanned &scanned, const std::string &key);
bool is_given(const Scanned &scanned, const std::string &key);

}  // namespace scope::cli

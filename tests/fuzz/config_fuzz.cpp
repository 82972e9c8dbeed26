// The file of --config, for every command.

#include "cli.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace scope;
  static fuzz::InputFile file("config.toml");
  const std::string path = file.write(data, size).string();
  for (const std::vector<std::string> &line : {std::vector<std::string>{"run", "--config", path, "./sim"},
                                               {"report", "--config", path, "trace.json"},
                                               {"merge", "--config", path, "directory"},
                                               {"doctor", "--config", path}})
    fuzz::expect_only_errors([&] { cli::parse_command_line(line, {}); });
  return 0;
}

// Open MPI's fork agent: its daemons on every node start ranks through this program, with the environment that the rank is
// to have. It puts the shim into LD_PRELOAD, tells where the run directory is, and becomes the rank. It is no shell script:
// dash drops variables that are no shell names, such as the functions that bash exports for `module`.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "launch/environment.hpp"
#include "launch/launcher.hpp"
#include "support/error.hpp"

namespace {

std::vector<char *> pointers(const std::vector<std::string> &words) {
  std::vector<char *> result;
  for (const auto &word : words) result.push_back(const_cast<char *>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

/// Open MPI hands over the word that the user wrote, and has searched PATH and then the working directory for it.
std::string program_of(const std::string &word, const scope::launch::Environment &environment) {
  auto found = scope::launch::find_program(word, scope::launch::value_of(environment, "PATH"));
  return found.path.empty() ? std::filesystem::absolute(word).string() : found.path.string();
}

}  // namespace

int main(int argc, char **argv) {
  using namespace scope::launch;
  auto line = parse_agent_line({argv + 1, argv + argc});
  if (!line) {
    std::fputs("scope-profiler-agent: started by Open MPI only (SHIM NAME=VALUE... -- COMMAND [ARG...])\n", stderr);
    return 125;
  }
  auto base = current_environment();
  auto environment = apply_changes(base, agent_changes(base, *line));
  auto program = program_of(line->command.front(), environment);
  execve(program.c_str(), pointers(line->command).data(), pointers(environment).data());
  int error = errno;
  std::fprintf(stderr, "scope-profiler-agent: cannot execute '%s': %s. Name the program by its path.\n",
               line->command.front().c_str(), scope::support::errno_text(error).c_str());
  return error == ENOENT ? 127 : 126;
}

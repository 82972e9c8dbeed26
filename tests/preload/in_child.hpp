#pragma once
// Runs a test's body in a child process with a run directory of its own.

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "recorder.hpp"
#include "requests.hpp"

namespace scope::test {

inline std::string make_run_directory() {
  std::string name = (std::filesystem::temp_directory_path() / "scope-preload-XXXXXX").string();
  if (!mkdtemp(name.data())) abort();
  return name;
}

/// `body(directory)` uses EXPECT_...; what fails in it is printed and fails the test.
template <class Body>
void in_child(Body body) {
  std::string directory = make_run_directory();
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    body(directory);
    fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child failed, wait status " << status;
  std::filesystem::remove_all(directory);
}

/// Starts the recorder as rank 0 of 1 and gives a thread slot.
inline preload::Thread &start_as_rank(const std::string &directory, std::uint32_t max_entries = wire::none_comm) {
  EXPECT_TRUE(preload::start_recorder(directory.c_str(), "0123456789abcdef", max_entries == wire::none_comm ? 65536 : max_entries));
  preload::live->rank = 0;
  preload::live->size = 1;
  preload::live->state = wire::State::running;
  snprintf(preload::live->world_key, sizeof preload::live->world_key, "test");
  preload::Thread *thread = preload::acquire_thread();
  EXPECT_NE(thread, nullptr);
  return *thread;
}

inline preload::Note note(wire::Call call, int peer, int tag, std::int64_t bytes, std::uint64_t duration) {
  preload::Note result{preload::make_key(call, wire::none_comm), duration, duration, 1, 0, static_cast<std::uint64_t>(bytes), 0, false};
  result.key.peer = peer;
  result.key.tag = tag;
  result.key.bytes = bytes;
  return result;
}

inline void begin(preload::Thread &thread, const preload::Operation &operation) {
  preload::Operation *place = preload::new_operation(thread);
  if (!place) return;
  *place = operation;
  preload::add_operation(thread, place);
}

}  // namespace scope::test

#pragma once
// Small facts about this process and its parents from /proc and the environment.

#include <cstddef>
#include <cstdint>

namespace scope::preload {

/// Reads up to size - 1 bytes of a file and ends them with NUL. Length, or -1.
int read_text(const char *path, char *text, std::size_t size);

/// getenv without the C library's function, which programs replace: nullptr if not set.
const char *environment(const char *name);

/// Field 22 of /proc/PID/stat: with the pid it names a process for good. 0 if unknown. pid 0: this process.
std::uint64_t start_time(unsigned pid);

/// Copies text, cut to fit and ended with NUL.
void copy_text(char *target, std::size_t size, const char *text);

/// Appends text or a number to a NUL-ended buffer, cut to fit.
void append_text(char *target, std::size_t size, const char *text);
void append_number(char *target, std::size_t size, std::uint64_t number);

}  // namespace scope::preload

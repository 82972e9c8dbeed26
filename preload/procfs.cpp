#include "procfs.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

namespace scope::preload {

int read_text(const char *path, char *text, std::size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  std::size_t length = 0;
  while (length < size - 1) {
    ssize_t got = read(file, text + length, size - 1 - length);
    if (got <= 0) break;
    length += static_cast<std::size_t>(got);
  }
  close(file);
  text[length] = 0;
  return static_cast<int>(length);
}

const char *environment(const char *name) {
  std::size_t length = strlen(name);
  for (char **entry = environ; entry && *entry; ++entry)
    if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
  return nullptr;
}

std::uint64_t start_time(unsigned pid) {
  char path[40] = "/proc/";
  if (pid)
    append_number(path, sizeof path, pid);
  else
    append_text(path, sizeof path, "self");
  append_text(path, sizeof path, "/stat");
  char text[1024];
  if (read_text(path, text, sizeof text) <= 0) return 0;
  const char *field = strrchr(text, ')');  // the name in parentheses may hold anything
  for (int i = 2; field && i < 22; ++i) field = strchr(field + 1, ' ');
  return field ? strtoull(field + 1, nullptr, 10) : 0;
}

void copy_text(char *target, std::size_t size, const char *text) {
  std::size_t length = strnlen(text, size - 1);
  memcpy(target, text, length);
  target[length] = 0;
}

void append_text(char *target, std::size_t size, const char *text) {
  std::size_t used = strnlen(target, size - 1);
  copy_text(target + used, size - used, text);
}

void append_number(char *target, std::size_t size, std::uint64_t number) {
  char digits[24];
  char *digit = digits + sizeof digits - 1;
  *digit = 0;
  do *--digit = static_cast<char>('0' + number % 10);
  while (number /= 10);
  append_text(target, size, digit);
}

}  // namespace scope::preload

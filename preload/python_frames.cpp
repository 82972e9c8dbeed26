#include "python_frames.hpp"

#include <dlfcn.h>
#include <string.h>

#include "procfs.hpp"
#include "site_records.hpp"

namespace scope::preload {

namespace {

// CPython 3.11: offsets of what is read, from its headers cpython/pystate.h, internal/pycore_frame.h, cpython/code.h and
// cpython/unicodeobject.h, for 64-bit pointers.
constexpr std::size_t state_cframe = 56, cframe_current = 8;
constexpr std::size_t frame_code = 32, frame_previous = 48, frame_instruction = 56;
constexpr std::size_t code_first_line = 72, code_file = 112, code_qualified_name = 128, code_line_table = 136, code_begin = 184;
constexpr std::size_t text_length = 16, text_state = 32, text_ascii_data = 48, text_data = 72;
constexpr unsigned text_kind_shift = 2, text_kind_mask = 7, text_compact = 1u << 5, text_ascii = 1u << 6;

void *(*this_thread_state)();
int (*line_of_address)(const void *code, int offset);

template <class T>
T at(const void *base, std::size_t offset) {
  T value;
  memcpy(&value, static_cast<const char *>(base) + offset, sizeof value);
  return value;
}

void append_character(char *target, std::size_t size, std::size_t &used, std::uint32_t c) {
  if (c >= 0xd800 && c < 0xe000) c = 0xfffd;  // how Python keeps bytes of a file name that are not UTF-8
  char bytes[4];
  std::size_t count = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  if (used + count >= size) return;
  static constexpr unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (std::size_t i = count; i-- > 1; c >>= 6) bytes[i] = static_cast<char>(0x80 | (c & 0x3f));
  bytes[0] = static_cast<char>(marks[count] | c);
  memcpy(target + used, bytes, count);
  used += count;
}

void copy_python_text(const void *text, char *target, std::size_t size) {
  std::size_t used = 0;
  target[0] = 0;
  if (!text) return;
  auto state = at<std::uint32_t>(text, text_state);
  auto length = at<std::int64_t>(text, text_length);
  unsigned width = state >> text_kind_shift & text_kind_mask;
  if (!(state & text_compact) || length < 0 || (width != 1 && width != 2 && width != 4)) return;
  const char *data = static_cast<const char *>(text) + (state & text_ascii ? text_ascii_data : text_data);
  for (std::int64_t i = 0; i < length && used + 5 < size; ++i) {
    std::size_t offset = static_cast<std::size_t>(i) * width;
    std::uint32_t c = width == 1 ? at<std::uint8_t>(data, offset) : width == 2 ? at<std::uint16_t>(data, offset) : at<std::uint32_t>(data, offset);
    append_character(target, size, used, c);
  }
  target[used] = 0;
}

PythonFrame frame_at(const void *frame) {
  if (!frame) return {nullptr, nullptr, nullptr};
  return {frame, at<const void *>(frame, frame_code), at<const char *>(frame, frame_instruction)};
}

template <class Function>
bool look_up(const char *name, Function &function) {
  void *symbol = dlsym(RTLD_DEFAULT, name);
  if (!symbol) dlerror();  // its text would be the program's to read
  memcpy(&function, &symbol, sizeof symbol);
  return symbol;
}

}  // namespace

Interpreter find_interpreter(const char *&version) {
  const char *(*get_version)();
  if (!look_up("Py_GetVersion", get_version)) return Interpreter::none;
  version = get_version();
  bool known = strncmp(version, "3.11.", 5) == 0 && sizeof(void *) == 8;
  if (known && look_up("PyGILState_GetThisThreadState", this_thread_state) && look_up("PyCode_Addr2Line", line_of_address))
    return Interpreter::readable;
  return Interpreter::foreign;
}

PythonFrame current_python_frame() {
  const void *state = this_thread_state();  // reads a thread-specific value
  const void *cframe = state ? at<const void *>(state, state_cframe) : nullptr;
  return frame_at(cframe ? at<const void *>(cframe, cframe_current) : nullptr);
}

PythonFrame outer_python_frame(const PythonFrame &inner) { return frame_at(at<const void *>(inner.frame, frame_previous)); }

std::uint64_t python_place(const PythonFrame &frame) {
  std::uint64_t hash = mix(mix(3, reinterpret_cast<std::uintptr_t>(frame.code)), reinterpret_cast<std::uintptr_t>(frame.at));
  hash = mix(hash, at<std::uint32_t>(frame.code, code_first_line));
  return mix(hash, at<std::uintptr_t>(frame.code, code_line_table));
}

int describe_python_frame(const PythonFrame &frame, char *file, std::size_t file_bytes, char *function, std::size_t function_bytes) {
  copy_python_text(at<const void *>(frame.code, code_file), file, file_bytes);
  copy_python_text(at<const void *>(frame.code, code_qualified_name), function, function_bytes);
  // A pure look-up in the code's line table.
  return line_of_address(frame.code, static_cast<int>(frame.at - (static_cast<const char *>(frame.code) + code_begin)));
}

}  // namespace scope::preload

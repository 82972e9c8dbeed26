#pragma once
// The Python code that is running on this thread, read from the interpreter's own structures. mpi4py releases the interpreter's
// lock around MPI calls, so none of its functions that count references or allocate may be called; but what is read here belongs
// to this thread, which can't change it while it is in MPI.

#include <cstddef>
#include <cstdint>

namespace scope::preload {

enum class Interpreter : std::uint8_t { none, readable, foreign };

/// Looks for CPython in the process. Only 3.11's structures are known; of other versions `version` gets the name.
Interpreter find_interpreter(const char *&version);

/// A Python function that is being executed.
struct PythonFrame {
  const void *frame;   ///< of the interpreter, nullptr: there is none
  const void *code;
  const char *at;      ///< instruction
};

/// The innermost frame of this thread, the next outer one.
PythonFrame current_python_frame();
PythonFrame outer_python_frame(const PythonFrame &inner);

/// A number for the place in the code. Code objects come and go: their address alone would not do.
std::uint64_t python_place(const PythonFrame &frame);

/// File, function and line as text in UTF-8, cut to fit. The line, 0 if unknown.
int describe_python_frame(const PythonFrame &frame, char *file, std::size_t file_bytes, char *function, std::size_t function_bytes);

}  // namespace scope::preload

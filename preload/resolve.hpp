#pragma once
// Finding what a call of the program would have reached without us, and the library's own PMPI procedures for our questions.

#include <cstdint>

#include "recorder.hpp"

namespace scope::preload {

using Function = int (*)(Word, ...);  ///< only ever called through a cast to the right number of arguments

/// The function behind `MPI_X` (profiling false: the next tool's, else the library's) or `PMPI_X` (profiling true), as seen by
/// the code at `caller`; nullptr if no loaded library has it.
void *find_function(const char *name, bool profiling, const void *caller);

/// The library's own PMPI procedure, for our use; remembered.
void *library_function(const char *pmpi_name);

/// Data of the library, such as ompi_mpi_comm_world: the program's copy (copy relocation) where there is one.
void *library_data(const char *name);

/// Remembers which object is the MPI library: the one that `function` lies in.
void remember_library(const void *function);

/// Code of the MPI library itself calls its own procedures (progress threads, ROMIO inside): not the program's calls.
SCOPE_HIDDEN extern std::uintptr_t library_begin, library_size;
inline bool inside_library(const void *address) { return reinterpret_cast<std::uintptr_t>(address) - library_begin < library_size; }
/// The same for what the library loads by itself, such as Open MPI's mca_io_romio321.so. Slow.
bool inside_component(const void *address);

}  // namespace scope::preload

# find_package(scope_profiler): the tool, gates on performance as tests, and the region API.
#
#   scope_profiler_EXECUTABLE      the command scope-profiler
#   scope_profiler_add_gate(...)   see scope_profiler_gate.cmake
#   scope_profiler::region         scope_profiler.h and scope_profiler.hpp: headers only
#   scope_profiler::mpi            scope_profiler_mpi.hpp, C++17; your own target brings MPI (MPI::MPI_CXX)
#   scope_profiler::fortran        the module scope_profiler, where Fortran is enabled before: built with your compiler, since
#                                  module files are of one compiler
#
# The prefix is found from this file's place, so an installation can be moved.
get_filename_component(_scope_profiler_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(scope_profiler_EXECUTABLE scope-profiler HINTS "${_scope_profiler_prefix}/bin" NO_CACHE)
if(NOT scope_profiler_EXECUTABLE)
  set(scope_profiler_FOUND FALSE)
  set(scope_profiler_NOT_FOUND_MESSAGE "the command scope-profiler is neither beside this package nor on PATH")
  return()
endif()
include("${CMAKE_CURRENT_LIST_DIR}/scope_profiler_gate.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/scope_profilerTargets.cmake")

get_property(_scope_profiler_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("Fortran" IN_LIST _scope_profiler_languages AND NOT TARGET scope_profiler_fortran)
  add_library(scope_profiler_fortran STATIC EXCLUDE_FROM_ALL
    "${_scope_profiler_prefix}/share/scope-profiler/fortran/scope_profiler.f90")
  set_target_properties(scope_profiler_fortran PROPERTIES POSITION_INDEPENDENT_CODE ON LINKER_LANGUAGE Fortran
    Fortran_MODULE_DIRECTORY "${CMAKE_BINARY_DIR}/scope_profiler_modules")
  target_include_directories(scope_profiler_fortran PUBLIC "${CMAKE_BINARY_DIR}/scope_profiler_modules")
  target_link_libraries(scope_profiler_fortran PUBLIC ${CMAKE_DL_LIBS})
  add_library(scope_profiler::fortran ALIAS scope_profiler_fortran)
endif()
unset(_scope_profiler_languages)
unset(_scope_profiler_prefix)

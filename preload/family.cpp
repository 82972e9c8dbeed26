#include "family.hpp"

#include <string.h>

#include "library.hpp"
#include "procfs.hpp"
#include "resolve.hpp"

namespace scope::preload {

Family family;

namespace {

/// A library that is neither: nothing is decoded, so no handle, no status and no count is looked at.
constexpr Family unknown_family{};

Family open_mpi() {
  Family result{};
  result.id = wire::Family::open_mpi;
  result.handle_bytes = 8;
  result.handle_mask = ~Word{0};
  result.status_bytes = 24;
  result.source_at = 0;
  result.tag_at = 4;
  result.status_ignore = 0;
  result.in_place = 1;
  result.proc_null = -2;
  result.any_source = -1;
  result.any_tag = -1;
  result.root = -4;
  result.undefined = -32766;
  auto data = [](const char *name) { return reinterpret_cast<Word>(library_data(name)); };
  result.null_request = data("ompi_request_null");
  result.null_comm = data("ompi_mpi_comm_null");
  result.world = data("ompi_mpi_comm_world");
  result.self = data("ompi_mpi_comm_self");
  result.op_no_op = data("ompi_mpi_op_no_op");
  result.message_no_proc = data("ompi_message_no_proc");
  return result;
}

Family mpich() {
  Family result{};
  result.id = wire::Family::mpich;
  result.handle_bytes = 4;
  result.handle_mask = 0xffffffffu;
  result.status_bytes = 20;
  result.source_at = 8;
  result.tag_at = 12;
  result.status_ignore = 1;
  result.in_place = ~Word{0};
  result.proc_null = -1;
  result.any_source = -2;
  result.any_tag = -1;
  result.root = -3;
  result.undefined = -32766;
  result.null_request = 0x2c000000u;
  result.null_comm = 0x04000000u;
  result.world = 0x44000000u;
  result.self = 0x44000001u;
  result.op_no_op = 0x5800000eu;
  result.message_no_proc = 0x6c000000u;
  return result;
}

}  // namespace

void detect_family() {
  family = unknown_family;
  // 8 KiB is the largest MPI_MAX_LIBRARY_VERSION_STRING (MPICH); the call is allowed before MPI_Init (MPI 4.1, 11.4.1).
  static char text[8192];
  int length = 0;
  if (!library.get_library_version || library.get_library_version(text, &length) != 0) return;
  text[sizeof text - 1] = 0;
  if (strstr(text, "Open MPI"))
    family = open_mpi();
  else if (strstr(text, "MPICH") || strstr(text, "MVAPICH") || strstr(text, "Intel(R) MPI"))
    family = mpich();
  text[strcspn(text, "\n")] = 0;
  for (char *c = text; *c; ++c)
    if (*c == '\t') *c = ' ';
  if (!live) return;
  copy_text(live->library, sizeof live->library, text);
  live->family = family.id;
  if (library.get_version) library.get_version(&live->standard_major, &live->standard_minor);
}

}  // namespace scope::preload

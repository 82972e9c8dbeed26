#pragma once
// The library's procedures that we ask ourselves, with machine words for handles. None of them communicates.

#include <type_traits>

#include "recorder.hpp"

namespace scope::preload {

struct Library {
  int (*initialized)(int *);
  int (*comm_rank)(Word, int *);
  int (*comm_size)(Word, int *);
  int (*comm_remote_size)(Word, int *);
  int (*comm_test_inter)(Word, int *);
  int (*comm_group)(Word, void *);
  int (*comm_remote_group)(Word, void *);
  int (*comm_get_name)(Word, char *, int *);
  int (*comm_get_parent)(void *);
  int (*group_translate_ranks)(Word, int, const int *, Word, int *);
  int (*group_size)(Word, int *);
  int (*group_free)(void *);
  int (*type_size_x)(Word, std::int64_t *);
  int (*topo_test)(Word, int *);
  int (*cartdim_get)(Word, int *);
  int (*cart_shift)(Word, int, int, int *, int *);
  int (*graph_neighbors_count)(Word, int, int *);
  int (*graph_neighbors)(Word, int, int, int *);
  int (*dist_graph_neighbors_count)(Word, int *, int *, int *);
  int (*dist_graph_neighbors)(Word, int, int *, int *, int, int *, int *);
  int (*get_library_version)(char *, int *);
  int (*get_version)(int *, int *);
  int (*query_thread)(int *);
  Word (*comm_f2c)(int);
};
extern Library library;

/// Looks all of them up. `any` is a function of the library in use.
void load_library(const void *any);

/// A handle written by the library through a pointer, with room for either width.
struct HandleBuffer {
  Word value = 0;
  void *address() { return &value; }
};

}  // namespace scope::preload

// collective_kinds.c with MPI 4's _c procedures, whose counts are MPI_Count.
#define LARGE_COUNTS
#include "collective_kinds.c"

// 2-D heat equation on a square plate by Jacobi iteration. The plate is cut into blocks, one a rank; every step exchanges
// the blocks' edges and agrees on the largest change. README.md says how many calls and bytes that makes.
//
//   heat [--size N] [--steps S] [--imbalance F]
//
// --imbalance F gives the last rank F times its own work on top: a load imbalance made on purpose.

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
  int size, steps;
  double imbalance;
};

// One rank's block: u and next hold ny rows of nx points with a border of one point around them.
struct block {
  int nx, ny;
  double *u, *next;
};

enum { north, south, west, east };

static double *at(const struct block *b, double *field, int x, int y) { return field + (size_t)y * (b->nx + 2) + x; }

// The same text on every rank and the same end: without MPI_Abort, as nothing has been sent yet.
static void refuse(int rank, const char *reason) {
  if (rank == 0) fprintf(stderr, "heat: %s\nusage: heat [--size N] [--steps S] [--imbalance F]\n", reason);
  MPI_Finalize();
  exit(2);
}

static struct options parse(int argc, char **argv, int rank) {
  struct options o = {2000, 400, 0};
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) refuse(rank, "an option lacks its value");
    char *end;
    double value = strtod(argv[i + 1], &end);
    if (end == argv[i + 1] || *end || !(value >= 0 && value <= 1e6)) refuse(rank, "a value is not a number from 0 to 1000000");
    if (strcmp(argv[i], "--size") == 0)
      o.size = (int)value;
    else if (strcmp(argv[i], "--steps") == 0)
      o.steps = (int)value;
    else if (strcmp(argv[i], "--imbalance") == 0)
      o.imbalance = value;
    else
      refuse(rank, "unknown option");
  }
  return o;
}

// Points first .. last-1 of n, of part `index` of `parts`.
static int first_point(int n, int parts, int index) { return (int)((long long)n * index / parts); }

static struct block make_block(int nx, int ny, int at_top) {
  struct block b = {nx, ny, NULL, NULL};
  size_t points = (size_t)(nx + 2) * (ny + 2);
  b.u = calloc(points, sizeof *b.u);
  b.next = calloc(points, sizeof *b.next);
  if (!b.u || !b.next) MPI_Abort(MPI_COMM_WORLD, 3);
  if (at_top)  // the upper edge of the plate is kept at 1, the others at 0
    for (int x = 0; x < nx + 2; ++x) *at(&b, b.u, x, 0) = *at(&b, b.next, x, 0) = 1;
  return b;
}

static void exchange_edges(struct block *b, const int neighbour[4], MPI_Datatype column, MPI_Comm grid) {
  MPI_Request requests[8];
  MPI_Status statuses[8];
  MPI_Irecv(at(b, b->u, 1, 0), b->nx, MPI_DOUBLE, neighbour[north], south, grid, &requests[0]);
  MPI_Irecv(at(b, b->u, 1, b->ny + 1), b->nx, MPI_DOUBLE, neighbour[south], north, grid, &requests[1]);
  MPI_Irecv(at(b, b->u, 0, 1), 1, column, neighbour[west], east, grid, &requests[2]);
  MPI_Irecv(at(b, b->u, b->nx + 1, 1), 1, column, neighbour[east], west, grid, &requests[3]);
  // The tag is the direction in which the message travels.
  MPI_Isend(at(b, b->u, 1, 1), b->nx, MPI_DOUBLE, neighbour[north], north, grid, &requests[4]);
  MPI_Isend(at(b, b->u, 1, b->ny), b->nx, MPI_DOUBLE, neighbour[south], south, grid, &requests[5]);
  MPI_Isend(at(b, b->u, 1, 1), 1, column, neighbour[west], west, grid, &requests[6]);
  MPI_Isend(at(b, b->u, b->nx, 1), 1, column, neighbour[east], east, grid, &requests[7]);
  MPI_Waitall(8, requests, statuses);
}

static double update_row(struct block *b, int y) {
  double largest = 0;
  for (int x = 1; x <= b->nx; ++x) {
    double value =
        0.25 * ((*at(b, b->u, x, y - 1) + *at(b, b->u, x, y + 1)) + (*at(b, b->u, x - 1, y) + *at(b, b->u, x + 1, y)));
    double change = fabs(value - *at(b, b->u, x, y));
    if (change > largest) largest = change;
    *at(b, b->next, x, y) = value;
  }
  return largest;
}

// One step; the extra rows are computed again, which changes nothing but the time.
static double update(struct block *b, long long extra_rows) {
  double largest = 0;
  for (int y = 1; y <= b->ny; ++y) largest = fmax(largest, update_row(b, y));
  for (long long i = 0; i < extra_rows; ++i) largest = fmax(largest, update_row(b, 1 + (int)(i % b->ny)));
  double *swap = b->u;
  b->u = b->next;
  b->next = swap;
  return largest;
}

static double sum(struct block *b) {
  double total = 0;
  for (int y = 1; y <= b->ny; ++y)
    for (int x = 1; x <= b->nx; ++x) total += *at(b, b->u, x, y);
  return total;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, dims[2] = {0, 0}, periodic[2] = {0, 0}, coords[2], neighbour[4];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  struct options o = parse(argc, argv, rank);
  MPI_Dims_create(ranks, 2, dims);  // dims[0] >= dims[1]: rows of blocks, blocks in a row
  if (o.size < dims[0]) refuse(rank, "--size is too small for so many ranks");

  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &grid);
  MPI_Comm_set_name(grid, "grid");
  MPI_Cart_coords(grid, rank, 2, coords);
  MPI_Cart_shift(grid, 0, 1, &neighbour[north], &neighbour[south]);
  MPI_Cart_shift(grid, 1, 1, &neighbour[west], &neighbour[east]);

  int ny = first_point(o.size, dims[0], coords[0] + 1) - first_point(o.size, dims[0], coords[0]);
  int nx = first_point(o.size, dims[1], coords[1] + 1) - first_point(o.size, dims[1], coords[1]);
  struct block b = make_block(nx, ny, coords[0] == 0);
  MPI_Datatype column;
  MPI_Type_vector(ny, 1, nx + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);

  long long extra_rows = rank == ranks - 1 ? (long long)(o.imbalance * ny) : 0;
  double residual = 0;
  for (int step = 0; step < o.steps; ++step) {
    exchange_edges(&b, neighbour, column, grid);
    double largest = update(&b, extra_rows);
    MPI_Allreduce(&largest, &residual, 1, MPI_DOUBLE, MPI_MAX, grid);
  }

  double local = sum(&b), total = 0;
  MPI_Reduce(&local, &total, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
  if (rank == 0) {
    printf("heat: %d x %d points, %d steps, %d ranks as %d x %d\n", o.size, o.size, o.steps, ranks, dims[0], dims[1]);
    printf("residual %.6e, mean temperature %.6f\n", residual, total / ((double)o.size * o.size));
  }

  free(b.u);
  free(b.next);
  MPI_Type_free(&column);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}

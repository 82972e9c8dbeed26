! 2 ranks, mpif.h: see bindings.c.
program bindings_mpif
  implicit none
  include 'mpif.h'
  integer :: rank, ranks, other, round, n, ierr
  integer, asynchronous :: number(8) = 0, more(8) = 0, counts(2) = (/1, 2/), places(2) = (/0, 1/)
  double precision, asynchronous :: x(4) = 0, y(4)
  logical :: flag
  integer :: requests(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), twin, half, pairs
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  other = 1 - rank
  call MPI_Allreduce(MPI_IN_PLACE, x, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) call MPI_Send(number, 3, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, ierr)
  if (rank == 1) call MPI_Recv(more, 8, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  if (rank == 0) call MPI_Ssend(number, 2, MPI_INTEGER, 1, 8, MPI_COMM_WORLD, ierr)
  if (rank == 1) call MPI_Recv(more, 8, MPI_INTEGER, 0, 8, MPI_COMM_WORLD, status, ierr)
  if (rank == 1) call MPI_Get_count(status, MPI_INTEGER, n, ierr)
  call MPI_Irecv(y, 4, MPI_DOUBLE_PRECISION, other, 9, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(x, 3, MPI_DOUBLE_PRECISION, other, 9, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  call MPI_Irecv(y, 4, MPI_DOUBLE_PRECISION, other, 10, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(x, 1, MPI_DOUBLE_PRECISION, other, 10, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Wait(requests(2), status, ierr)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
  call MPI_Sendrecv(number, 5, MPI_INTEGER, other, 11, more, 8, MPI_INTEGER, other, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Send_init(number, 4, MPI_INTEGER, other, 12, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Recv_init(more, 8, MPI_INTEGER, other, 12, MPI_COMM_WORLD, requests(2), ierr)
  do round = 1, 3
    call MPI_Startall(2, requests, ierr)
    call MPI_Waitall(2, requests, statuses, ierr)
  end do
  call MPI_Request_free(requests(1), ierr)
  call MPI_Request_free(requests(2), ierr)
  call MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierr)
  call MPI_Bcast(number, 8, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
  call MPI_Gatherv(number, rank + 1, MPI_INTEGER, more, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Alltoall(number, 2, MPI_INTEGER, more, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call MPI_Scan(x, y, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Iallreduce(x, y, 4, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, twin, ierr)
  call MPI_Comm_set_name(twin, "twin", ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, rank, 0, half, ierr)
  call MPI_Type_contiguous(2, MPI_INTEGER, pairs, ierr)
  call MPI_Type_commit(pairs, ierr)
  call MPI_Bcast(number, 3, pairs, 0, twin, ierr)
  call MPI_Barrier(half, ierr)
  call MPI_Type_free(pairs, ierr)
  call MPI_Comm_free(half, ierr)
  call MPI_Comm_free(twin, ierr)
  call MPI_Finalize(ierr)
end program

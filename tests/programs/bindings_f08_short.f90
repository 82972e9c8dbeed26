! 2 ranks, `use mpi_f08` without ierror: see bindings.c.
program bindings_f08_short
  use mpi_f08
  implicit none
  integer :: rank, ranks, other, round, n
  integer, asynchronous :: number(8) = 0, more(8) = 0, counts(2) = (/1, 2/), places(2) = (/0, 1/)
  double precision, asynchronous :: x(4) = 0, y(4)
  logical :: flag
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
  type(MPI_Comm) :: twin, half
  type(MPI_Datatype) :: pairs
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  other = 1 - rank
  call MPI_Allreduce(MPI_IN_PLACE, x, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) call MPI_Send(number, 3, MPI_INTEGER, 1, 7, MPI_COMM_WORLD)
  if (rank == 1) call MPI_Recv(more, 8, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  if (rank == 0) call MPI_Ssend(number, 2, MPI_INTEGER, 1, 8, MPI_COMM_WORLD)
  if (rank == 1) call MPI_Recv(more, 8, MPI_INTEGER, 0, 8, MPI_COMM_WORLD, status)
  if (rank == 1) call MPI_Get_count(status, MPI_INTEGER, n)
  call MPI_Irecv(y, 4, MPI_DOUBLE_PRECISION, other, 9, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(x, 3, MPI_DOUBLE_PRECISION, other, 9, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Irecv(y, 4, MPI_DOUBLE_PRECISION, other, 10, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(x, 1, MPI_DOUBLE_PRECISION, other, 10, MPI_COMM_WORLD, requests(2))
  call MPI_Wait(requests(2), status)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  call MPI_Sendrecv(number, 5, MPI_INTEGER, other, 11, more, 8, MPI_INTEGER, other, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Send_init(number, 4, MPI_INTEGER, other, 12, MPI_COMM_WORLD, requests(1))
  call MPI_Recv_init(more, 8, MPI_INTEGER, other, 12, MPI_COMM_WORLD, requests(2))
  do round = 1, 3
    call MPI_Startall(2, requests)
    call MPI_Waitall(2, requests, statuses)
  end do
  call MPI_Request_free(requests(1))
  call MPI_Request_free(requests(2))
  call MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE)
  call MPI_Bcast(number, 8, MPI_INTEGER, 1, MPI_COMM_WORLD)
  call MPI_Gatherv(number, rank + 1, MPI_INTEGER, more, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call MPI_Alltoall(number, 2, MPI_INTEGER, more, 2, MPI_INTEGER, MPI_COMM_WORLD)
  call MPI_Scan(x, y, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Iallreduce(x, y, 4, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, requests(1))
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  call MPI_Comm_dup(MPI_COMM_WORLD, twin)
  call MPI_Comm_set_name(twin, "twin")
  call MPI_Comm_split(MPI_COMM_WORLD, rank, 0, half)
  call MPI_Type_contiguous(2, MPI_INTEGER, pairs)
  call MPI_Type_commit(pairs)
  call MPI_Bcast(number, 3, pairs, 0, twin)
  call MPI_Barrier(half)
  call MPI_Type_free(pairs)
  call MPI_Comm_free(half)
  call MPI_Comm_free(twin)
  call MPI_Finalize()
end program

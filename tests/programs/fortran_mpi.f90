! 2 ranks, `use mpi`. Over both ranks: Init 2, Comm_rank 2, Comm_size 2, Allreduce 2 in place (8 B each way each), Send 1
! (rank 0 to 1, tag 7, 4 B), Recv 1 (4 B, the status ignored), Isend 2 and Irecv 2 (8 B, tag 8), Waitall 2, Finalize 2.
program fortran_mpi
  use mpi
  implicit none
  integer :: ierr, rank, ranks, number, requests(2)
  double precision :: x, y, z
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  x = rank
  number = 1
  call MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) call MPI_Send(number, 1, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, ierr)
  if (rank == 1) call MPI_Recv(number, 1, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  y = rank
  call MPI_Irecv(z, 1, MPI_DOUBLE_PRECISION, 1 - rank, 8, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(y, 1, MPI_DOUBLE_PRECISION, 1 - rank, 8, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  if (x /= 1d0 .or. z /= 1 - rank) error stop 1
  call MPI_Finalize(ierr)
end program

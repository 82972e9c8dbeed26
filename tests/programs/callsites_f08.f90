! Call sites of Fortran with use mpi_f08: the lines are marked as in callsites.c. A call reaches the C library through one or two
! layers of the MPI library, which are not what the user looks for.
!
! Per rank: 20 steps of one Sendrecv and one Barrier (the first 8 of a wrapper are unwound, the others read), 12 pairs of Irecv
! and Isend completed by a Waitall of a varying number of requests, one Allreduce.
program callsites ! @program
  use mpi_f08
  implicit none
  integer :: rank, size, ierror, i, total, mine
  call MPI_Init(ierror) ! @init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror) ! @rank
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror) ! @size
  do i = 1, 20
    call exchange(rank, size)
    call MPI_Barrier(MPI_COMM_WORLD, ierror) ! @barrier
  end do
  do i = 1, 12
    call ring(rank, size, 1 + mod(i, 3))
  end do
  mine = rank
  call MPI_Allreduce(mine, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror) ! @allreduce
  call MPI_Finalize(ierror) ! @finalize

contains

  subroutine exchange(rank, size)
    integer, intent(in) :: rank, size
    type(MPI_Status) :: status
    integer :: sent, got, ierror
    sent = rank
    call MPI_Sendrecv(sent, 1, MPI_INTEGER, mod(rank + 1, size), 1, got, 1, MPI_INTEGER, &
                      mod(rank + size - 1, size), 1, MPI_COMM_WORLD, status, ierror) ! @exchange
  end subroutine exchange

  subroutine ring(rank, size, pairs)
    integer, intent(in) :: rank, size, pairs
    integer :: out(3), in(3), k, ierror
    type(MPI_Request) :: requests(6)
    type(MPI_Status) :: statuses(6)
    out = rank
    do k = 1, pairs
      call MPI_Irecv(in(k), 1, MPI_INTEGER, mod(rank + size - 1, size), 2, MPI_COMM_WORLD, requests(2 * k - 1), ierror) ! @irecv
      call MPI_Isend(out(k), 1, MPI_INTEGER, mod(rank + 1, size), 2, MPI_COMM_WORLD, requests(2 * k), ierror) ! @isend
    end do
    call MPI_Waitall(2 * pairs, requests, statuses, ierror) ! @waitall
  end subroutine ring

end program callsites

! Regions in Fortran: outer (2 calls) with one MPI_Barrier each and outer/inner (2 calls) with two MPI_Allreduce each.
program regions_fortran
  use mpi
  use scope_profiler
  implicit none
  integer :: ierror, step, rank, total
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  do step = 1, 2
    call scope_begin("outer   ")
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call scope_begin("inner")
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierror)
    call scope_end("inner")
    call scope_end("outer")
  end do
  call MPI_Finalize(ierror)
end program

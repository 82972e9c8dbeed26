! 2-D heat equation on a square plate by Jacobi iteration, in Fortran with mpi_f08: the same program as heat.c, with the
! same options and the same output. README.md says how many calls and bytes it makes.
!
!   heat_f08 [--size N] [--steps S] [--imbalance F]
!
! --imbalance F gives the last rank F times its own work on top: a load imbalance made on purpose.

module plate
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: real64, int64, error_unit
  implicit none
  integer, parameter :: north = 0, south = 1, west = 2, east = 3

contains

  ! The same text on every rank and the same end: without MPI_Abort, as nothing has been sent yet.
  subroutine refuse(rank, reason)
    integer, intent(in) :: rank
    character(*), intent(in) :: reason
    if (rank == 0) then
      write (error_unit, '(2a)') 'heat: ', reason
      write (error_unit, '(a)') 'usage: heat_f08 [--size N] [--steps S] [--imbalance F]'
    end if
    call MPI_Finalize()
    stop 2, quiet=.true.
  end subroutine

  subroutine parse(rank, size, steps, imbalance)
    integer, intent(in) :: rank
    integer, intent(out) :: size, steps
    real(real64), intent(out) :: imbalance
    character(32) :: name, text
    real(real64) :: value
    integer :: i, status
    size = 2000
    steps = 400
    imbalance = 0
    do i = 1, command_argument_count(), 2
      if (i == command_argument_count()) call refuse(rank, 'an option lacks its value')
      call get_command_argument(i, name)
      call get_command_argument(i + 1, text)
      value = -1
      read (text, *, iostat=status) value
      if (status /= 0 .or. .not. (value >= 0 .and. value <= 1e6_real64)) then
        call refuse(rank, 'a value is not a number from 0 to 1000000')
      end if
      select case (name)
      case ('--size')
        size = int(value)
      case ('--steps')
        steps = int(value)
      case ('--imbalance')
        imbalance = value
      case default
        call refuse(rank, 'unknown option')
      end select
    end do
  end subroutine

  ! The first point, counted from 0, of part `index` of `parts` of n points.
  pure integer function first_point(n, parts, index)
    integer, intent(in) :: n, parts, index
    first_point = int(int(n, int64) * index / parts)
  end function

  subroutine exchange_edges(u, nx, ny, neighbour, column, grid)
    integer, intent(in) :: nx, ny, neighbour(0:3)
    real(real64), intent(inout), asynchronous :: u(0:nx + 1, 0:ny + 1)
    type(MPI_Datatype), intent(in) :: column
    type(MPI_Comm), intent(in) :: grid
    type(MPI_Request) :: requests(8)
    call MPI_Irecv(u(1, 0), nx, MPI_DOUBLE_PRECISION, neighbour(north), south, grid, requests(1))
    call MPI_Irecv(u(1, ny + 1), nx, MPI_DOUBLE_PRECISION, neighbour(south), north, grid, requests(2))
    call MPI_Irecv(u(0, 1), 1, column, neighbour(west), east, grid, requests(3))
    call MPI_Irecv(u(nx + 1, 1), 1, column, neighbour(east), west, grid, requests(4))
    ! The tag is the direction in which the message travels.
    call MPI_Isend(u(1, 1), nx, MPI_DOUBLE_PRECISION, neighbour(north), north, grid, requests(5))
    call MPI_Isend(u(1, ny), nx, MPI_DOUBLE_PRECISION, neighbour(south), south, grid, requests(6))
    call MPI_Isend(u(1, 1), 1, column, neighbour(west), west, grid, requests(7))
    call MPI_Isend(u(nx, 1), 1, column, neighbour(east), east, grid, requests(8))
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
  end subroutine

  real(real64) function update_row(u, next, nx, ny, y) result(largest)
    integer, intent(in) :: nx, ny, y
    real(real64), intent(in) :: u(0:nx + 1, 0:ny + 1)
    real(real64), intent(inout) :: next(0:nx + 1, 0:ny + 1)
    real(real64) :: value, change
    integer :: x
    largest = 0
    do x = 1, nx
      value = 0.25_real64 * ((u(x, y - 1) + u(x, y + 1)) + (u(x - 1, y) + u(x + 1, y)))
      change = abs(value - u(x, y))
      if (change > largest) largest = change
      next(x, y) = value
    end do
  end function

  ! One step; the extra rows are computed again, which changes nothing but the time.
  real(real64) function update(u, next, nx, ny, extra_rows) result(largest)
    integer, intent(in) :: nx, ny
    real(real64), intent(in) :: u(0:nx + 1, 0:ny + 1)
    real(real64), intent(inout) :: next(0:nx + 1, 0:ny + 1)
    integer(int64), intent(in) :: extra_rows
    integer(int64) :: i
    integer :: y
    largest = 0
    do y = 1, ny
      largest = max(largest, update_row(u, next, nx, ny, y))
    end do
    do i = 0, extra_rows - 1
      largest = max(largest, update_row(u, next, nx, ny, 1 + int(mod(i, int(ny, int64)))))
    end do
  end function

  ! As C prints it: "%.6e", "%.6f", "%d".
  function c_e(value) result(text)
    real(real64), intent(in) :: value
    character(:), allocatable :: text
    character(24) :: buffer
    write (buffer, '(es13.6e2)') value
    text = trim(adjustl(buffer))
    text(scan(text, 'E'):scan(text, 'E')) = 'e'
  end function

  function c_f(value) result(text)
    real(real64), intent(in) :: value
    character(:), allocatable :: text
    character(24) :: buffer
    write (buffer, '(f16.6)') value
    text = trim(adjustl(buffer))
  end function

  function c_d(value) result(text)
    integer, intent(in) :: value
    character(:), allocatable :: text
    character(12) :: buffer
    write (buffer, '(i0)') value
    text = trim(buffer)
  end function

end module

program heat
  use plate
  implicit none
  integer :: rank, ranks, size, steps, step, nx, ny
  integer :: dims(2) = 0, coords(2), neighbour(0:3)
  logical :: periodic(2) = .false.
  integer(int64) :: extra_rows
  real(real64) :: imbalance, largest, residual, total
  real(real64), allocatable, asynchronous :: u(:, :), next(:, :)
  real(real64), allocatable :: swap(:, :)
  type(MPI_Comm) :: grid
  type(MPI_Datatype) :: column

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call parse(rank, size, steps, imbalance)
  call MPI_Dims_create(ranks, 2, dims)  ! dims(1) >= dims(2): rows of blocks, blocks in a row
  if (size < dims(1)) call refuse(rank, '--size is too small for so many ranks')

  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, .false., grid)
  call MPI_Comm_set_name(grid, 'grid')
  call MPI_Cart_coords(grid, rank, 2, coords)
  call MPI_Cart_shift(grid, 0, 1, neighbour(north), neighbour(south))
  call MPI_Cart_shift(grid, 1, 1, neighbour(west), neighbour(east))

  ny = first_point(size, dims(1), coords(1) + 1) - first_point(size, dims(1), coords(1))
  nx = first_point(size, dims(2), coords(2) + 1) - first_point(size, dims(2), coords(2))
  allocate (u(0:nx + 1, 0:ny + 1), next(0:nx + 1, 0:ny + 1), source=0.0_real64)
  if (coords(1) == 0) then  ! the upper edge of the plate is kept at 1, the others at 0
    u(:, 0) = 1
    next(:, 0) = 1
  end if
  call MPI_Type_vector(ny, 1, nx + 2, MPI_DOUBLE_PRECISION, column)
  call MPI_Type_commit(column)

  extra_rows = 0
  if (rank == ranks - 1) extra_rows = int(imbalance * ny, int64)
  residual = 0
  do step = 1, steps
    call exchange_edges(u, nx, ny, neighbour, column, grid)
    largest = update(u, next, nx, ny, extra_rows)
    call move_alloc(u, swap)
    call move_alloc(next, u)
    call move_alloc(swap, next)
    call MPI_Allreduce(largest, residual, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid)
  end do

  largest = sum(u(1:nx, 1:ny))
  total = 0
  call MPI_Reduce(largest, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, grid)
  if (rank == 0) then
    write (*, '(a)') 'heat: '//c_d(size)//' x '//c_d(size)//' points, '//c_d(steps)//' steps, '// &
      c_d(ranks)//' ranks as '//c_d(dims(1))//' x '//c_d(dims(2))
    write (*, '(a)') 'residual '//c_e(residual)//', mean temperature '//c_f(total / (real(size, real64) * size))
  end if

  call MPI_Type_free(column)
  call MPI_Comm_free(grid)
  call MPI_Finalize()
end program

! Regions of a Fortran program, for scope-profiler. Fortran 2003; compile this file with the program, nothing else is needed.
!
!   use scope_profiler
!   call scope_begin("solve")
!   ...
!   call scope_end("solve")
!
! What scope_profiler.h says about nesting, threads, names and cost holds here too; blanks at the end of a name don't count.
module scope_profiler
  use, intrinsic :: iso_c_binding, only: c_ptr, c_funptr, c_char, c_int, c_size_t, c_null_ptr, c_null_char, c_associated, &
                                         c_f_procpointer, c_f_pointer
  implicit none
  private
  public :: scope_begin, scope_end

  abstract interface
    function start_function() bind(c)
      import :: c_int
      integer(c_int) :: start_function
    end function
    subroutine begin_function(name, length, file, line) bind(c)
      import :: c_char, c_size_t, c_int, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      type(c_ptr), value :: file
      integer(c_int), value :: line
    end subroutine
    subroutine end_function(name, length) bind(c)
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine
  end interface

  ! Of the C library. A setuid program gets nothing from secure_getenv.
  interface
    function c_secure_getenv(name) bind(c, name="secure_getenv")
      import :: c_ptr, c_char
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: c_secure_getenv
    end function
    function c_dlopen(file, mode) bind(c, name="dlopen")
      import :: c_ptr, c_int
      type(c_ptr), value :: file
      integer(c_int), value :: mode
      type(c_ptr) :: c_dlopen
    end function
    function c_dlsym(library, name) bind(c, name="dlsym")
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: library
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: c_dlsym
    end function
  end interface

  procedure(begin_function), pointer :: begin_hook => null()
  procedure(end_function), pointer :: end_hook => null()
  logical, volatile :: asked = .false.

contains

  subroutine scope_begin(name)
    character(len=*), intent(in) :: name
    if (.not. asked) call ask()
    if (associated(begin_hook)) call begin_hook(name, int(len_trim(name), c_size_t), c_null_ptr, 0_c_int)
  end subroutine

  subroutine scope_end(name)
    character(len=*), intent(in) :: name
    if (.not. asked) call ask()
    if (associated(end_hook)) call end_hook(name, int(len_trim(name), c_size_t))
  end subroutine

  ! The first begin or end. Threads that come at once do the same.
  subroutine ask()
    type(c_ptr) :: file, library
    character(kind=c_char), pointer :: first
    procedure(start_function), pointer :: start
    procedure(begin_function), pointer :: begin_found
    procedure(end_function), pointer :: end_found
    integer(c_int), parameter :: now = 2
    file = c_secure_getenv("SCOPE_PROFILER_REGION_LIBRARY" // c_null_char)
    if (c_associated(file)) then
      call c_f_pointer(file, first)
      if (first == "/") then
        library = c_dlopen(file, now)
        if (c_associated(library)) then
          call c_f_procpointer(c_dlsym(library, "scope_profiler_start" // c_null_char), start)
          call c_f_procpointer(c_dlsym(library, "scope_profiler_begin" // c_null_char), begin_found)
          call c_f_procpointer(c_dlsym(library, "scope_profiler_end" // c_null_char), end_found)
          if (associated(start) .and. associated(begin_found) .and. associated(end_found)) then
            if (start() /= 0) then
              end_hook => end_found
              begin_hook => begin_found
            end if
          end if
        end if
      end if
    end if
    asked = .true.
  end subroutine

end module

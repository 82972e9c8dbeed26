# cpack -G TGZ and -G DEB. The prefix of the .deb is /usr; the archive has one folder, which runs wherever it is unpacked.
set(CPACK_PACKAGE_NAME scope-profiler)
set(CPACK_PACKAGE_VENDOR "scope-profiler")
set(CPACK_PACKAGE_CONTACT "scope-profiler developers <scope-profiler@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "profiler for MPI programs that are not rebuilt")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR "TGZ;DEB")
set(CPACK_VERBATIM_VARIABLES ON)

# No MPI among the dependencies: the shim serves the one that the program loads. debian.cmake finds what the binaries link.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "openmpi-bin | mpich")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
  "Put it in front of the line that starts an MPI program: it counts and\ntimes every MPI call of every rank, for Open MPI and MPICH, programs\nin C, C++ and Fortran, and mpi4py.")
include(CPack)

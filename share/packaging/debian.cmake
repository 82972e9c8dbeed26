# Run by cpack before it packs: what Debian's policy wants of a package and an archive does not have.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
cmake_path(SET source NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../..)
set(root ${CPACK_TEMPORARY_DIRECTORY})
set(doc ${root}/usr/share/doc/scope-profiler)
file(MAKE_DIRECTORY ${doc})

function(scope_run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${root} RESULT_VARIABLE code ERROR_VARIABLE errors OUTPUT_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command} failed: ${errors}${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Policy 12.1 and 12.7: manual pages and the changelog are compressed, without the time in them.
file(GLOB pages ${root}/usr/share/man/man*/*.[0-9] ${root}/usr/share/man/man*/*.[0-9]scope)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH where that is set
file(WRITE ${doc}/changelog
  "scope-profiler (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
scope_run(gzip -9nf ${pages} ${doc}/changelog)

# Policy 12.5. The report page embeds d3.
function(scope_paragraphs out file)
  file(READ ${file} text)
  string(STRIP "${text}" text)
  string(REGEX REPLACE "[ \t]+\n" "\n" text "${text}")
  string(REPLACE "\n\n" "\n.\n" text "${text}")
  string(REPLACE "\n" "\n " text "${text}")
  set(${out} " ${text}\n" PARENT_SCOPE)
endfunction()
scope_paragraphs(ours ${source}/LICENSE)
scope_paragraphs(d3 ${source}/share/report/d3-licence.txt)
file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: scope-profiler

Files: *
Copyright: 2026 The scope-profiler authors
License: Expat
${ours}
Files: bin/scope-profiler
Comment: contains d3 (https://d3js.org), for the HTML report
Copyright: 2010-2016 Michael Bostock
License: BSD-3-clause
${d3}")

# Environment modules are for prefixes of their own.
file(REMOVE_RECURSE ${root}/usr/share/modulefiles)

# Dependencies are what the binaries link. (CPack's own way makes a script that calls ldconfig, for a library that nobody links.)
file(MAKE_DIRECTORY ${root}/debian)
file(WRITE ${root}/debian/control "Source: scope-profiler\n\nPackage: scope-profiler\nArchitecture: any\n")
file(GLOB binaries ${root}/usr/bin/* ${root}/usr/lib/scope-profiler/*)
scope_run(dpkg-shlibdeps -O ${binaries})
file(REMOVE_RECURSE ${root}/debian)
if(NOT output MATCHES "shlibs:Depends=([^\n]+)")
  message(FATAL_ERROR "dpkg-shlibdeps names no dependency: ${output}")
endif()
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${CMAKE_MATCH_1}")

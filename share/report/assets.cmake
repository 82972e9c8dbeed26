# The files of the HTML report, embedded into lib/render. Modules are one script: each may use what stands before it.
set(SCOPE_REPORT_DIR ${CMAKE_CURRENT_LIST_DIR})
set(modules format.js state.js theme.js tables.js tip.js grid.js heat.js matrix.js ranks.js calls.js sizes.js regions.js timeline-data.js
            timeline-picture.js timeline.js main.js)

# d3 3.x, as Debian 12 has it.
find_file(SCOPE_D3 NAMES d3.min.js PATHS /usr/share/javascript/d3 NO_DEFAULT_PATH DOC "d3.min.js, version 3")
if(NOT SCOPE_D3 OR NOT EXISTS "${SCOPE_D3}")
  message(FATAL_ERROR "d3.min.js was not found (SCOPE_D3 is \"${SCOPE_D3}\"); the HTML report is made with it. "
    "On Debian: apt-get install libjs-d3. Elsewhere: give the file of d3 version 3 with -DSCOPE_D3=/path/d3.min.js.")
endif()
file(STRINGS "${SCOPE_D3}" d3_version REGEX "version:[ ]*\"3\\." LIMIT_COUNT 1)
if(NOT d3_version)
  message(FATAL_ERROR "${SCOPE_D3} is not d3 version 3, whose functions the HTML report calls. "
    "On Debian 12: apt-get install libjs-d3. Elsewhere: give the file of d3 3.5 with -DSCOPE_D3=/path/d3.min.js.")
endif()

# scope_asset(NAME FILE...): the files one behind the other.
set(SCOPE_ASSETS "")
set(SCOPE_ASSET_FILES "")
function(scope_asset name)
  set(text "    SCOPE_BEGIN(${name})\n")
  foreach(file IN LISTS ARGN)
    string(APPEND text "    \".incbin \\\"${file}\\\"\\n\"\n")
  endforeach()
  set(SCOPE_ASSETS "${SCOPE_ASSETS}${text}    SCOPE_END(${name})\n" PARENT_SCOPE)
  set(SCOPE_ASSET_FILES ${SCOPE_ASSET_FILES} ${ARGN} PARENT_SCOPE)
endfunction()

list(TRANSFORM modules PREPEND ${SCOPE_REPORT_DIR}/)
scope_asset(page ${SCOPE_REPORT_DIR}/page.html)
scope_asset(style ${SCOPE_REPORT_DIR}/page.css)
scope_asset(script ${modules})
scope_asset(d3 ${SCOPE_D3})
scope_asset(licence ${SCOPE_REPORT_DIR}/d3-licence.txt)

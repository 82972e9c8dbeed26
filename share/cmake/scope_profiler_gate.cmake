# A gate on performance as CTest tests.
#
#   scope_profiler_add_gate(
#     NAME sim.performance
#     COMMAND mpiexec -n 4 $<TARGET_FILE:sim> --steps 100
#     BASE ${CMAKE_SOURCE_DIR}/performance/base.json    # a profile of the same command
#     BUDGET ${CMAKE_SOURCE_DIR}/performance/budget.toml
#     REPEAT 5 WARMUP 1
#     RUN_OPTIONS --tag commit=abc
#     CHECK_OPTIONS --max wall=8%
#     TIMEOUT 600)
#
# Needs BASE or BUDGET, or both. Two tests are made: NAME.profile runs COMMAND REPEAT times (5) and leaves NAME.json in the
# build directory; NAME, which needs it as a fixture, checks it and leaves NAME.xml (JUnit). To accept a new state of things,
# copy NAME.json over the base. Both are serial: nothing else of the suite runs beside them.
function(scope_profiler_add_gate)
  cmake_parse_arguments(PARSE_ARGV 0 gate "" "NAME;BASE;BUDGET;REPEAT;WARMUP;TIMEOUT" "COMMAND;RUN_OPTIONS;CHECK_OPTIONS")
  foreach(required NAME COMMAND)
    if(NOT gate_${required})
      message(FATAL_ERROR "scope_profiler_add_gate: ${required} is missing.")
    endif()
  endforeach()
  if(gate_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "scope_profiler_add_gate(${gate_NAME}): unknown arguments: ${gate_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT gate_BASE AND NOT gate_BUDGET)
    message(FATAL_ERROR "scope_profiler_add_gate(${gate_NAME}): there is nothing to check against: give BASE or BUDGET.")
  endif()
  if(NOT gate_REPEAT)
    set(gate_REPEAT 5)
  endif()
  if(NOT gate_WARMUP)
    set(gate_WARMUP 0)
  endif()
  if(NOT gate_TIMEOUT)
    set(gate_TIMEOUT 1500)
  endif()
  set(profile "${CMAKE_CURRENT_BINARY_DIR}/${gate_NAME}.json")
  set(check "")
  if(gate_BUDGET)
    list(APPEND check --budget "${gate_BUDGET}")
  endif()
  add_test(NAME ${gate_NAME}.profile
    COMMAND ${scope_profiler_EXECUTABLE} run --mpi-calls --strict --repeat ${gate_REPEAT} --warmup ${gate_WARMUP} -o "${profile}"
            ${gate_RUN_OPTIONS} -- ${gate_COMMAND})
  add_test(NAME ${gate_NAME}
    COMMAND ${scope_profiler_EXECUTABLE} check ${check} --junit "${CMAKE_CURRENT_BINARY_DIR}/${gate_NAME}.xml" ${gate_CHECK_OPTIONS}
            ${gate_BASE} "${profile}")
  set_tests_properties(${gate_NAME}.profile PROPERTIES FIXTURES_SETUP ${gate_NAME}.profile RUN_SERIAL TRUE TIMEOUT ${gate_TIMEOUT})
  set_tests_properties(${gate_NAME} PROPERTIES FIXTURES_REQUIRED ${gate_NAME}.profile RUN_SERIAL TRUE)
endfunction()

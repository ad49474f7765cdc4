# cmake -DEXPECTED=FILE -P ExpectOutput.cmake -- COMMAND ARGUMENT...
# Runs the command, which must succeed and print what FILE holds. A last line "..." in FILE stands
# for one or more further lines.

set(command "")
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(DEFINED after_dashes)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(after_dashes TRUE)
  endif()
endforeach()

execute_process(COMMAND ${command} OUTPUT_VARIABLE output RESULT_VARIABLE code)
file(READ ${EXPECTED} expected)
if(expected MATCHES "\n\\.\\.\\.\n$")
  string(REGEX REPLACE "\\.\\.\\.\n$" "" expected "${expected}")
  string(LENGTH "${expected}" length)
  string(LENGTH "${output}" whole)
  if(whole GREATER length)
    string(SUBSTRING "${output}" 0 ${length} output)
  else()
    string(APPEND expected "...\n")
  endif()
endif()
if(NOT code EQUAL 0 OR NOT output STREQUAL expected)
  message(FATAL_ERROR "exit code ${code}; printed\n${output}\nexpected\n${expected}")
endif()

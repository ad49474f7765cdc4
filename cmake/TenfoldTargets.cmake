# Compile settings shared by every target of the project, and how a unit test is declared.

add_library(tenfold_settings INTERFACE)
target_compile_features(tenfold_settings INTERFACE cxx_std_20)
# Bits must not depend on what the compiler contracts.
target_compile_options(tenfold_settings INTERFACE -ffp-contract=off -fno-math-errno)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # No AES instruction is used; saying so makes SSE4 Highway's baseline, not SSSE3 below it.
  target_compile_definitions(tenfold_settings INTERFACE HWY_DISABLE_PCLMUL_AES)
  if(TENFOLD_ONE_TARGET)
    # The baseline is AVX2 and nothing above it is compiled.
    target_compile_options(tenfold_settings INTERFACE -march=x86-64-v3)
    target_compile_definitions(tenfold_settings INTERFACE HWY_DISABLED_TARGETS=HWY_AVX3)
  else()
    target_compile_options(tenfold_settings INTERFACE -march=x86-64-v2)
  endif()
endif()
target_compile_options(tenfold_settings INTERFACE -Wall -Wextra -Wshadow -Wno-psabi)
if(TENFOLD_WARNINGS_AS_ERRORS)
  target_compile_options(tenfold_settings INTERFACE -Werror)
endif()
# Tests (their property TENFOLD_QUICKLY, see below) keep AddressSanitizer and ThreadSanitizer;
# undefined behaviour is looked for, and the fuzzer led, in the library alone.
set(not_in_tests $<NOT:$<BOOL:$<TARGET_PROPERTY:TENFOLD_QUICKLY>>>)
if(TENFOLD_SANITIZE)
  target_compile_options(tenfold_settings INTERFACE -fsanitize=${TENFOLD_SANITIZE}
    $<$<NOT:${not_in_tests}>:-fno-sanitize=undefined> -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(tenfold_settings INTERFACE -fsanitize=${TENFOLD_SANITIZE}
                      $<$<CXX_COMPILER_ID:Clang>:-fuse-ld=lld>)
endif()
if(TENFOLD_BUILD_FUZZ)
  target_compile_options(tenfold_settings INTERFACE $<${not_in_tests}:-fsanitize=fuzzer-no-link>)
endif()

# tenfold_sources(TARGET FILE...) adds source files to a target. With TENFOLD_COMPILE_TOGETHER the
# files of one call are compiled as one, since other libraries' headers take most of the time: what
# they define for themselves needs names of its own among them. The file that includes them is the
# same for every build folder, and so a compiler cache knows it.
function(tenfold_sources target)
  if(NOT TENFOLD_COMPILE_TOGETHER)
    target_sources(${target} PRIVATE ${ARGN})
    return()
  endif()
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  list(GET ARGN 0 first)
  cmake_path(GET first STEM stem)
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \"${CMAKE_CURRENT_SOURCE_DIR}/\\1\"")
  list(JOIN ARGN "\n" lines)
  set(together ${TENFOLD_COMPILE_TOGETHER}/${folder}_${stem}.cpp)
  file(CONFIGURE OUTPUT ${together} CONTENT "${lines}\n" @ONLY)
  target_sources(${target} PRIVATE ${together})
endfunction()

# tenfold_compile_quickly(NAME) is for tests: nearly all of their time is spent in the library, so
# that compiling them well costs more than it saves. Several files are compiled as one, since the
# headers take most of the time: what they define for themselves needs names of its own.
function(tenfold_compile_quickly name)
  set_target_properties(${name} PROPERTIES TENFOLD_QUICKLY ON UNITY_BUILD ON)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(TENFOLD_SANITIZE MATCHES "address")
    target_compile_options(${name} PRIVATE -fsanitize-address-outline-instrumentation)
  endif()
endfunction()

# tenfold_leave_unoptimised(NAME...) is for tests that take no time to run, under a sanitizer: to
# compile them takes a third of the time so.
function(tenfold_leave_unoptimised)
  if(TENFOLD_SANITIZE)
    foreach(name IN LISTS ARGN)
      target_compile_options(${name} PRIVATE -O0)
    endforeach()
  endif()
endfunction()

# tenfold_unit_test(NAME FILE...) builds a GoogleTest program against the library's inner objects.
function(tenfold_unit_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE tenfold_objects GTest::gtest_main)
  tenfold_compile_quickly(${name})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${name} PRIVATE -Wno-restrict)  # GCC 12 imagines it in std::string
  endif()
  if(TENFOLD_SANITIZE)
    # One process for the whole program: starting under a sanitizer is slow.
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES LABELS unit ENVIRONMENT
      "TSAN_OPTIONS=halt_on_error=1 suppressions=${PROJECT_SOURCE_DIR}/cmake/tsan.supp")
  else()
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS unit)
  endif()
endfunction()

# tenfold_thread_tests(NAME...) marks unit tests that run work on several threads: ThreadSanitizer
# runs these.
function(tenfold_thread_tests)
  if(NOT TARGET thread_tests)
    add_custom_target(thread_tests)
  endif()
  add_dependencies(thread_tests ${ARGN})
  if(TENFOLD_SANITIZE)
    set_property(TEST ${ARGN} APPEND PROPERTY LABELS threads)
  endif()
endfunction()

# tenfold_expect_output(NAME FILE COMMAND ARGUMENT...) is a test: the command succeeds and prints
# what FILE holds (cmake/ExpectOutput.cmake).
function(tenfold_expect_output name expected)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -DEXPECTED=${expected}
           -P ${PROJECT_SOURCE_DIR}/cmake/ExpectOutput.cmake -- ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS example)
endfunction()

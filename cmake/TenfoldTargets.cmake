# Compile settings shared by every target of the project.

add_library(tenfold_settings INTERFACE)
target_compile_features(tenfold_settings INTERFACE cxx_std_20)
# Bits must not depend on what the compiler contracts, and SIMD dispatch needs at least SSE4.2.
target_compile_options(tenfold_settings INTERFACE -ffp-contract=off -fno-math-errno)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(tenfold_settings INTERFACE -march=x86-64-v2)
endif()
target_compile_options(tenfold_settings INTERFACE -Wall -Wextra -Wshadow -Wno-psabi)
if(TENFOLD_WARNINGS_AS_ERRORS)
  target_compile_options(tenfold_settings INTERFACE -Werror)
endif()
if(TENFOLD_SANITIZE)
  target_compile_options(tenfold_settings INTERFACE -fsanitize=${TENFOLD_SANITIZE}
                         -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(tenfold_settings INTERFACE -fsanitize=${TENFOLD_SANITIZE})
endif()
if(TENFOLD_ONE_TARGET)
  # Sanitizer builds: leave out AVX-512, so that each kernel is compiled for AVX2 and the baseline.
  target_compile_definitions(tenfold_settings INTERFACE HWY_DISABLED_TARGETS=HWY_AVX3)
endif()

# tenfold_unit_test(NAME FILE...) builds a GoogleTest program against the library's inner objects.
function(tenfold_unit_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE tenfold_objects GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS unit)
endfunction()

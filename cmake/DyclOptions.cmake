# SPDX-License-Identifier: Apache-2.0
# Compiler settings shared by every target, and the two functions that declare our targets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# The work is in the backends: more than -O1 would only make our build slower, but where every call passes.
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

# Headers of the standard library, json, fmt and nanobind take most of the compiler's time: two dozen files at
# once take little more than one. Off where a file must be seen to stand alone (clang-tidy, preset dev).
option(DYCL_UNITY "Compile about two dozen files at once" ON)
if(DYCL_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)
endif()

find_program(DYCL_CCACHE ccache)
if(DYCL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${DYCL_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${DYCL_CCACHE})
endif()

add_library(dycl_options INTERFACE)
target_include_directories(dycl_options INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_definitions(dycl_options INTERFACE DYCL_VERSION="${PROJECT_VERSION}")
target_compile_options(dycl_options INTERFACE -Wall -Wextra -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC spends a sixth of its time on collecting its own garbage, unless it may use 1 GB first.
  target_compile_options(dycl_options INTERFACE "SHELL:--param ggc-min-expand=1000"
                                                "SHELL:--param ggc-min-heapsize=1000000")
  # In optimized builds GCC 12 warns without reason about std::string and std::optional<std::vector>.
  target_compile_options(dycl_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
else()
  # Clang says of std::stable_sort what concerns the standard library alone, and more than GCC about signs.
  target_compile_options(dycl_options INTERFACE -Wno-deprecated-declarations -Wno-sign-conversion)
endif()
if(DYCL_WARNINGS_AS_ERRORS)
  target_compile_options(dycl_options INTERFACE -Werror)
endif()
if(DYCL_SANITIZE)
  target_compile_options(dycl_options INTERFACE -fsanitize=${DYCL_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # Whoever shares a DLPack tensor declares its struct himself: one layout, two names.
    target_compile_options(dycl_options INTERFACE -fno-sanitize=function)
  endif()
  target_link_options(dycl_options INTERFACE -fsanitize=${DYCL_SANITIZE})
endif()

# dycl_library(<folder> [HOT] SOURCES a.cpp … [LINK target …]): the static library dycl_<folder>. HOT: a program's
# calls run it, so that it has more optimizations, which take half as much time again.
function(dycl_library name)
  cmake_parse_arguments(ARG "HOT" "" "SOURCES;LINK" ${ARGN})
  add_library(dycl_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(dycl_${name} PUBLIC dycl_options ${ARG_LINK})
  if(ARG_HOT)
    target_compile_options(dycl_${name} PRIVATE $<$<CONFIG:Release>:-O2>)
  endif()
endfunction()

# dycl_test(<name> SOURCES a.cpp … [LINK target …] [LABELS …]): a GoogleTest program, one ctest entry a
# test. Label "vendor": needs a vendor library, stays out of sanitizer runs. Label "tsan": is the
# thread sanitizer's business; the target tsan_tests builds exactly these.
add_custom_target(tsan_tests)
function(dycl_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/cpp)
  target_link_libraries(${name} PRIVATE dycl_options ${ARG_LINK} GTest::gmock GTest::gtest_main)
  if(DYCL_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)  # what is tested is optimized; the tests compile in half the time
  endif()
  set(properties TIMEOUT 300)
  if(ARG_LABELS)
    list(APPEND properties LABELS "${ARG_LABELS}")
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
  if("tsan" IN_LIST ARG_LABELS)
    add_dependencies(tsan_tests ${name})
  endif()
endfunction()

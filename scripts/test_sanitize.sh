#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# C++ tests under asan+ubsan, those with the label "tsan" under tsan, and a short run of each fuzzer.
# Vendor libraries are not instrumented: tests with the label "vendor" or "conformance" stay out.
source "$(dirname "$0")/common.sh"
source scripts/stages.sh

seconds_each=${FUZZ_SECONDS:-20}
# A child that dies of SIGSEGV must be seen to die of it: the probe's tests ask for that.
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:allocator_may_return_null=1:handle_segv=0
export UBSAN_OPTIONS=print_stacktrace=1
export ASAN_SYMBOLIZER_PATH=/usr/bin/llvm-symbolizer-19
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1

sanitized_tests() {
  local preset=$1
  shift
  cmake --preset "$preset" >/dev/null || return 1
  # tsan_tests, where it exists, spares building what the label leaves out.
  local targets=(all)
  [[ $preset == tsan ]] && ninja -C build/tsan -t query tsan_tests >/dev/null 2>&1 && targets=(tsan_tests)
  cmake --build "build/$preset" --target "${targets[@]}" || return 1
  ctest --test-dir "build/$preset" --output-on-failure --parallel "$jobs" --no-tests=error "$@"
}

# The extension module runs inside of a CPython and a torch that are not instrumented: the sanitizer's library is
# loaded before them, and what they leave at their end is not judged. Its package is the installed one, with the
# module in its place. Under the sanitizer's loader torch does not find its own cuDNN, and asking for its version
# ends the process, without a line of ours: that program runs in make test only.
extension_tests() {
  local site=build/asan/site
  rm -rf "$site"
  mkdir -p "$site"
  cp -rs "$("$venv/bin/python" -c 'import dycl; print(dycl.__path__[0])')" "$site/dycl" || return 1
  cp --remove-destination build/asan/python/dycl/_core*.so "$site/dycl/" || return 1
  LD_PRELOAD=$(clang++-19 -print-file-name=libclang_rt.asan-x86_64.so) \
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 PYTHONPATH=$site PYTHONMALLOC=malloc \
    "$venv/bin/python" -m pytest -q -p no:cacheprovider --numprocesses "$jobs" tests/python/import_python \
    tests/python/partial_eval tests/python/torch/test_programs.py tests/python/torch/test_refusals.py \
    --deselect 'tests/python/torch/test_programs.py::test_a_compiled_program_equals_eager_on_every_path[published.backends_of_torch]'
}

scripts/setup_debian.sh build test sanitize
scripts/build.sh
stage "address and undefined behaviour" sanitized_tests asan -LE 'vendor|conformance'
stage "the extension module" extension_tests
stage "threads" sanitized_tests tsan -L tsan
export FUZZ_SEED=${FUZZ_SEED:-1}  # the same inputs for everybody; make fuzz looks for new ones
stage "fuzzing, $seconds_each s each" scripts/fuzz.sh "$seconds_each"
finish "make test-sanitize"

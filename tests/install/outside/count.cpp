// SPDX-License-Identifier: Apache-2.0
// Runs the package of make_package.cpp: adds `step` to `x` while x < limit.
#include <dycl/dycl.hpp>

#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

int failures = 0;

void expect(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

std::vector<dycl::Value> inputs(const std::int64_t& x, const std::int64_t& step, const std::int64_t& limit) {
  std::vector<dycl::Value> values;
  values.push_back(dycl::Value::borrow(&x, {1}));
  values.push_back(dycl::Value::borrow(&step, {1}));
  values.push_back(dycl::Value::own(std::vector<std::int64_t>{limit}, {1}));
  return values;
}

void run_paths(const dycl::Program& program) {
  dycl::Session session(program);
  const std::int64_t x = 0;
  const std::int64_t step = 7;
  std::vector<dycl::Value> outputs;
  for (const std::int64_t limit : {0, 1, 20, 700}) {
    session.run(inputs(x, step, limit), outputs);
    const std::int64_t trips = (limit + step - 1) / step;
    expect(outputs[0].dims() == dycl::Dims{1}, "the result has one element");
    expect(*outputs[0].data<std::int64_t>() == trips * step, "the loop stops at the limit");
    expect(outputs[1].size() == static_cast<std::size_t>(trips), "the history has one entry a trip");
    if (trips > 0) expect(*outputs[1].at(0).data<std::int64_t>() == step, "the history starts with one step");
  }
}

void expect_errors(dycl::Runtime& runtime, const dycl::Program& program) {
  dycl::Session session(program);
  const float wrong = 1;
  std::vector<dycl::Value> values;
  for (int index = 0; index < 3; ++index) values.push_back(dycl::Value::borrow(&wrong, {1}));
  try {
    session.run(values);
    expect(false, "a wrong dtype is an error");
  } catch (const dycl::Error& error) {
    expect(error.code() == "run.input_dtype", "the error has its code");
    expect(error.blame() == DYCL_BLAME_USAGE, "the error says who can mend it");
  }
  try {
    const std::int64_t zero = 0;
    const std::int64_t limit = 1;
    session.run(inputs(zero, zero, limit));  // a step of zero never gets there
    expect(false, "the step limit ends a loop");
  } catch (const dycl::Error& error) {
    expect(error.code() == "run.step_limit", "an endless loop is stopped");
  }
  try {
    runtime.load("no/such/file.dycl");
    expect(false, "a missing file is an error");
  } catch (const dycl::Error&) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    dycl::RuntimeOptions options;
    options.plugin_folders = {argv[2]};
    dycl::Runtime runtime(options);
    dycl::LoadOptions load;
    load.step_limit = 10000;
    const dycl::Program program = runtime.load(argv[1], load);
    expect(std::string(program.input(2).name) == "limit", "inputs have names");
    expect(program.input(0).rank == 1 && program.input(0).dims[0] == 1, "inputs have sizes");
    // The model begins with an empty sequence, whose elements the compiler knows less about.
    const std::string type = program.output(1).type;
    expect(type == "seq<i64[1]>" || type == "seq<i64[*]>", "outputs have types");
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index) threads.emplace_back([&] { run_paths(program); });
    for (std::thread& thread : threads) thread.join();
    expect_errors(runtime, program);
  } catch (const dycl::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return failures == 0 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// emitted PACKAGE PLUGIN_FOLDER VENDOR_FOLDER ROUNDS REPEATS: the emitted program `net` against the runtime
// that walks the plan of the same package, one thread, interleaved. Prints the median nanoseconds of a run of
// each.
#include <dycl/dycl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "net.h"

namespace {

using Clock = std::chrono::steady_clock;

template <class Run>
double nanoseconds(int repeats, const Run& run) {
  const auto start = Clock::now();
  for (int repeat = 0; repeat < repeats; ++repeat) run();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / repeats;
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s: %s\n", what, net_last_error().text);
  std::exit(1);
}

void require(dycl_status* status) {
  if (status == nullptr) return;
  std::fprintf(stderr, "%s\n", dycl_status_text(status));
  std::exit(1);
}

// One value of ones per input, which every model of the zoo takes here.
struct Inputs {
  explicit Inputs(const dycl_program* program) {
    for (std::size_t index = 0; index < dycl_program_input_count(program); ++index) {
      const dycl_port& port = *dycl_program_input(program, index);
      std::size_t count = 1;
      for (std::int32_t axis = 0; axis < port.rank; ++axis)
        count *= static_cast<std::size_t>(port.dims[axis]);
      const std::size_t bytes = count * (port.dtype == DYCL_F32 ? 4 : 8);
      memory.emplace_back(bytes);
      for (std::size_t element = 0; element < count; ++element) {
        const float real = 0.1F;
        const std::int64_t whole = 1;
        if (port.dtype == DYCL_F32) std::memcpy(memory.back().data() + 4 * element, &real, 4);
        if (port.dtype == DYCL_I64) std::memcpy(memory.back().data() + 8 * element, &whole, 8);
      }
      dycl_value* value = nullptr;
      require(dycl_value_borrow(port.dtype, port.dims, static_cast<std::size_t>(port.rank),
                                memory.back().data(), bytes, &value));
      values.push_back(value);
      views.push_back({"", port.dtype, port.rank, port.dims, memory.back().data(), bytes, nullptr, 0});
    }
  }
  std::vector<std::vector<char>> memory;
  std::vector<const dycl_value*> values;
  std::vector<net_view> views;
};

}  // namespace

int main(int, char** arguments) {
  const char* plugins[] = {arguments[2]};
  const char* vendors[] = {arguments[3]};
  const int rounds = std::atoi(arguments[4]);
  const int repeats = std::atoi(arguments[5]);

  const dycl_runtime_options options{sizeof options, 1, plugins, 1, vendors, 1};
  dycl_runtime* runtime = nullptr;
  dycl_program* program = nullptr;
  dycl_session* session = nullptr;
  require(dycl_runtime_create(&options, &runtime));
  require(dycl_program_load(runtime, arguments[1], nullptr, &program));
  require(dycl_session_create(program, &session));
  const Inputs inputs(program);

  net_options settings{};
  settings.struct_size = sizeof settings;
  settings.threads = 1;
  settings.plugin_folders = plugins;
  settings.plugin_folder_count = 1;
  settings.vendor_folders = vendors;
  settings.vendor_folder_count = 1;
  net_program* net = nullptr;
  net_session* emitted = nullptr;
  net_result result{};
  require(net_open(arguments[1], &settings, &net) == NET_OK, "open");
  require(net_session_create(net, &emitted) == NET_OK, "session");

  const auto walk = [&] {
    require(dycl_session_run_kept(session, inputs.values.data(), inputs.values.size()));
  };
  const auto run = [&] {
    require(net_run_views(emitted, inputs.views.data(), inputs.views.size(), &result) == NET_OK, "run");
  };
  for (int warm = 0; warm < 3; ++warm) walk(), run();
  std::vector<double> walked;
  std::vector<double> ran;
  for (int round = 0; round < rounds; ++round) {
    walked.push_back(nanoseconds(repeats, walk));
    ran.push_back(nanoseconds(repeats, run));
  }
  std::printf("{\"walked_ns\": %.0f, \"emitted_ns\": %.0f}\n", median(walked), median(ran));
  return 0;
}

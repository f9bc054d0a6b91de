// SPDX-License-Identifier: Apache-2.0
// lib/dycl-run of a bundle, which its `run` starts: runs the package of the bundle. It is a client of libdycl
// like any other, so that a bundle that runs is one that an application can link.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <dycl/dycl.hpp>
#include <set>

#include "base/scalar.h"
#include "cli/element_text.h"
#include "cli/tensor_argument.h"

namespace {

using dycl::cli::ArgumentList;
using dycl::cli::ArgumentValue;

struct Arguments {
  std::string folder;
  std::vector<std::string> inputs;
  int repeat = 1;
  int threads = 0;
  bool structure = false;
};

// A mistake of whoever called the program.
struct UsageProblem {
  std::string text;
};

template <class T>
T value_of(dycl::Result<T> result) {
  if (!result) throw UsageProblem{dycl::to_string(result.error())};
  return std::move(*result);
}

dycl::Value value_of_tensor(const dycl::TensorData& tensor, const dycl_port& port) {
  const auto* data = tensor.bytes.data();
  if (tensor.dims.empty() && port.kind == DYCL_SCALAR_INT && tensor.dtype == dycl::DType::I64)
    return dycl::Value::of_int(*reinterpret_cast<const std::int64_t*>(data));
  if (tensor.dims.empty() && port.kind == DYCL_SCALAR_FLOAT && tensor.dtype == dycl::DType::F64)
    return dycl::Value::of_float(*reinterpret_cast<const double*>(data));
  if (tensor.dims.empty() && port.kind == DYCL_SCALAR_BOOL && tensor.dtype == dycl::DType::Bool)
    return dycl::Value::of_bool(*reinterpret_cast<const bool*>(data));
  if (tensor.dtype == dycl::DType::String)
    return dycl::Value::strings(value_of(dycl::strings_of(tensor)), tensor.dims);
  return dycl::Value::borrow(static_cast<dycl_dtype>(tensor.dtype), data, tensor.bytes.size(), tensor.dims);
}

dycl::Value value_of_argument(const ArgumentValue& argument, const dycl_port& port) {
  if (const auto* tensor = std::get_if<dycl::TensorData>(&argument)) return value_of_tensor(*tensor, port);
  const auto* list = std::get_if<ArgumentList>(&argument);
  if (list == nullptr) return {};
  std::vector<dycl::Value> items;
  for (const ArgumentValue& item : *list) items.push_back(value_of_argument(item, port));
  return dycl::Value::sequence(items);
}

std::string signature(const dycl::Program& program) {
  std::string text;
  for (std::size_t index = 0; index < program.input_count(); ++index)
    text +=
        std::string(index == 0 ? "" : ", ") + program.input(index).name + ": " + program.input(index).type;
  return text.empty() ? "the program takes no inputs" : "the program takes " + text;
}

bool takes(const dycl::Program& program, const std::string& name) {
  for (std::size_t index = 0; index < program.input_count(); ++index)
    if (program.input(index).name == name) return true;
  return false;
}

void check_names(const dycl::Program& program, const std::vector<dycl::cli::TensorArgument>& given) {
  std::set<std::string> seen;
  for (const dycl::cli::TensorArgument& argument : given) {
    if (!takes(program, argument.name))
      throw UsageProblem{"there is no input '" + argument.name +
                         "' [run.unknown_input]\n  hint: " + signature(program)};
    if (!seen.insert(argument.name).second)
      throw UsageProblem{"the input '" + argument.name + "' is given twice [run.input_twice]"};
  }
}

// The program's inputs, in order. `given` owns the memory of the tensors.
std::vector<dycl::Value> inputs_of(const dycl::Program& program,
                                   const std::vector<dycl::cli::TensorArgument>& given) {
  check_names(program, given);
  std::vector<dycl::Value> values;
  for (std::size_t index = 0; index < program.input_count(); ++index) {
    const dycl_port& port = program.input(index);
    const auto found = std::ranges::find(given, port.name, &dycl::cli::TensorArgument::name);
    if (found == given.end() && port.optional == 0)
      throw UsageProblem{std::string("the input '") + port.name +
                         "' is missing [run.input_missing]\n  hint: " + signature(program)};
    values.push_back(found == given.end() ? dycl::Value() : value_of_argument(found->value, port));
  }
  return values;
}

std::string text_of(const dycl::Value& value) {
  const char* text = nullptr;
  std::size_t length = 0;
  dycl::detail::check(dycl_value_get_text(value.get(), &text, &length));
  return {text, length};
}

void print(const std::string& name, const dycl::Value& value, const std::string& indent = "") {
  std::string text = "none";
  switch (value.kind()) {
    case DYCL_TENSOR: {
      const dycl_tensor_view view = value.tensor();
      const auto* bytes = static_cast<const std::byte*>(view.data);
      text = dycl::cli::tensor_text(dycl::make_tensor(static_cast<dycl::DType>(view.dtype), value.dims(),
                                                      {bytes, bytes + view.byte_size}));
      break;
    }
    case DYCL_SCALAR_BOOL: text = dycl::repr(dycl::Scalar(value.as_bool())); break;
    case DYCL_SCALAR_INT: text = dycl::repr(dycl::Scalar(value.as_int())); break;
    case DYCL_SCALAR_FLOAT: text = dycl::repr(dycl::Scalar(value.as_float())); break;
    case DYCL_TEXT: text = '"' + text_of(value) + '"'; break;
    case DYCL_SEQUENCE: text = "sequence of " + std::to_string(value.size()); break;
    case DYCL_NONE: break;
  }
  std::printf("%s%s: %s\n", indent.c_str(), name.c_str(), text.c_str());
  if (value.kind() != DYCL_SEQUENCE) return;
  for (std::size_t index = 0; index < value.size(); ++index)
    print(name + "." + std::to_string(index), value.at(index), indent + "  ");
}

void run(const Arguments& arguments) {
  dycl::RuntimeOptions options;
  options.threads = arguments.threads;
  options.plugin_folders = {arguments.folder + "/lib"};
  options.vendor_folders = {arguments.folder + "/lib"};
  dycl::Runtime runtime(options);
  dycl::LoadOptions load;
  load.allow_native = true;  // whoever starts the bundle runs its machine code anyway
  const dycl::Program program = runtime.load(arguments.folder + "/model.dycl", load);
  std::vector<dycl::cli::TensorArgument> given;
  for (const std::string& text : arguments.inputs)
    given.push_back(value_of(dycl::cli::parse_tensor_argument(text)));
  const std::vector<dycl::Value> inputs = inputs_of(program, given);
  dycl::Session session(program);
  std::vector<dycl::Output> outputs = session.run_named(inputs);
  std::vector<double> seconds;
  for (int round = 0; arguments.repeat > 1 && round < arguments.repeat; ++round) {
    const auto start = std::chrono::steady_clock::now();
    outputs = session.run_named(inputs);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  for (const dycl::Output& output : outputs) print(output.name, output.value);
  if (arguments.structure) std::printf("structure: %s\n", session.structure().c_str());
  if (seconds.empty()) return;
  std::ranges::sort(seconds);
  std::fprintf(stderr, "%zu runs: median %.3f ms\n", seconds.size(), seconds[seconds.size() / 2] * 1e3);
}

}  // namespace

int main(int count, char** words) {
  Arguments arguments;
  CLI::App app("Runs the package of this bundle");
  app.name("run");
  app.add_option("folder", arguments.folder)->required()->group("");
  app.add_option("--input", arguments.inputs,
                 "Give one input: x=1x3x32x32xf32 (zeros), v=3xf32=1,2,3, n=i64=5, x=@x.npy, o=none")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--repeat", arguments.repeat, "Run N times after a warm-up and print the median time")
      ->check(CLI::Range(1, 1'000'000'000))
      ->type_name("N");
  app.add_flag("--structure", arguments.structure,
               "Print also the structure of the result as JSON, with its constants");
  app.add_option("--threads", arguments.threads, "How many threads all backends share; 0: one per core")
      ->check(CLI::Range(0, 4096));
  try {
    app.parse(count, words);
    run(arguments);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& problem) {
    std::fprintf(stderr, "error: %s [argument.parse]\n  hint: run --help\n", problem.what());
    return 2;
  } catch (const UsageProblem& problem) {
    std::fprintf(stderr, "error: %s\n", problem.text.c_str());
    return 2;
  } catch (const dycl::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return dycl::exit_code(static_cast<dycl::Blame>(error.blame()));
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "emit/project_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/tensor_data.h"
#include "emit/program_text.h"
#include "emit/slots.h"

namespace dycl::emit {
namespace {

// {0}: the program's name
constexpr const char* kBuild = R"(# Written by dycl emit.
cmake_minimum_required(VERSION 3.16)
project({0} LANGUAGES C CXX)

# libdycl loads the compiled sub-DNNs. Say where it is installed with -DCMAKE_PREFIX_PATH.
find_package(dycl REQUIRED)

# -DBUILD_SHARED_LIBS=ON makes a shared library.
add_library({0} src/{0}.cpp)
target_include_directories({0} PUBLIC include PRIVATE support)
target_compile_features({0} PUBLIC cxx_std_17)
set_target_properties({0} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
# Numbers are Python's: no multiplication may be joined with an addition.
target_compile_options({0} PRIVATE -Wall -Wextra -ffp-contract=off)
target_link_libraries({0} PRIVATE dycl::dycl)

add_executable({0}_example example/main.c)
target_link_libraries({0}_example PRIVATE {0})
)";

constexpr const char* kReadme = R"(# {0}

Written by `dycl emit` from a model that branches or loops on its own values. The program in `src/{0}.cpp` is the
model's control flow as C++; the tensors are computed by the sub-DNNs in `{0}.dycl`, which it loads through libdycl.

```sh
cmake -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=<where dycl is installed>
cmake --build build
build/{0}_example {0}.dycl <folder with the vendor libraries, such as a site-packages>
```

| file | what it is |
|---|---|
| `include/{0}.h` | the C interface: one function runs the model |
| `include/{0}.hpp` | the same as a C++ class, which throws |
| `src/{0}.cpp` | the program, with the lines of the model in comments |
| `support/` | what the program is built with: rules of Python's numbers, memory, errors |
| `{0}.dycl` | binary: the compiled sub-DNNs and all weights |

The source is yours: change it, move it, check it in. It needs libdycl ({1}) at run time, with the plugins and vendor
libraries of {2}; and the package must be the one that it was written from (it is refused otherwise).

Memory: {3} bytes per session hold the tensors whose sizes are known now; where they lie was planned when this was
written. Tensors whose sizes are known only in a run, and lists, get memory of a pool that the session keeps.
)";

// Gives the example something to run on: zeros, and sizes of 1.
std::string example_argument(const Parameter& parameter, const PlanPort* port, const ProgramParts& parts,
                             std::string& declarations) {
  if (port == nullptr) return "1";  // a size
  if (const ScalarType* scalar = port->type.scalar()) return scalar->kind == ScalarKind::Bool ? "false" : "0";
  const TensorType* tensor = port->type.tensor();
  if (tensor == nullptr || !tensor->dims) {
    declarations += fmt::format("  static {}_view {}; /* {}: fill it in */\n", parts.name, parameter.name,
                                parameter.note);
    return "&" + parameter.name;
  }
  std::int64_t count = 1;
  for (const Dim& dim : *tensor->dims) {
    std::int64_t size = dim.constant;
    for (const auto& [symbol, factor] : dim.terms) size += factor;
    count *= std::max<std::int64_t>(1, size);
  }
  const std::string type = element_type(tensor->dtype);
  declarations += fmt::format("  static {} {}[{}]; /* {} */\n", type == "void" ? "unsigned char" : type,
                              parameter.name, count, parameter.note);
  return parameter.name;
}

}  // namespace

std::string build_text(const ProgramParts& parts) { return fmt::format(fmt::runtime(kBuild), parts.name); }

std::string readme_text(const ProgramParts& parts) {
  std::set<std::string> backends;
  for (const PlanSubnet& subnet : parts.plan.subnets) backends.insert(subnet.backend);
  const std::string used = backends.empty() ? "no backend" : fmt::format("{}", fmt::join(backends, " and "));
  return fmt::format(fmt::runtime(kReadme), parts.name, parts.artifact.producer, used,
                     parts.memory.arena_bytes);
}

std::string example_text(const ProgramParts& parts) {
  std::string declarations;
  std::string arguments;
  for (const Parameter& parameter : parameters_of(parts)) {
    const std::vector<const PlanPort*> ports = given_inputs(parts.plan);
    const auto found = std::ranges::find_if(
        ports, [&](const PlanPort* port) { return parts.names[port->slot] == parameter.name; });
    arguments +=
        example_argument(parameter, found == ports.end() ? nullptr : *found, parts, declarations) + ", ";
  }
  return fmt::format(
      "/* Written by dycl emit: runs the model once on zeros and lists what it returns. */\n"
      "#include <stdio.h>\n\n#include \"{0}.h\"\n\n"
      "static int complain(void) {{\n  fprintf(stderr, \"%s\\n\", {0}_last_error().text);\n  return "
      "1;\n}}\n\n"
      "/* {0}_example [PACKAGE [FOLDER]]: the folder has the vendor libraries, such as a site-packages. */\n"
      "int main(int argc, char** argv) {{\n"
      "  const char* package = argc > 1 ? argv[1] : \"{0}.dycl\";\n"
      "  const char* vendors[1] = {{argc > 2 ? argv[2] : \"\"}};\n"
      "  {0}_options options = {{0}};\n{1}"
      "  {0}_program* program = NULL;\n  {0}_session* session = NULL;\n  {0}_result result;\n"
      "  {0}_view views[64];\n  size_t count;\n  size_t index;\n"
      "  options.struct_size = sizeof(options);\n  options.vendor_folders = vendors;\n  "
      "options.vendor_folder_count = argc > 2 ? 1 : 0;\n"
      "  if ({0}_open(package, &options, &program) != 0) return complain();\n"
      "  if ({0}_session_create(program, &session) != 0) return complain();\n"
      "  if ({0}_run(session, {2}&result) != 0) return complain();\n"
      "  count = {0}_list(&result, views, 64);\n"
      "  for (index = 0; index < count && index < 64; ++index)\n"
      "    printf(\"%s: %zu bytes\\n\", views[index].name, views[index].byte_size);\n"
      "  {0}_session_free(session);\n  {0}_close(program);\n  return 0;\n}}\n",
      parts.name, declarations, arguments);
}

std::string class_text(const ProgramParts& parts) {
  std::string parameters;
  std::string arguments;
  for (const Parameter& parameter : parameters_of(parts)) {
    parameters += (parameters.empty() ? "" : ", ") + parameter.text;
    arguments += parameter.name + ", ";
  }
  return fmt::format(
      "// Written by dycl emit: {0}.h as a C++ class.\n#pragma once\n\n#include <memory>\n#include "
      "<stdexcept>\n"
      "#include <string>\n\n#include \"{0}.h\"\n\nnamespace {0} {{\n\n"
      "// Is thrown where a function of {0}.h fails.\n"
      "struct Error : std::runtime_error {{\n"
      "  explicit Error(const {0}_error& error)\n"
      "      : std::runtime_error(error.text), code(error.code), reason(error.reason), "
      "exception(error.exception) {{}}\n"
      "  {0}_code code;\n  std::string reason;\n  std::string exception;  // the type of the model's "
      "exception, or empty\n}};\n\n"
      "inline void check({0}_code code) {{\n  if (code != 0) throw Error({0}_last_error());\n}}\n\n"
      "// The loaded model. Sessions of any thread share it.\n"
      "class Program {{\n public:\n"
      "  explicit Program(const std::string& package, const {0}_options* options = nullptr) {{\n"
      "    {0}_program* program = nullptr;\n    check({0}_open(package.c_str(), options, &program));\n"
      "    handle_.reset(program);\n  }}\n"
      "  const {0}_program* get() const {{ return handle_.get(); }}\n\n"
      " private:\n  struct Close {{\n    void operator()({0}_program* program) const {{ {0}_close(program); "
      "}}\n  }};\n"
      "  std::unique_ptr<{0}_program, Close> handle_;\n}};\n\n"
      "// What one thread needs to run it.\n"
      "class Session {{\n public:\n  explicit Session(const Program& program) {{\n"
      "    {0}_session* session = nullptr;\n    check({0}_session_create(program.get(), &session));\n"
      "    handle_.reset(session);\n  }}\n\n"
      "  // The result's tensors live until the next run.\n"
      "  {0}_result run({1}) {{\n    {0}_result result;\n    check({0}_run(handle_.get(), {2}&result));\n"
      "    return result;\n  }}\n"
      "  {0}_session* get() const {{ return handle_.get(); }}\n\n"
      " private:\n  struct Free {{\n    void operator()({0}_session* session) const {{ "
      "{0}_session_free(session); }}\n  }};\n"
      "  std::unique_ptr<{0}_session, Free> handle_;\n}};\n\n}}  // namespace {0}\n",
      parts.name, parameters, arguments);
}

}  // namespace dycl::emit

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
project({0} LANGUAGES C CXX{1})

# libdycl loads the compiled sub-DNNs. Say where it is installed with -DCMAKE_PREFIX_PATH.
find_package(dycl REQUIRED)

# -DBUILD_SHARED_LIBS=ON makes a shared library.
add_library({0} src/{0}.cpp{2})
target_include_directories({0} PUBLIC include PRIVATE support)
target_compile_features({0} PUBLIC cxx_std_17)
set_target_properties({0} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
# Numbers are Python's: no multiplication may be joined with an addition.
target_compile_options({0} PRIVATE -Wall -Wextra -ffp-contract=off)
# The work is in the sub-DNNs: more optimization would only take longer, a minute more for thousands of branches.
target_compile_options({0} PRIVATE $<$<CONFIG:Release>:-O1>)
target_link_libraries({0} PRIVATE dycl::dycl)

add_executable({0}_example example/main.c)
target_link_libraries({0}_example PRIVATE {0})

# Runs that were recorded when this was written. -DVENDORS names the folder of the vendor libraries.
set(VENDORS "" CACHE PATH "Folder with the vendor libraries, such as a site-packages")
if(EXISTS ${{CMAKE_CURRENT_SOURCE_DIR}}/test/recorded.bin)
  enable_testing()
  add_executable({0}_test test/main.cpp)
  target_include_directories({0}_test PRIVATE support)
  target_compile_features({0}_test PRIVATE cxx_std_17)
  target_link_libraries({0}_test PRIVATE {0})
  add_test(NAME {0} COMMAND {0}_test ${{CMAKE_CURRENT_SOURCE_DIR}}/{0}.dycl
    ${{CMAKE_CURRENT_SOURCE_DIR}}/test/recorded.bin ${{VENDORS}})
endif()
)";

constexpr const char* kPackage =
    R"(/* Written by dycl emit: the package as bytes of the program. PACKAGE is its file. */
#if defined(__ELF__)
  .section .rodata
  .balign 64
  .global {0}_package
  .hidden {0}_package
{0}_package:
  .incbin PACKAGE
  .global {0}_package_end
  .hidden {0}_package_end
{0}_package_end:
  .byte 0
  .section .note.GNU-stack,"",%progbits
#else
#error "a package is embedded in ELF objects only"
#endif
)";

constexpr const char* kTest =
    R"(// Written by dycl emit: {0}_test PACKAGE RECORDED [FOLDER] compares runs with those that were recorded.
#include <cstdio>
#include <string>
#include <vector>

#include "{0}.h"
#include "emitted/recorded.h"

namespace {{

struct Net {{
  {0}_session* session = nullptr;
  {0}_result result{{}};

  int run(const std::vector<{0}_view>& inputs) {{
    return {0}_run_views(session, inputs.data(), inputs.size(), &result);
  }}
  std::vector<{0}_view> list() const {{
    std::vector<{0}_view> views({0}_list(&result, nullptr, 0));
    {0}_list(&result, views.data(), views.size());
    return views;
  }}
  static std::string exception() {{ return {0}_last_error().exception; }}
  static std::string message() {{ return {0}_last_error().message; }}
}};

int complain() {{
  std::fprintf(stderr, "%s\n", {0}_last_error().text);
  return 1;
}}

}}  // namespace

int main(int count, char** arguments) {{
  if (count < 3) return 2;
  const char* vendors[1] = {{count > 3 ? arguments[3] : ""}};
  {0}_options options{{}};
  options.struct_size = sizeof options;
  options.allow_native = 1;
  options.vendor_folders = vendors;
  options.vendor_folder_count = count > 3 ? 1 : 0;
  {0}_program* program = nullptr;
  Net net;
  if ({0}_open(arguments[1], &options, &program) != 0) return complain();
  if ({0}_session_create(program, &net.session) != 0) return complain();
  {0}_support::emitted::RecordedFile<{0}_view> file(arguments[2]);
  const int different = file.is_open() ? {0}_support::emitted::count_differences(net, file) : 1;
  {0}_session_free(net.session);
  {0}_close(program);
  return different == 0 ? 0 : 1;
}}
)";

// {1}: inputs, {2}: their names, {3}: the package
constexpr const char* kExample =
    R"(/* Written by dycl emit: runs the model once on zeros and lists what it returns. */
#include <stdio.h>

#include "{0}.h"

static {0}_code run_once({0}_session* session, {0}_result* result) {{
{1}  return {0}_run(session, {2}result);
}}

static int complain(void) {{
  fprintf(stderr, "%s\n", {0}_last_error().text);
  return 1;
}}

/* {0}_example [PACKAGE [FOLDER]]: the folder has the vendor libraries, such as a site-packages. */
int main(int argc, char** argv) {{
  const char* package = argc > 1 ? argv[1] : {3};
  const char* vendors[1] = {{argc > 2 ? argv[2] : ""}};
  {0}_options options = {{0}};
  {0}_program* program = NULL;
  {0}_session* session = NULL;
  {0}_result result;
  {0}_view views[64];
  size_t count;
  size_t index;
  options.struct_size = sizeof(options);
  options.vendor_folders = vendors;
  options.vendor_folder_count = argc > 2 ? 1 : 0;
  if ({0}_open(package, &options, &program) != 0) return complain();
  if ({0}_session_create(program, &session) != 0) return complain();
  if (run_once(session, &result) != 0) return complain();
  count = {0}_list(&result, views, 64);
  for (index = 0; index < count && index < 64; ++index)
    printf("%s: %zu bytes\n", views[index].name, views[index].byte_size);
  {0}_session_free(session);
  {0}_close(program);
  return 0;
}}
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
| `test/` | compares runs with those that were recorded when this was written (`ctest --test-dir build`) |
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

std::string build_text(const ProgramParts& parts) {
  if (!parts.embed) return fmt::format(fmt::runtime(kBuild), parts.name, "", "");
  return fmt::format(fmt::runtime(kBuild), parts.name, " ASM", " src/package.S") + fmt::format(R"(
set_source_files_properties(src/package.S PROPERTIES
  COMPILE_DEFINITIONS "PACKAGE=\"${{CMAKE_CURRENT_SOURCE_DIR}}/{0}.dycl\""
  OBJECT_DEPENDS ${{CMAKE_CURRENT_SOURCE_DIR}}/{0}.dycl)
)",
                                                                                               parts.name);
}

std::string readme_text(const ProgramParts& parts) {
  std::set<std::string> backends;
  for (const PlanSubnet& subnet : parts.plan.subnets) backends.insert(subnet.backend);
  const std::string used = backends.empty() ? "no backend" : fmt::format("{}", fmt::join(backends, " and "));
  return fmt::format(fmt::runtime(kReadme), parts.name, comment_text(parts.artifact.producer), used,
                     parts.memory.arena_bytes);
}

std::string package_text(const ProgramParts& parts) {
  return fmt::format(fmt::runtime(kPackage), parts.name);
}

std::string test_text(const ProgramParts& parts) { return fmt::format(fmt::runtime(kTest), parts.name); }

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
  return fmt::format(fmt::runtime(kExample), parts.name, declarations, arguments,
                     parts.embed ? "NULL" : "\"" + parts.name + ".dycl\"");
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

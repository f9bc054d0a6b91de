// SPDX-License-Identifier: Apache-2.0
// What is written on the command line, read as the native command reads it.
#include "arguments.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "backend/discovery.h"
#include "base/dim_range.h"
#include "cli/tensor_argument.h"
#include "errors.h"
#include "package/package_file.h"
#include "values.h"

namespace dycl::python {
namespace {

namespace nb = nanobind;

nb::object value_of(const cli::ArgumentValue& argument) {
  if (const auto* tensor = std::get_if<TensorData>(&argument))
    return to_python(
        value_or_throw(runtime::RuntimeTensor::share(std::make_shared<const TensorData>(*tensor))));
  const auto* items = std::get_if<cli::ArgumentList>(&argument);
  if (items == nullptr) return nb::none();
  nb::list list;
  for (const cli::ArgumentValue& item : *items) list.append(value_of(item));
  return list;
}

nb::tuple parse_tensor_argument(const std::string& text) {
  const cli::TensorArgument argument = value_or_throw(cli::parse_tensor_argument(text));
  return nb::make_tuple(argument.name, value_of(argument.value));
}

std::pair<std::int64_t, std::int64_t> parse_dim(const std::string& text) {
  const DimRange range = value_or_throw(parse_dim_range(text));
  return {range.smallest, range.largest};
}

std::map<std::string, std::filesystem::path> parse_libraries(
    const std::vector<std::string>& options, const std::vector<std::filesystem::path>& plugins) {
  return value_or_throw(dycl::parse_libraries(options, {plugins, {}}));
}

}  // namespace

void init_arguments(nb::module_& module) {
  module.def("parse_tensor_argument", &parse_tensor_argument, nb::arg("text"));
  module.def("parse_dim_range", &parse_dim, nb::arg("text"));
  module.def("parse_libraries", &parse_libraries, nb::arg("options"), nb::arg("plugins"));
  module.def(
      "check_package_place",
      [](const std::filesystem::path& path) { value_or_throw(dycl::check_package_place(path)); },
      nb::arg("path"));
  module.def("exit_code", &exit_code_of, nb::arg("blame"));
}

}  // namespace dycl::python

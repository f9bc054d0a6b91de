// SPDX-License-Identifier: Apache-2.0
#include "cli/program_outputs.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/overloaded.h"
#include "cli/element_text.h"

namespace dycl::cli {
namespace {

TensorData scalar_tensor(const Scalar& scalar) {
  return std::visit(
      Overloaded{[](bool value) { return make_tensor(DType::Bool, {}, {std::byte{value}}); },
                 [](std::int64_t value) {
                   return make_tensor_of<std::int64_t>(DType::I64, {}, std::span(&value, 1));
                 },
                 [](double value) { return make_tensor_of<double>(DType::F64, {}, std::span(&value, 1)); }},
      scalar);
}

}  // namespace

std::string value_text(std::string_view name, const runtime::RuntimeValue& value) {
  if (const runtime::RuntimeTensor* tensor = value.tensor())
    return fmt::format("{}: {}\n", name, tensor_text(runtime::to_tensor_data(*tensor)));
  if (const Scalar* scalar = value.scalar()) return fmt::format("{}: {}\n", name, repr(*scalar));
  if (const std::string* text = value.text()) return fmt::format("{}: \"{}\"\n", name, *text);
  const auto* items = value.items();
  if (items == nullptr) return fmt::format("{}: none\n", name);
  std::string lines = fmt::format("{}: sequence of {}\n", name, items->size());
  for (std::size_t index = 0; index < items->size(); ++index)
    lines += "  " + value_text(fmt::format("{}.{}", name, index), (*items)[index]);
  return lines;
}

void append_tensors(std::string_view name, const runtime::RuntimeValue& value, NamedTensors& tensors) {
  if (const runtime::RuntimeTensor* tensor = value.tensor()) {
    tensors.emplace_back(name, runtime::to_tensor_data(*tensor));
  } else if (const Scalar* scalar = value.scalar()) {
    tensors.emplace_back(name, scalar_tensor(*scalar));
  } else if (const std::string* text = value.text()) {
    tensors.emplace_back(name, make_string_tensor({}, std::span(text, 1)));
  } else if (const auto* items = value.items()) {
    for (std::size_t index = 0; index < items->size(); ++index)
      append_tensors(fmt::format("{}.{}", name, index), (*items)[index], tensors);
  }
}

nlohmann::json outputs_json(const std::vector<runtime::NamedOutput>& outputs) {
  nlohmann::json list = nlohmann::json::array();
  for (const runtime::NamedOutput& output : outputs) {
    nlohmann::json entry = {{"name", output.name}, {"value", runtime::describe(output.value)}};
    if (const Scalar* scalar = output.value.scalar()) entry["text"] = repr(*scalar);
    if (const std::string* text = output.value.text()) entry["text"] = *text;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace dycl::cli

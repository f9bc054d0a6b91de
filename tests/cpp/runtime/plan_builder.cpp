// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan_builder.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "base/type_text.h"
#include "support/fake_backend.h"

namespace dycl::runtime::testing {
namespace {

template <class T>
T or_die(Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return std::move(*result);
}

RuntimeValue share(TensorData data) {
  return or_die(RuntimeTensor::share(std::make_shared<const TensorData>(std::move(data))));
}

template <class T>
std::vector<T> elements(const RuntimeValue& value) {
  const RuntimeTensor& tensor = std::get<RuntimeTensor>(value);
  std::vector<T> values(tensor.byte_size / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.data, tensor.byte_size);
  return values;
}

}  // namespace

Type PlanBuilder::parse(const std::string& type) {
  std::vector<PlanSymbol>& symbols = artifact.plan.symbols;
  return or_die(parse_type(type, [&](std::string_view name) {
    const auto found = std::ranges::find(symbols, name, &PlanSymbol::name);
    if (found != symbols.end()) return SymbolId(static_cast<std::size_t>(found - symbols.begin()));
    symbols.push_back({std::string(name), {}});
    return SymbolId(symbols.size() - 1);
  }));
}

SlotIndex PlanBuilder::slot(const std::string& type) {
  artifact.plan.slots.push_back(parse(type));
  return static_cast<SlotIndex>(artifact.plan.slots.size() - 1);
}

SlotIndex PlanBuilder::input(const std::string& name, const std::string& type, bool optional) {
  const SlotIndex index = slot(type);
  artifact.plan.inputs.push_back({name, artifact.plan.slots[index], index, optional});
  return index;
}

SlotIndex PlanBuilder::constant(const std::string& name, TensorData data) {
  TensorType type;
  type.dtype = data.dtype;
  type.dims = std::vector<Dim>(data.dims.begin(), data.dims.end());
  artifact.plan.slots.emplace_back(type);
  const auto index = static_cast<SlotIndex>(artifact.plan.slots.size() - 1);
  artifact.plan.constants.push_back({index, name});
  artifact.weights[name] = std::make_shared<const TensorData>(std::move(data));
  return index;
}

void PlanBuilder::output(const std::string& name, const std::string& type) {
  artifact.plan.outputs.push_back({name, parse(type), 0, false});
}

std::uint32_t PlanBuilder::add(PlanOperation operation, Slots dead) {
  artifact.plan.code.push_back({std::move(operation), std::move(dead), {}});
  return next() - 1;
}

std::uint32_t PlanBuilder::call(const std::string& kernel, Slots inputs, Slots outputs, Slots dead,
                                std::vector<PlanGuard> guards, std::vector<std::string> weights) {
  artifact.subnets[kernel].graph = kernel;
  artifact.subnets[kernel].weights = std::move(weights);
  const auto subnet = static_cast<std::uint32_t>(artifact.plan.subnets.size());
  artifact.plan.subnets.push_back({"s" + std::to_string(subnet), kernel, "fake", std::move(guards)});
  return add(PlanCall{subnet, std::move(inputs), std::move(outputs)}, std::move(dead));
}

std::uint32_t PlanBuilder::host(HostOp op, Slots inputs, SlotIndex output, Slots dead,
                                Attributes attributes) {
  return add(PlanHost{op, std::move(attributes), std::move(inputs), {output}}, std::move(dead));
}

SlotIndex PlanBuilder::value(HostOp op, Slots inputs, const std::string& type, Attributes attributes) {
  const SlotIndex output = slot(type);
  host(op, std::move(inputs), output, {}, std::move(attributes));
  return output;
}

std::uint32_t PlanBuilder::ret(Slots values) {
  std::vector<PlanPort>& outputs = artifact.plan.outputs;
  if (outputs.empty())
    for (const SlotIndex value : values) {
      const std::string name = outputs.empty() ? "y" : "y" + std::to_string(outputs.size());
      outputs.push_back({name, artifact.plan.slots[value], 0, false});
    }
  return add(PlanReturn{std::move(values)});
}

void PlanBuilder::source(std::uint32_t instruction, const std::string& file, std::uint32_t line) {
  artifact.plan.code[instruction].source = {file, line, 1, ""};
}

Result<std::shared_ptr<const LoadedProgram>> load(const Artifact& artifact, const LoadOptions& options) {
  BackendRegistry registry;
  registry.add_linked(fake::api());
  auto verified = verify_runnable(artifact);
  if (!verified) return failure_of(std::move(verified));
  return LoadedProgram::load(*std::move(verified), registry, options);
}

std::shared_ptr<const LoadedProgram> load_or_die(const PlanBuilder& builder, const LoadOptions& options) {
  return or_die(load(builder.artifact, options));
}

Result<std::vector<RuntimeValue>> run(const PlanBuilder& builder, std::span<const RuntimeValue> inputs,
                                      const LoadOptions& options) {
  RunSession session(load_or_die(builder, options));
  return session.run(inputs);
}

Result<std::vector<RuntimeValue>> run(const PlanBuilder& builder,
                                      std::initializer_list<RuntimeValue> inputs) {
  return run(builder, std::span(inputs.begin(), inputs.size()));
}

RuntimeValue f32(std::vector<std::int64_t> dims, std::vector<float> values) {
  return share(make_tensor_of<float>(DType::F32, std::move(dims), values));
}

RuntimeValue i64(std::vector<std::int64_t> dims, std::vector<std::int64_t> values) {
  return share(make_tensor_of<std::int64_t>(DType::I64, std::move(dims), values));
}

RuntimeValue strings(std::vector<std::int64_t> dims, std::vector<std::string> values) {
  return share(make_string_tensor(std::move(dims), values));
}

RuntimeValue of(DType dtype, std::vector<std::int64_t> dims, std::vector<unsigned char> bytes) {
  return share(make_tensor_of<unsigned char>(dtype, std::move(dims), bytes));
}

std::vector<float> f32s(const RuntimeValue& value) { return elements<float>(value); }
std::vector<std::int64_t> i64s(const RuntimeValue& value) { return elements<std::int64_t>(value); }

std::vector<std::string> texts(const RuntimeValue& value) {
  return or_die(strings_of(to_tensor_data(std::get<RuntimeTensor>(value))));
}

std::vector<std::int64_t> dims(const RuntimeValue& value) {
  const auto sizes = std::get<RuntimeTensor>(value).dims.span();
  return {sizes.begin(), sizes.end()};
}

}  // namespace dycl::runtime::testing

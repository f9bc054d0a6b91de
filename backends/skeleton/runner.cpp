// SPDX-License-Identifier: Apache-2.0
#include "skeleton/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "common/tensors.h"

namespace dycl::skeleton {
namespace {

Failure wrong_input(std::string what) { return fail(Blame::Usage, "skeleton.bad_input", std::move(what)); }

bool fits(const DyclTensor& tensor, const ValueType& type) {
  if (tensor.dtype != static_cast<std::int32_t>(type.dtype)) return false;
  if (!type.sizes) return true;
  const auto dims = plugin::dims_of(tensor);
  return dims.size() == type.sizes->size() && std::equal(dims.begin(), dims.end(), type.sizes->begin(),
                                                         [](std::int64_t dim, const onnx_wire::Size& size) {
                                                           return size.fixed < 0 || size.fixed == dim;
                                                         });
}

template <class In, class Out, class Function>
void elementwise(const std::byte* left, const std::byte* right, std::byte* out, std::size_t count,
                 Function function) {
  for (std::size_t index = 0; index < count; ++index) {
    In a{};
    In b{};
    std::memcpy(&a, left + index * sizeof(In), sizeof a);
    std::memcpy(&b, right + index * sizeof(In), sizeof b);
    const Out result = function(a, b);
    std::memcpy(out + index * sizeof(Out), &result, sizeof result);
  }
}

// Overflow wraps, as it does in every other backend.
std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

void compute(Operator op, DType dtype, const std::byte* left, const std::byte* right, std::byte* out,
             std::size_t count) {
  if (op == Operator::Add && dtype == DType::F32)
    elementwise<float, float>(left, right, out, count, std::plus<>());
  else if (op == Operator::Add)
    elementwise<std::int64_t, std::int64_t>(left, right, out, count, wrapping_add);
  else if (dtype == DType::F32)
    elementwise<float, bool>(left, right, out, count, std::less<>());
  else
    elementwise<std::int64_t, bool>(left, right, out, count, std::less<>());
}

void release_buffer(void* owner) {
  const std::unique_ptr<std::vector<std::byte>> ends_here(static_cast<std::vector<std::byte>*>(owner));
}

}  // namespace

Runner::Runner(std::shared_ptr<const Program> program)
    : program_(std::move(program)), values_(program_->values.size()) {
  for (const Constant& constant : program_->constants) {
    Value& value = values_[constant.value];
    if (constant.data) {
      value.dims = constant.data->dims;
      value.data = constant.data->bytes.data();
      value.byte_size = constant.data->bytes.size();
    } else {
      const auto dims = plugin::dims_of(constant.tensor);
      value.dims.assign(dims.begin(), dims.end());
      value.data = static_cast<const std::byte*>(constant.tensor.data);
      value.byte_size = constant.tensor.byte_size;
    }
  }
}

Status Runner::run(std::span<const DyclTensor> inputs, std::span<DyclOutput> outputs) {
  if (outputs.size() != program_->outputs.size())
    return wrong_input(
        fmt::format("{} outputs asked for, the graph has {}", outputs.size(), program_->outputs.size()));
  if (Status bound = bind_inputs(inputs); !bound) return bound;
  for (const Step& step : program_->steps)
    if (Status done = execute(step); !done) return done;
  for (std::size_t index = 0; index < outputs.size(); ++index)
    hand_over(program_->outputs[index], outputs[index]);
  return {};
}

Status Runner::bind_inputs(std::span<const DyclTensor> inputs) {
  if (inputs.size() != program_->inputs.size())
    return wrong_input(
        fmt::format("{} inputs given, the graph takes {}", inputs.size(), program_->inputs.size()));
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    const DyclTensor& tensor = inputs[index];
    const ValueType& type = program_->values[program_->inputs[index]];
    if (Status safe = plugin::check_tensor(tensor, fmt::format("input {}", index)); !safe) return safe;
    if (!fits(tensor, type))
      return wrong_input(fmt::format("input {} is {}, which the graph does not take", index,
                                     plugin::describe_tensor(tensor.dtype, plugin::dims_of(tensor))));
    Value& value = values_[program_->inputs[index]];
    const auto dims = plugin::dims_of(tensor);
    value.dims.assign(dims.begin(), dims.end());
    value.data = static_cast<const std::byte*>(tensor.data);
    value.byte_size = *byte_size(type.dtype, *element_count(dims));
  }
  return {};
}

Status Runner::execute(const Step& step) {
  const Value& left = values_[step.inputs[0]];
  Value& out = values_[step.output];
  if (step.op == Operator::Identity) {
    out.dims = left.dims;
    out.data = left.data;
    out.byte_size = left.byte_size;
    return {};
  }
  const Value& right = values_[step.inputs[1]];
  if (left.dims != right.dims) return wrong_input("the skeleton adds and compares equal shapes only");
  const auto count = static_cast<std::size_t>(*element_count(left.dims));
  out.dims = left.dims;
  out.byte_size = *byte_size(program_->values[step.output].dtype, static_cast<std::int64_t>(count));
  out.buffer.resize(out.byte_size);
  compute(step.op, program_->values[step.inputs[0]].dtype, left.data, right.data, out.buffer.data(), count);
  out.data = out.buffer.data();
  return {};
}

void Runner::hand_over(std::size_t index, DyclOutput& output) const {
  const Value& value = values_[index];
  const auto dtype = static_cast<std::int32_t>(program_->values[index].dtype);
  output.owner = nullptr;
  output.release = nullptr;
  if (plugin::offers(output, dtype, value.dims, value.byte_size)) {
    if (value.byte_size > 0) std::memmove(output.buffer, value.data, value.byte_size);
    output.data = output.buffer;
  } else {
    auto copy = std::make_unique<std::vector<std::byte>>(value.data, value.data + value.byte_size);
    output.data = copy->data();
    output.owner = copy.release();
    output.release = release_buffer;
  }
  output.dtype = dtype;
  output.rank = static_cast<std::int32_t>(value.dims.size());
  std::ranges::copy(value.dims, output.dims);
  output.byte_size = value.byte_size;
}

}  // namespace dycl::skeleton

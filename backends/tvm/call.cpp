// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/tensor_data.h"
#include "common/tensors.h"
#include "tvm/element_type.h"
#include "tvm/executable.h"

namespace dycl::tvm {
namespace {

// A result that the caller still reads: TVM's tensor, or a copy of one.
struct KeptResult {
  Object tensor;
  std::vector<std::byte> copy;
};

void release_result(void* owner) {
  const std::unique_ptr<KeptResult> ends_here(static_cast<KeptResult*>(owner));
}

Failure wrong_input(const Port& port, const DyclTensor& given) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : port.dims) sizes.push_back(size < 0 ? "?" : std::to_string(size));
  return fail(Blame::Usage, "tvm.input",
              fmt::format("the input '{}' is {}[{}], but {} was given", port.name,
                          name_of(static_cast<DType>(port.dtype)), fmt::join(sizes, ","),
                          plugin::describe_tensor(given.dtype, plugin::dims_of(given))));
}

bool fits(const Port& port, const DyclTensor& given) {
  return port.dtype == given.dtype &&
         std::ranges::equal(port.dims, plugin::dims_of(given), [](std::int64_t wanted, std::int64_t size) {
           return wanted < 0 || wanted == size;
         });
}

}  // namespace

Call::Call(std::shared_ptr<const Executable> executable, Machine machine)
    : executable_(std::move(executable)), machine_(std::move(machine)) {
  for (std::size_t index = 0; index < executable_->inputs_.size(); ++index)
    inputs_.push_back(std::make_unique<TensorView>());
}

Status Call::run(std::span<const DyclTensor> inputs, std::span<DyclOutput> outputs) {
  if (outputs.size() != executable_->output_count_)
    return fail(
        Blame::Usage, "tvm.outputs",
        fmt::format("{} outputs asked for, the graph has {}", outputs.size(), executable_->output_count_));
  if (Status bound = bind(inputs); !bound) return bound;
  auto results = execute(outputs.size());
  Status done = results ? Status() : failure_of(std::move(results));
  for (std::size_t index = 0; index < outputs.size() && done; ++index) {
    done = hand_over(std::move((*results)[index]), outputs[index]);
    if (!done) plugin::give_back(outputs.first(index));
  }
  arguments_.clear();
  tensors_.clear();
  return done;
}

Status Call::bind(std::span<const DyclTensor> inputs) {
  const auto& ports = executable_->inputs_;
  if (inputs.size() != ports.size())
    return fail(Blame::Usage, "tvm.inputs",
                fmt::format("{} inputs given, the graph takes {}", inputs.size(), ports.size()));
  arguments_.clear();
  tensors_.clear();
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    if (Status safe = plugin::check_tensor(inputs[index], fmt::format("input '{}'", ports[index].name));
        !safe)
      return safe;
    if (!fits(ports[index], inputs[index])) return wrong_input(ports[index], inputs[index]);
    inputs_[index]->point_at(inputs[index]);
    auto tensor = executable_->library_->ffi().view(inputs_[index]->managed());
    if (!tensor) return failure_of(std::move(tensor));
    arguments_.push_back(tensor->view());
    tensors_.push_back(std::move(*tensor));
  }
  for (const Object& weight : executable_->weight_tensors_) arguments_.push_back(weight.view());
  return {};
}

// TVM returns one tensor, or an array of several.
Result<std::vector<Object>> Call::execute(std::size_t output_count) {
  auto result = executable_->library_->ffi().call(machine_.main, arguments_);
  if (!result) return failure_of(std::move(result));
  std::vector<Object> results;
  if (result->kind() == Any::Tensor && output_count == 1) {
    results.push_back(std::move(*result));
    return results;
  }
  const bool expected =
      result->kind() == Any::Array && result->elements().size() == output_count &&
      std::ranges::all_of(result->elements(), [](int kind) { return kind == Any::Tensor; }, &Any::kind);
  if (!expected)
    return fail(Blame::Backend, "tvm.bad_result", "TVM returned something else than its tensors");
  for (const Any& element : result->elements()) results.push_back(result->share(element.object));
  return results;
}

bool Call::is_borrowed(const void* data) const {
  const auto holds = [&](const std::unique_ptr<TensorView>& view) { return view->contains(data); };
  return std::ranges::any_of(inputs_, holds) || std::ranges::any_of(executable_->weights_, holds);
}

Status Call::hand_over(Object result, DyclOutput& output) const {
  const DLTensor& tensor = result.tensor();
  const std::int32_t dtype = from_dlpack(tensor.dtype);
  if (dtype == 0 || tensor.rank > DYCL_MAX_RANK || tensor.rank < 0)
    return fail(Blame::Backend, "tvm.bad_result", "TVM returned a tensor that DyCL does not know");
  const std::span<const std::int64_t> dims(tensor.dims, static_cast<std::size_t>(tensor.rank));
  const std::size_t size = byte_size(static_cast<DType>(dtype), element_count(dims).value_or(0)).value_or(0);
  const auto* data = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
  const bool offered = plugin::offers(output, dtype, dims, size);
  output.dtype = dtype;
  output.rank = tensor.rank;
  std::ranges::copy(dims, output.dims);
  output.byte_size = size;
  output.owner = nullptr;
  if (offered) {
    if (size > 0) std::memcpy(output.buffer, data, size);
    output.data = output.buffer;
    return {};
  }
  auto kept = std::make_unique<KeptResult>();
  if (is_borrowed(data)) kept->copy.assign(data, data + size);
  output.data = kept->copy.empty() ? data : kept->copy.data();
  if (kept->copy.empty()) kept->tensor = std::move(result);
  output.owner = kept.release();
  output.release = release_result;
  return {};
}

}  // namespace dycl::tvm

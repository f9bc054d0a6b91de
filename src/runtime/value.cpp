// SPDX-License-Identifier: Apache-2.0
#include "runtime/value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/overloaded.h"
#include "runtime/string_tensor.h"

namespace dycl::runtime {
namespace {

Failure bad_tensor(std::string message) { return fail(Blame::Usage, "run.input_bytes", std::move(message)); }

Status check_contents(DType dtype, std::span<const std::int64_t> dims, std::span<const std::byte> bytes) {
  if (dims.size() > DYCL_MAX_RANK)
    return bad_tensor(fmt::format("a tensor has {} dims; at most {} are possible", dims.size(),
                                  static_cast<int>(DYCL_MAX_RANK)));
  const auto count = element_count(dims);
  if (!count) return bad_tensor(fmt::format("[{}] are not sizes of a tensor", fmt::join(dims, ", ")));
  if (bytes.data() == nullptr && !bytes.empty()) return bad_tensor("a tensor's data is a null pointer");
  if (dtype == DType::String) return check_strings(*count, bytes);
  const auto expected = byte_size(dtype, *count);
  if (!expected || *expected != bytes.size())
    return bad_tensor(fmt::format("{}[{}] needs {} bytes, {} were given", name_of(dtype),
                                  fmt::join(dims, ","), expected.value_or(0), bytes.size()));
  return {};
}

}  // namespace

Result<RuntimeTensor> RuntimeTensor::borrow(DType dtype, std::span<const std::int64_t> dims, const void* data,
                                            std::size_t byte_size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  if (Status checked = check_contents(dtype, dims, {bytes, byte_size}); !checked)
    return failure_of(std::move(checked));
  RuntimeTensor tensor;
  tensor.dtype = dtype;
  tensor.dims = InlineDims(dims);
  tensor.data = const_cast<std::byte*>(bytes);
  tensor.byte_size = byte_size;
  return tensor;
}

Result<RuntimeTensor> RuntimeTensor::share(DType dtype, std::span<const std::int64_t> dims, const void* data,
                                           std::size_t byte_size, std::shared_ptr<const void> owner) {
  auto tensor = borrow(dtype, dims, data, byte_size);
  if (!tensor) return tensor;
  auto buffer = std::make_unique<Buffer>();
  buffer->origin = BufferOrigin::Foreign;
  buffer->data = tensor->data;
  buffer->capacity = byte_size;
  buffer->keep_alive = std::move(owner);
  tensor->buffer = BufferRef(buffer.release());
  return tensor;
}

Result<RuntimeTensor> RuntimeTensor::share(const TensorPtr& tensor) {
  return share(tensor->dtype, tensor->dims, tensor->bytes.data(), tensor->bytes.size(), tensor);
}

bool RuntimeTensor::writable() const {
  return buffer && buffer->origin != BufferOrigin::Foreign && buffer->unshared();
}

RuntimeValue RuntimeValue::sequence(std::vector<RuntimeValue> items) {
  auto node = std::make_unique<SequenceNode>();
  node->items = std::move(items);
  return SequenceRef(node.release());
}

const std::vector<RuntimeValue>* RuntimeValue::items() const {
  const SequenceRef* node = sequence_ref();
  return node == nullptr ? nullptr : &(*node)->items;
}

std::string describe(const RuntimeValue& value) {
  return std::visit(
      Overloaded{
          [](const NoValue&) { return std::string("none"); },
          [](const RuntimeTensor& tensor) {
            return fmt::format("{}[{}]", name_of(tensor.dtype), fmt::join(tensor.dims.span(), ","));
          },
          [](const Scalar& scalar) {
            return to_string(Type(ScalarType{kind_of(scalar)}), [](SymbolId) { return std::string(); });
          },
          [](const SequenceRef& node) { return fmt::format("a sequence of {}", node->items.size()); },
          [](const std::string&) { return std::string("a string"); },
      },
      static_cast<const std::variant<NoValue, RuntimeTensor, Scalar, SequenceRef, std::string>&>(value));
}

TensorData to_tensor_data(const RuntimeTensor& tensor) {
  const auto dims = tensor.dims.span();
  const auto bytes = tensor.bytes();
  return make_tensor(tensor.dtype, {dims.begin(), dims.end()}, {bytes.begin(), bytes.end()});
}

}  // namespace dycl::runtime

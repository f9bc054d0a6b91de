// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "runtime/c_handles.h"
#include "runtime/string_tensor.h"

namespace dycl::runtime {
namespace {

Result<DType> dtype_of(dycl_dtype number) {
  const auto dtype = dtype_from_number(static_cast<std::int64_t>(number));
  if (!dtype)
    return fail(Blame::Usage, "run.unknown_dtype",
                fmt::format("{} is not the number of an element type", static_cast<int>(number)));
  return *dtype;
}

Failure wrong_kind(const dycl_value& value, std::string_view wanted) {
  return fail(Blame::Usage, "run.value_kind",
              fmt::format("the value is {}, not {}", describe(value.value), wanted));
}

// `value` and `out` are there, and the value is a T; otherwise says what is wrong.
template <class T>
Result<const T*> content(const dycl_value* value, const void* out, std::string_view wanted) {
  if (value == nullptr) return null_argument("value");
  if (out == nullptr) return null_argument("the result");
  const T* found = std::get_if<T>(&value->value);
  if (found == nullptr) return wrong_kind(*value, wanted);
  return found;
}

template <class T>
Status get_scalar(const dycl_value* value, std::string_view wanted, T* out) {
  auto scalar = content<Scalar>(value, out, wanted);
  if (!scalar) return failure_of(std::move(scalar));
  const T* exact = std::get_if<T>(*scalar);
  if (exact == nullptr) return wrong_kind(*value, wanted);
  *out = *exact;
  return {};
}

dycl_status* new_value(RuntimeValue made, dycl_value** value) {
  return guarded([&]() -> Status {
    if (value == nullptr) return null_argument("value");
    give_value(std::move(made), value);
    return {};
  });
}

}  // namespace
}  // namespace dycl::runtime

using dycl::Status;

dycl_status* dycl_value_borrow(dycl_dtype dtype, const int64_t* dims, size_t rank, const void* data,
                               size_t byte_size, dycl_value** value) {
  return dycl::runtime::guarded([&]() -> Status {
    if (value == nullptr || (dims == nullptr && rank > 0))
      return dycl::runtime::null_argument(value == nullptr ? "value" : "dims");
    *value = nullptr;
    auto known = dycl::runtime::dtype_of(dtype);
    if (!known) return dycl::failure_of(std::move(known));
    auto tensor = dycl::runtime::RuntimeTensor::borrow(*known, {dims, rank}, data, byte_size);
    if (!tensor) return dycl::failure_of(std::move(tensor));
    dycl::runtime::give_value(std::move(*tensor), value);
    return {};
  });
}

dycl_status* dycl_value_share(dycl_dtype dtype, const int64_t* dims, size_t rank, const void* data,
                              size_t byte_size, void (*release)(void* context), void* context,
                              dycl_value** value) {
  return dycl::runtime::guarded([&]() -> Status {
    // Made first: from here on the memory is released however this ends.
    const std::shared_ptr<const void> owner(data, [release, context](const void*) {
      if (release != nullptr) release(context);
    });
    if (value == nullptr || (dims == nullptr && rank > 0))
      return dycl::runtime::null_argument(value == nullptr ? "value" : "dims");
    *value = nullptr;
    auto known = dycl::runtime::dtype_of(dtype);
    if (!known) return dycl::failure_of(std::move(known));
    auto tensor = dycl::runtime::RuntimeTensor::share(*known, {dims, rank}, data, byte_size, owner);
    if (!tensor) return dycl::failure_of(std::move(tensor));
    dycl::runtime::give_value(std::move(*tensor), value);
    return {};
  });
}

dycl_status* dycl_value_strings(const int64_t* dims, size_t rank, const char* const* texts,
                                const size_t* lengths, size_t count, dycl_value** value) {
  return dycl::runtime::guarded([&]() -> Status {
    if (value == nullptr || (dims == nullptr && rank > 0) ||
        ((texts == nullptr || lengths == nullptr) && count > 0))
      return dycl::runtime::null_argument(value == nullptr ? "value" : "dims, texts or lengths");
    *value = nullptr;
    std::vector<std::string> strings;
    for (std::size_t index = 0; index < count; ++index) strings.emplace_back(texts[index], lengths[index]);
    if (dycl::element_count({dims, rank}) != static_cast<std::int64_t>(count))
      return dycl::fail(dycl::Blame::Usage, "run.input_bytes", "the sizes do not fit the number of strings");
    auto data =
        std::make_shared<const dycl::TensorData>(dycl::make_string_tensor({dims, dims + rank}, strings));
    auto tensor = dycl::runtime::RuntimeTensor::share(data);
    if (!tensor) return dycl::failure_of(std::move(tensor));
    dycl::runtime::give_value(std::move(*tensor), value);
    return {};
  });
}

dycl_status* dycl_value_none(dycl_value** value) { return dycl::runtime::new_value({}, value); }
dycl_status* dycl_value_bool(int32_t scalar, dycl_value** value) {
  return dycl::runtime::new_value(dycl::Scalar(scalar != 0), value);
}
dycl_status* dycl_value_int(int64_t scalar, dycl_value** value) {
  return dycl::runtime::new_value(dycl::Scalar(std::int64_t{scalar}), value);
}
dycl_status* dycl_value_float(double scalar, dycl_value** value) {
  return dycl::runtime::new_value(dycl::Scalar(scalar), value);
}

dycl_status* dycl_value_sequence(const dycl_value* const* items, size_t count, dycl_value** value) {
  return dycl::runtime::guarded([&]() -> Status {
    if (value == nullptr || (items == nullptr && count > 0))
      return dycl::runtime::null_argument(value == nullptr ? "value" : "items");
    *value = nullptr;
    std::vector<dycl::runtime::RuntimeValue> values;
    for (std::size_t index = 0; index < count; ++index) {
      if (items[index] == nullptr)
        return dycl::runtime::null_argument("items[" + std::to_string(index) + "]");
      values.push_back(items[index]->value);
    }
    dycl::runtime::give_value(dycl::runtime::RuntimeValue::sequence(std::move(values)), value);
    return {};
  });
}

dycl_kind dycl_value_kind(const dycl_value* value) {
  if (value == nullptr || !value->value.has_value()) return DYCL_NONE;
  if (value->value.tensor() != nullptr) return DYCL_TENSOR;
  if (value->value.items() != nullptr) return DYCL_SEQUENCE;
  if (value->value.scalar() == nullptr) return DYCL_TEXT;
  switch (dycl::kind_of(*value->value.scalar())) {
    case dycl::ScalarKind::Bool: return DYCL_SCALAR_BOOL;
    case dycl::ScalarKind::I64: return DYCL_SCALAR_INT;
    case dycl::ScalarKind::F64: return DYCL_SCALAR_FLOAT;
  }
  return DYCL_NONE;
}

dycl_status* dycl_value_tensor(const dycl_value* value, dycl_tensor_view* view) {
  return dycl::runtime::guarded([&]() -> Status {
    auto tensor = dycl::runtime::content<dycl::runtime::RuntimeTensor>(value, view, "a tensor");
    if (!tensor) return dycl::failure_of(std::move(tensor));
    *view = {static_cast<dycl_dtype>((*tensor)->dtype),
             static_cast<std::int32_t>((*tensor)->dims.size()),
             (*tensor)->dims.data(),
             (*tensor)->data,
             (*tensor)->byte_size,
             static_cast<std::int32_t>((*tensor)->device.kind),
             (*tensor)->device.index};
    return {};
  });
}

dycl_status* dycl_value_get_bool(const dycl_value* value, int32_t* scalar) {
  return dycl::runtime::guarded([&]() -> Status {
    if (scalar == nullptr) return dycl::runtime::null_argument("scalar");
    bool found = false;
    Status got = dycl::runtime::get_scalar(value, "a bool", &found);
    if (got) *scalar = found ? 1 : 0;
    return got;
  });
}
dycl_status* dycl_value_get_int(const dycl_value* value, int64_t* scalar) {
  return dycl::runtime::guarded([&] { return dycl::runtime::get_scalar(value, "an int", scalar); });
}
dycl_status* dycl_value_get_float(const dycl_value* value, double* scalar) {
  return dycl::runtime::guarded([&] { return dycl::runtime::get_scalar(value, "a float", scalar); });
}

dycl_status* dycl_value_get_text(const dycl_value* value, const char** text, size_t* length) {
  return dycl::runtime::guarded([&]() -> Status {
    auto found = dycl::runtime::content<std::string>(value, text, "a string");
    if (!found) return dycl::failure_of(std::move(found));
    *text = (*found)->c_str();
    if (length != nullptr) *length = (*found)->size();
    return {};
  });
}

dycl_status* dycl_value_string_at(const dycl_value* value, size_t index, const char** text, size_t* length) {
  return dycl::runtime::guarded([&]() -> Status {
    auto tensor = dycl::runtime::content<dycl::runtime::RuntimeTensor>(value, text, "a tensor of strings");
    if (!tensor) return dycl::failure_of(std::move(tensor));
    if (length == nullptr) return dycl::runtime::null_argument("length");
    if ((*tensor)->dtype != dycl::DType::String)
      return dycl::runtime::wrong_kind(*value, "a tensor of strings");
    const std::int64_t count = (*tensor)->count();
    if (index >= static_cast<std::size_t>(count))
      return dycl::fail(dycl::Blame::Usage, "run.value_index",
                        fmt::format("there is no string {}, the tensor has {}", index, count));
    const auto found =
        dycl::runtime::StringReader(count, (*tensor)->data).at(static_cast<std::int64_t>(index));
    *text = found.data();
    *length = found.size();
    return {};
  });
}

dycl_status* dycl_value_size(const dycl_value* value, size_t* count) {
  return dycl::runtime::guarded([&]() -> Status {
    auto sequence = dycl::runtime::content<dycl::runtime::SequenceRef>(value, count, "a sequence");
    if (!sequence) return dycl::failure_of(std::move(sequence));
    *count = (**sequence)->items.size();
    return {};
  });
}

dycl_status* dycl_value_at(const dycl_value* sequence, size_t index, dycl_value** item) {
  return dycl::runtime::guarded([&]() -> Status {
    auto node = dycl::runtime::content<dycl::runtime::SequenceRef>(sequence, item, "a sequence");
    if (!node) return dycl::failure_of(std::move(node));
    const auto& items = (**node)->items;
    *item = nullptr;
    if (index >= items.size())
      return dycl::fail(dycl::Blame::Usage, "run.value_index",
                        fmt::format("there is no element {}, the sequence has {}", index, items.size()));
    dycl::runtime::give_value(items[index], item);
    return {};
  });
}

void dycl_value_free(dycl_value* value) { const std::unique_ptr<dycl_value> freed(value); }

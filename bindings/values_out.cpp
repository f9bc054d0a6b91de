// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/overloaded.h"
#include "base/packed_elements.h"
#include "errors.h"
#include "numpy_types.h"
#include "values.h"

namespace dycl::python {
namespace {

namespace nb = nanobind;
using nb::dlpack::dtype_code;

nb::dlpack::dtype dlpack_type(DType dtype) {
  const auto with = [&](dtype_code code) {
    return nb::dlpack::dtype{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bit_width(dtype)), 1};
  };
  switch (dtype) {
    case DType::F16:
    case DType::F32:
    case DType::F64: return with(dtype_code::Float);
    case DType::C64:
    case DType::C128: return with(dtype_code::Complex);
    case DType::Bool: return with(dtype_code::Bool);
    case DType::I8:
    case DType::I16:
    case DType::I32:
    case DType::I64: return with(dtype_code::Int);
    default: return with(dtype_code::UInt);  // and the bytes of types that numpy does not know
  }
}

nb::object ml_dtype(DType dtype) {
  try {
    return nb::module_::import_("ml_dtypes").attr(std::string(numpy_name_of(dtype)).c_str());
  } catch (nb::python_error&) {
    throw_usage("python.ml_dtypes",
                "an output is of type " + std::string(name_of(dtype)) + ", which numpy alone does not know",
                "pip install ml_dtypes");
  }
}

// `bytes` are kept alive by `owner`; `visible` is an element type that numpy knows.
nb::object array_view(std::byte* bytes, std::span<const std::int64_t> dims, DType visible, nb::handle owner) {
  std::vector<std::size_t> shape(dims.begin(), dims.end());
  return nb::cast(
      nb::ndarray<nb::numpy>(bytes, shape.size(), shape.data(), owner, nullptr, dlpack_type(visible)));
}

template <class T>
nb::capsule capsule_of(std::unique_ptr<T> owned) {
  return nb::capsule(owned.release(),
                     [](void* pointer) noexcept { std::unique_ptr<T>(static_cast<T*>(pointer)); });
}

nb::object copied(std::span<const std::byte> bytes, std::span<const std::int64_t> dims, DType visible) {
  auto copy = std::make_unique<std::vector<std::byte>>(bytes.begin(), bytes.end());
  std::byte* data = copy->data();
  return array_view(data, dims, visible, capsule_of(std::move(copy)));
}

nb::object strings_to_python(const runtime::RuntimeTensor& tensor) {
  const auto strings = value_or_throw(strings_of(runtime::to_tensor_data(tensor)));
  const nb::module_ numpy = nb::module_::import_("numpy");
  nb::object flat = numpy.attr("empty")(strings.size(), "object");
  for (std::size_t index = 0; index < strings.size(); ++index) {
    // Models may produce any bytes; those that are not UTF-8 stay bytes.
    PyObject* text =
        PyUnicode_DecodeUTF8(strings[index].data(), static_cast<Py_ssize_t>(strings[index].size()), nullptr);
    if (text == nullptr) {
      PyErr_Clear();
      text = PyBytes_FromStringAndSize(strings[index].data(), static_cast<Py_ssize_t>(strings[index].size()));
    }
    flat[index] = nb::steal(text);
  }
  const auto dims = tensor.dims.span();
  return flat.attr("reshape")(nb::tuple(nb::cast(std::vector<std::int64_t>(dims.begin(), dims.end()))));
}

nb::object tensor_to_python(const runtime::RuntimeTensor& tensor) {
  const auto dims = tensor.dims.span();
  if (tensor.dtype == DType::String) return strings_to_python(tensor);
  if (bit_width(tensor.dtype) < 8) {
    const auto wide = unpack_elements(tensor.bytes(), tensor.dtype, static_cast<std::size_t>(tensor.count()));
    return copied(wide, dims, DType::U8).attr("view")(ml_dtype(tensor.dtype));
  }
  nb::object array;
  if (tensor.byte_size == 0 || !tensor.writable()) {
    array = copied(tensor.bytes(), dims, tensor.dtype);
  } else {
    auto kept = std::make_unique<runtime::RuntimeTensor>(tensor);
    std::byte* data = kept->data;
    array = array_view(data, dims, tensor.dtype, capsule_of(std::move(kept)));
  }
  return needs_ml_dtypes(tensor.dtype) ? array.attr("view")(ml_dtype(tensor.dtype)) : array;
}

nb::object scalar_to_python(const Scalar& scalar) {
  return std::visit([](auto value) { return nb::cast(value); }, scalar);
}

nb::object sequence_to_python(const runtime::SequenceRef& sequence) {
  nb::list list;
  for (const runtime::RuntimeValue& item : sequence->items) list.append(to_python(item));
  return list;
}

}  // namespace

nb::object to_python(const runtime::RuntimeValue& value) {
  return std::visit(
      Overloaded{[](const runtime::NoValue&) -> nb::object { return nb::none(); },
                 [](const runtime::RuntimeTensor& tensor) { return tensor_to_python(tensor); },
                 [](const Scalar& scalar) { return scalar_to_python(scalar); },
                 [](const runtime::SequenceRef& sequence) { return sequence_to_python(sequence); },
                 [](const std::string& text) { return nb::object(nb::cast(text)); }},
      static_cast<const std::variant<runtime::NoValue, runtime::RuntimeTensor, Scalar, runtime::SequenceRef,
                                     std::string>&>(value));
}

}  // namespace dycl::python

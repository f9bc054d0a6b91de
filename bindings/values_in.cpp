// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "base/packed_elements.h"
#include "errors.h"
#include "numpy_types.h"
#include "values.h"

namespace dycl::python {
namespace {

namespace nb = nanobind;

nb::module_ numpy() { return nb::module_::import_("numpy"); }

// What torch makes is recognised by name: it need not be there.
bool is_of_torch(nb::handle type) {
  const auto name = nb::cast<std::string>(type.attr("__module__"));
  return name == "torch" || name.starts_with("torch.");
}

// A tensor of torch's own class, or of a class that somebody derived from it.
bool is_torch_tensor(nb::handle object) {
  if (!nb::hasattr(object, "data_ptr")) return false;
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
  return std::ranges::any_of(nb::borrow<nb::tuple>(type.attr("__mro__")), is_of_torch);
}

// Operations on tensors of any other class give tensors of that class, or mean something else altogether.
bool is_plain(nb::handle tensor) {
  return is_of_torch(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(tensor.ptr()))));
}

bool is_said_of(const nb::object& tensor, const char* question) {
  return nb::hasattr(tensor, question) && nb::cast<bool>(tensor.attr(question)());
}

bool is_python_value(nb::handle object) {
  return PyBool_Check(object.ptr()) || PyLong_Check(object.ptr()) || PyFloat_Check(object.ptr()) ||
         PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr()) || PyList_Check(object.ptr()) ||
         PyTuple_Check(object.ptr()) || PyComplex_Check(object.ptr());
}

// What numpy or Python refuses while a value is converted is the caller's mistake, and named so.
template <class Convert>
auto converted(const std::string& input, const Convert& convert) {
  try {
    return convert();
  } catch (const nb::python_error& error) {
    throw_usage("run.input_kind",
                fmt::format("input '{}': {}", input, nb::str(nb::handle(error.value())).c_str()));
  } catch (const nb::cast_error&) {
    throw_usage("run.input_kind", fmt::format("input '{}' is of another kind than the program takes", input));
  }
}

// A Python number or nested list, with the element type that the program declares.
nb::object array_of_python_value(nb::handle object, DType declared) {
  if (!needs_ml_dtypes(declared)) return numpy().attr("array")(object, std::string(numpy_name_of(declared)));
  const nb::object dtype =
      nb::module_::import_("ml_dtypes").attr(std::string(numpy_name_of(declared)).c_str());
  return numpy().attr("array")(object, dtype);
}

Scalar scalar_of(nb::handle object, ScalarKind kind) {
  if (kind == ScalarKind::Bool) return nb::cast<bool>(nb::bool_(object));
  if (kind == ScalarKind::I64) return nb::cast<std::int64_t>(object);
  return nb::cast<double>(object);
}

std::string string_of(nb::handle element, const std::string& input) {
  if (PyBytes_Check(element.ptr())) {
    const auto bytes = nb::cast<nb::bytes>(element);
    return {bytes.c_str(), bytes.size()};
  }
  if (PyUnicode_Check(element.ptr())) return nb::cast<std::string>(element);
  throw_usage("run.input_dtype", fmt::format("input '{}': an element is neither str nor bytes", input));
}

runtime::RuntimeTensor tensor_of_strings(const nb::object& array, const std::string& input) {
  std::vector<std::string> strings;
  for (const nb::handle element : nb::list(array.attr("ravel")().attr("tolist")()))
    strings.push_back(string_of(element, input));
  auto dims = nb::cast<std::vector<std::int64_t>>(array.attr("shape"));
  auto data = std::make_shared<const TensorData>(make_string_tensor(std::move(dims), strings));
  return value_or_throw(runtime::RuntimeTensor::share(data));
}

runtime::RuntimeTensor tensor_of_packed(DType dtype, std::span<const std::int64_t> dims, const void* wide,
                                        std::size_t count) {
  const std::span bytes(static_cast<const std::byte*>(wide), count);
  auto packed = pack_elements(bytes, bit_width(dtype));
  auto data =
      std::make_shared<const TensorData>(make_tensor(dtype, {dims.begin(), dims.end()}, std::move(packed)));
  return value_or_throw(runtime::RuntimeTensor::share(data));
}

}  // namespace

BoundInputs::~BoundInputs() {
  for (const auto& buffer : buffers_) PyBuffer_Release(buffer.get());
}

void BoundInputs::add(nb::handle object, const PlanPort& port) {
  values_.push_back(bind(object, port.type, port.name));
}

runtime::RuntimeValue BoundInputs::bind(nb::handle object, const Type& type, const std::string& input) {
  if (object.is_none()) return runtime::NoValue{};
  if (const OptionalType* optional = type.optional()) return bind(object, *optional->element, input);
  if (const SeqType* sequence = type.seq()) return bind_sequence(object, *sequence->element, input);
  if (const ScalarType* scalar = type.scalar())
    return converted(input, [&] { return runtime::RuntimeValue(scalar_of(object, scalar->kind)); });
  const TensorType* tensor = type.tensor();
  if (tensor == nullptr)
    return converted(input, [&] { return runtime::RuntimeValue(nb::cast<std::string>(object)); });
  return bind_tensor(object, tensor->dtype, input);
}

runtime::RuntimeValue BoundInputs::bind_sequence(nb::handle object, const Type& element,
                                                 const std::string& input) {
  if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr()))
    throw_usage("run.input_kind", fmt::format("input '{}' is a sequence: give a list", input));
  std::vector<runtime::RuntimeValue> items;
  for (const nb::handle item : object) items.push_back(bind(item, element, input));
  return runtime::RuntimeValue::sequence(std::move(items));
}

runtime::RuntimeValue BoundInputs::bind_tensor(nb::handle object, DType declared, const std::string& input) {
  if (is_torch_tensor(object)) return bind_torch(nb::borrow(object), input);
  const nb::object array_type = numpy().attr("ndarray");
  if (PyObject_IsInstance(object.ptr(), array_type.ptr()) == 1) return bind_numpy(nb::borrow(object), input);
  if (is_python_value(object))
    return bind_numpy(converted(input, [&] { return array_of_python_value(object, declared); }), input);
  if (nb::hasattr(object, "__dlpack__"))
    return bind_numpy(converted(input, [&] { return nb::object(numpy().attr("from_dlpack")(object)); }),
                      input);
  nb::object array = converted(input, [&] { return nb::object(numpy().attr("asarray")(object)); });
  if (nb::cast<std::string>(array.attr("dtype").attr("kind")) == "O" && declared != DType::String)
    throw_usage("run.input_kind",
                fmt::format("input '{}': a {} is not a tensor", input, Py_TYPE(object.ptr())->tp_name));
  return bind_numpy(std::move(array), input);
}

runtime::RuntimeTensor BoundInputs::bind_torch(nb::object tensor, const std::string& input) {
  const std::string type_name = nb::str(nb::object(tensor.attr("dtype"))).c_str();
  const auto dtype = dtype_from_torch(type_name);
  if (!dtype)
    throw_usage("run.input_dtype", fmt::format("input '{}': {} is not supported", input, type_name));
  const auto device = nb::cast<std::string>(tensor.attr("device").attr("type"));
  if (device != "cpu")
    throw_usage("run.input_device",
                fmt::format("input '{}' is on {}, the program runs on cpu", input, device), "call .cpu()");
  if (!is_plain(tensor))
    throw_usage("run.input_kind",
                fmt::format("input '{}' is a {}, a class of its own", input, Py_TYPE(tensor.ptr())->tp_name),
                "call .as_subclass(torch.Tensor)");
  if (const std::string layout = nb::str(nb::getattr(tensor, "layout", nb::none())).c_str();
      layout != "torch.strided" && layout != "None")
    throw_usage("run.input_kind", fmt::format("input '{}' is {}", input, layout), "call .to_dense()");
  tensor = tensor.attr("detach")();
  if (is_said_of(tensor, "is_neg") || is_said_of(tensor, "is_conj"))
    tensor = tensor.attr("resolve_conj")().attr("resolve_neg")();
  tensor = tensor.attr("contiguous")();
  std::vector<std::int64_t> dims;  // torch.Size is no plain tuple
  for (const nb::handle size : nb::object(tensor.attr("shape"))) dims.push_back(nb::cast<std::int64_t>(size));
  const auto address = nb::cast<std::uintptr_t>(tensor.attr("data_ptr")());
  const std::size_t bytes = byte_size(*dtype, element_count(dims).value_or(0)).value_or(0);
  kept_.push_back(std::move(tensor));
  return value_or_throw(
      runtime::RuntimeTensor::borrow(*dtype, dims, reinterpret_cast<const void*>(address), bytes));
}

runtime::RuntimeTensor BoundInputs::bind_numpy(nb::object array, const std::string& input) {
  const nb::object type = array.attr("dtype");
  const auto kind = nb::cast<std::string>(type.attr("kind"));
  if (kind == "U" || kind == "S" || kind == "O" || kind == "T") return tensor_of_strings(array, input);
  const auto type_name = nb::cast<std::string>(type.attr("name"));
  const auto dtype = dtype_from_numpy(type_name);
  if (!dtype)
    throw_usage("run.input_dtype", fmt::format("input '{}': numpy's {} is not supported", input, type_name));
  if (!nb::cast<bool>(type.attr("isnative"))) array = array.attr("astype")(type.attr("newbyteorder")("="));
  if (!nb::cast<bool>(array.attr("flags").attr("c_contiguous"))) array = array.attr("copy")("C");
  const auto dims = nb::cast<std::vector<std::int64_t>>(array.attr("shape"));
  // The buffer protocol has no letter for ml_dtypes' types: look at their bytes instead.
  if (needs_ml_dtypes(*dtype)) array = array.attr("view")(bit_width(*dtype) == 16 ? "u2" : "u1");
  auto buffer = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(array.ptr(), buffer.get(), PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
  buffers_.push_back(std::move(buffer));
  kept_.push_back(std::move(array));
  const Py_buffer& view = *buffers_.back();
  const auto size = static_cast<std::size_t>(view.len);
  if (bit_width(*dtype) < 8) return tensor_of_packed(*dtype, dims, view.buf, size);
  return value_or_throw(runtime::RuntimeTensor::borrow(*dtype, dims, view.buf, size));
}

}  // namespace dycl::python

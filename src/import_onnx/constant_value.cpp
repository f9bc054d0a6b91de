// SPDX-License-Identifier: Apache-2.0
#include "import_onnx/constant_value.h"

#include <fmt/format.h>

#include "import_onnx/from_onnx.h"

namespace dycl::import_onnx {

// A Constant node holds its value in one of several attributes.
Result<TensorData> constant_value(const onnx::AttributeProto& proto, ExternalFiles* files) {
  const std::string& name = proto.name();
  const auto count = [](const auto& list) {
    return std::vector<std::int64_t>{static_cast<std::int64_t>(list.size())};
  };
  if (name == "value") return from_onnx(proto.t(), files);
  if (name == "sparse_value") return from_onnx(proto.sparse_tensor(), files);
  if (name == "value_float") {
    const float value = proto.f();
    return make_tensor_of<float>(DType::F32, {}, std::span(&value, 1));
  }
  if (name == "value_int") {
    const std::int64_t value = proto.i();
    return make_tensor_of<std::int64_t>(DType::I64, {}, std::span(&value, 1));
  }
  if (name == "value_string") return make_string_tensor({}, std::span(&proto.s(), 1));
  if (name == "value_floats")
    return make_tensor_of<float>(
        DType::F32, count(proto.floats()),
        std::span(proto.floats().data(), static_cast<std::size_t>(proto.floats_size())));
  if (name == "value_ints") {
    const std::vector<std::int64_t> values(proto.ints().begin(), proto.ints().end());
    return make_tensor_of<std::int64_t>(DType::I64, count(values), values);
  }
  if (name == "value_strings")
    return make_string_tensor(count(proto.strings()),
                              std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
  return fail(Blame::Usage, "onnx.bad_constant", fmt::format("a Constant has no attribute '{}'", name));
}

}  // namespace dycl::import_onnx

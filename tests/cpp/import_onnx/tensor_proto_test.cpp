// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "import_onnx/from_onnx.h"
#include "support/onnx_builder.h"

namespace dycl::test {
namespace {

onnx::TensorProto typed(DType dtype, std::vector<std::int64_t> dims) {
  onnx::TensorProto proto;
  proto.set_data_type(static_cast<std::int32_t>(dtype));
  for (const std::int64_t dim : dims) proto.add_dims(dim);
  return proto;
}

TEST(TensorProto, RawAndTypedFieldsGiveTheSameTensor) {
  onnx::TensorProto proto = typed(DType::F32, {2});
  proto.add_float_data(1.5F);
  proto.add_float_data(-2);
  const auto tensor = import_onnx::from_onnx(proto, {});
  ASSERT_TRUE(tensor);
  EXPECT_EQ(*tensor, f32({2}, {1.5F, -2}));
}

TEST(TensorProto, NarrowTypesAreStoredInInt32Data) {
  onnx::TensorProto proto = typed(DType::F16, {1});
  proto.add_int32_data(0x3C00);
  const auto tensor = import_onnx::from_onnx(proto, {});
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->bytes.size(), 2U);
  EXPECT_EQ(tensor->bytes[1], std::byte{0x3C});
}

TEST(TensorProto, StringsKeepTheirBytes) {
  onnx::TensorProto proto = typed(DType::String, {2});
  proto.add_string_data("");
  proto.add_string_data(std::string("a\0b", 3));
  const auto tensor = import_onnx::from_onnx(proto, {});
  ASSERT_TRUE(tensor);
  EXPECT_EQ(strings_of(*tensor).value(), (std::vector<std::string>{"", std::string("a\0b", 3)}));
}

TEST(TensorProto, AWrongNumberOfBytesIsRefused) {
  onnx::TensorProto proto = typed(DType::F32, {3});
  proto.set_raw_data("1234");
  const auto tensor = import_onnx::from_onnx(proto, {});
  ASSERT_FALSE(tensor);
  EXPECT_EQ(tensor.error().message, "tensor '': it holds 4 bytes where its shape and type need 12");
}

TEST(TensorProto, AbsurdAndNegativeShapesAreRefused) {
  EXPECT_FALSE(import_onnx::from_onnx(typed(DType::F32, {-1}), {}));
  EXPECT_FALSE(import_onnx::from_onnx(typed(DType::F32, {std::int64_t{1} << 62, 8}), {}));
  EXPECT_FALSE(import_onnx::from_onnx(typed(static_cast<DType>(99), {1}), {}));
}

TEST(TensorProto, ASparseTensorBecomesDense) {
  onnx::SparseTensorProto sparse;
  *sparse.mutable_values() = to_proto("v", f32({2}, {5, 7}));
  *sparse.mutable_indices() = to_proto("i", i64({2, 2}, {0, 1, 1, 0}));
  sparse.add_dims(2);
  sparse.add_dims(2);
  const auto tensor = import_onnx::from_onnx(sparse, {});
  ASSERT_TRUE(tensor);
  EXPECT_EQ(*tensor, f32({2, 2}, {0, 5, 7, 0}));
}

TEST(TensorProto, ASparseIndexOutsideItsShapeIsRefused) {
  onnx::SparseTensorProto sparse;
  *sparse.mutable_values() = to_proto("v", f32({1}, {5}));
  *sparse.mutable_indices() = to_proto("i", i64({1}, {9}));
  sparse.add_dims(4);
  EXPECT_FALSE(import_onnx::from_onnx(sparse, {}));
}

}  // namespace
}  // namespace dycl::test

// SPDX-License-Identifier: Apache-2.0
// The parts of a package on their own: checksum, zip64, attributes, weights, host-op signatures.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/host_op_signature.h"
#include "base/utf8.h"
#include "package/crc32.h"
#include "package/entry.h"
#include "package/host_plan_json.h"
#include "package/package_editor.h"
#include "package/safetensors.h"
#include "package/verify_plan.h"
#include "package/zip_reader.h"
#include "package/zip_writer.h"
#include "support/onnx_builder.h"

namespace dycl::test {
namespace {

// A seed that is refused at once would lead the fuzzer nowhere.
TEST(FuzzerSeeds, AreValidPlans) {
  std::size_t seeds = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DYCL_HOST_PLAN_SEEDS)) {
    const auto plan = read_host_plan(read_file(entry.path()));
    ASSERT_TRUE(plan) << entry.path() << to_string(plan.error());
    const Status valid = verify_plan(*plan);
    EXPECT_TRUE(valid) << entry.path() << to_string(valid.error());
    ++seeds;
  }
  EXPECT_GE(seeds, 3U);
}

TEST(Crc32, GivesThePublishedCheckValue) {
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xCBF43926U);
  EXPECT_EQ(crc32(bytes_of("6789"), crc32(bytes_of("12345"))), 0xCBF43926U);
  EXPECT_EQ(crc32({}), 0U);
}

std::string zip_of(const std::vector<ZipSource>& sources, const zip::Thresholds& thresholds) {
  std::string bytes;
  const Status written = write_zip(
      sources,
      [&](std::span<const std::byte> piece) -> Status {
        bytes += text_of(piece);
        return {};
      },
      thresholds);
  EXPECT_TRUE(written);
  return bytes;
}

TEST(Zip, LargeNumbersMoveToZip64FieldsAndBack) {
  const std::string large(1000, 'x');
  const zip::Thresholds low{.bytes = 100, .entries = 2};
  const std::string bytes =
      zip_of({{"a", {bytes_of("one"), bytes_of("two")}}, {"b/c", {bytes_of(large)}}}, low);
  const auto entries = read_zip(bytes_of(bytes), nullptr, low);
  ASSERT_TRUE(entries) << to_string(entries.error());
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ(text_of((*entries)[0].bytes), "onetwo");
  EXPECT_EQ(text_of((*entries)[1].bytes), large);
  EXPECT_FALSE(read_zip(bytes_of(bytes), nullptr)) << "zip64 fields where none are needed";
}

TEST(Zip, EveryTruncationOfAZip64FileIsRefused) {
  const zip::Thresholds low{.bytes = 10, .entries = 1};
  const std::string bytes = zip_of({{"a", {bytes_of("0123456789")}}, {"b", {bytes_of("x")}}}, low);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(read_zip(bytes_of(std::string_view(bytes).substr(0, size)), nullptr, low)) << size;
}

TEST(Zip, TheWriterRefusesUnsafeNames) {
  const std::vector<ZipSource> sources{{"../a", {}}};
  EXPECT_FALSE(write_zip(sources, [](std::span<const std::byte>) { return Status(); }));
}

TEST(HostPlanJson, AttributesOfEveryKindKeepTheirBits) {
  const float negative_nan = -std::numeric_limits<float>::quiet_NaN();
  const auto tensor = std::make_shared<const TensorData>(f32({2}, {1, -0.0F}));
  HostPlan plan;
  Attributes attributes{{"i", std::numeric_limits<std::int64_t>::min()},
                        {"f", negative_nan},
                        {"d", -std::numeric_limits<double>::infinity()},
                        {"s", std::string("text \"quoted\"")},
                        {"raw", std::string("\xff\0\x01", 3)},
                        {"is", std::vector<std::int64_t>{1, -2}},
                        {"fs", std::vector<float>{-0.0F, 1e-45F, negative_nan}},
                        {"ss", std::vector<std::string>{"", "\xfe"}},
                        {"none", std::vector<std::int64_t>{}},
                        {"t", tensor}};
  plan.code.push_back({PlanHost{HostOp::Const, attributes, {}, {}}, {}, {}});
  const auto text = write_host_plan(plan);
  ASSERT_TRUE(text);
  const auto read = read_host_plan(*text);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_TRUE(equal(std::get<PlanHost>(read->code[0].operation).attributes, attributes));
}

TEST(HostPlanJson, TypesOfEveryKindSurvive) {
  HostPlan plan;
  plan.symbols = {{"a,b]", {}}, {"str", {1, 8}}, {"", {0, 0}}};  // names that would confuse a parser of types
  TensorType odd;
  odd.dtype = DType::BF16;
  odd.dims = {Dim(SymbolId(0)) * -3 + Dim(SymbolId(2)) + Dim(7), Dim(0)};
  odd.device = {DeviceKind::Cuda, 1};
  plan.slots = {odd, TensorType{}, ScalarType{ScalarKind::F64}, StringType{}, seq_of(optional_of(odd))};
  const auto read = read_host_plan(write_host_plan(plan).value());
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->slots, plan.slots);
  EXPECT_EQ(read->symbols, plan.symbols);
}

TEST(Safetensors, EveryElementTypeSurvives) {
  std::map<std::string, TensorPtr> weights;
  for (int number = 1; number <= 26; ++number) {
    const DType dtype = dtype_from_number(number).value();
    const std::array<std::string, 3> words{"a", "", "ccc"};
    TensorData tensor =
        dtype == DType::String
            ? make_string_tensor({3}, words)
            : make_tensor(dtype, {3}, std::vector<std::byte>(byte_size(dtype, 3).value(), std::byte{1}));
    weights[std::string(name_of(dtype))] = std::make_shared<const TensorData>(std::move(tensor));
  }
  const auto image = make_safetensors(weights);
  ASSERT_TRUE(image) << to_string(image.error());
  std::string file;
  for (const auto piece : image->pieces()) file += text_of(piece);
  const auto read = read_safetensors(bytes_of(file), nullptr);
  ASSERT_TRUE(read) << to_string(read.error());
  ASSERT_EQ(read->size(), weights.size());
  for (const auto& [name, tensor] : weights) EXPECT_EQ(*read->at(name), *tensor) << name;
}

TEST(Utf8, KnowsOverlongFormsAndSurrogates) {
  for (const std::string good :
       {"", "plain", "größe", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const std::string bad :
       {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"})
    EXPECT_FALSE(is_utf8(bad));
}

TEST(HostOpSignature, EveryOperationHasOne) {
  for (int number = 0; number <= static_cast<int>(HostOp::Row); ++number) {
    const auto op = static_cast<HostOp>(number);
    EXPECT_EQ(signature_of(op).op, op) << name_of(op);
    EXPECT_NE(name_of(op), "?");
  }
}

std::optional<std::string> problem(HostOp op, const Attributes& attributes, const std::vector<Type>& inputs,
                                   const Type& output) {
  std::vector<const Type*> pointers;
  for (const Type& input : inputs) pointers.push_back(&input);
  const std::array<const Type*, 1> outputs{&output};
  return check_host_op(op, attributes, pointers, outputs);
}

TEST(HostOpSignature, RelationsBetweenTypesAreChecked) {
  const Type integer = ScalarType{ScalarKind::I64};
  const Type real = ScalarType{ScalarKind::F64};
  const Type truth = ScalarType{ScalarKind::Bool};
  const Type f32s = TensorType{};
  EXPECT_EQ(problem(HostOp::Add, {}, {integer, integer}, integer), std::nullopt);
  EXPECT_NE(problem(HostOp::Add, {}, {integer, real}, integer), std::nullopt);
  EXPECT_NE(problem(HostOp::Add, {}, {truth, truth}, truth), std::nullopt);
  EXPECT_EQ(problem(HostOp::Lt, {}, {integer, real}, truth), std::nullopt) << "compared exactly";
  EXPECT_NE(problem(HostOp::Lt, {}, {integer, f32s}, truth), std::nullopt);
  EXPECT_NE(problem(HostOp::Lt, {}, {integer, integer}, integer), std::nullopt);
  EXPECT_EQ(problem(HostOp::Const, {{"value", 0.5}}, {}, real), std::nullopt);
  EXPECT_NE(problem(HostOp::Const, {{"value", 0.5}}, {}, integer), std::nullopt);
  EXPECT_NE(problem(HostOp::Const, {{"value", std::int64_t{2}}}, {}, truth), std::nullopt);
  EXPECT_EQ(problem(HostOp::SeqOf, {}, {f32s, f32s}, seq_of(f32s)), std::nullopt);
  EXPECT_NE(problem(HostOp::SeqOf, {}, {integer}, seq_of(f32s)), std::nullopt);
  EXPECT_EQ(problem(HostOp::SeqOf, {}, {}, seq_of(f32s)), std::nullopt);
  EXPECT_NE(problem(HostOp::Unwrap, {}, {optional_of(integer)}, f32s), std::nullopt);
  EXPECT_NE(problem(HostOp::View, {{"dims", std::vector<std::int64_t>{-1, -1}}}, {f32s}, f32s), std::nullopt);
  EXPECT_NE(problem(HostOp::ToTensor, {{"dtype", std::string("i64")}}, {integer}, f32s), std::nullopt);
  EXPECT_EQ(problem(HostOp::Not, {{"axis", std::int64_t{0}}}, {truth}, truth),
            "the attribute 'axis' is not known");
}

}  // namespace
}  // namespace dycl::test

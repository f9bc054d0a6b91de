// SPDX-License-Identifier: Apache-2.0
// Hand-made hostile weights, inside packages whose hashes are right.
#include <gmock/gmock.h>

#include "package/package_editor.h"

namespace dycl::test {
namespace {

using nlohmann::json;

const std::string kWeights = "weights/weights.safetensors";

std::string with_weights(const std::function<void(json&)>& edit) {
  PackageEditor editor;
  editor.edit_weights(edit);
  editor.rehash();
  return editor.bytes();
}

std::string with_weights_text(const std::function<void(std::string&)>& edit) {
  PackageEditor editor;
  edit(editor.entry(kWeights));
  editor.rehash();
  return editor.bytes();
}

// The data of a tensor inside the file.
std::size_t data_of(const std::string& file, const std::string& name) {
  const std::size_t length = number_at(file, 0, 4);
  return 8 + length + json::parse(file.substr(8, length))[name]["data_offsets"][0].get<std::size_t>();
}

TEST(HostileWeights, AFileShorterThanItsLengthFieldIsRefused) {
  expect_refused(with_weights_text([](std::string& file) { file = "abc"; }), "package.bad_weights",
                 "ends inside its header");
}

TEST(HostileWeights, AHeaderLongerThanTheFileIsRefused) {
  expect_refused(with_weights_text([](std::string& file) { set_number(file, 0, 8, ~std::uint64_t{0}); }),
                 "package.bad_weights", "longer than the file");
}

TEST(HostileWeights, OverlappingTensorsAreRefused) {
  expect_refused(
      with_weights([](json& header) { header["scale"]["data_offsets"] = header["matrix"]["data_offsets"]; }),
      "package.bad_weights", "overlaps another one");
}

TEST(HostileWeights, TensorsOutsideTheFileAreRefused) {
  expect_refused(with_weights([](json& header) { header["words"]["data_offsets"] = {1 << 20, 1 << 21}; }),
                 "package.bad_weights", "lies outside the file");
}

TEST(HostileWeights, AHoleBetweenTensorsIsRefused) {
  expect_refused(with_weights([](json& header) { header.erase("scale"); }), "package.bad_weights",
                 "there is a hole before");
}

TEST(HostileWeights, BytesBehindTheLastTensorAreRefused) {
  expect_refused(with_weights_text([](std::string& file) { file += std::string(64, 'x'); }),
                 "package.bad_weights", "unclaimed bytes behind the last tensor");
}

TEST(HostileWeights, ReversedOffsetsAreRefused) {
  expect_refused(with_weights([](json& header) { header["scale"]["data_offsets"] = {64, 0}; }),
                 "package.bad_weights", "two offsets in order");
}

TEST(HostileWeights, NegativeOffsetsAreRefused) {
  expect_refused(with_weights([](json& header) { header["scale"]["data_offsets"][0] = -64; }),
                 "package.bad_weights", "'data_offsets' must be an integer from 0");
}

TEST(HostileWeights, NegativeDimsAreRefused) {
  expect_refused(with_weights([](json& header) { header["matrix"]["shape"] = {-4, -4}; }),
                 "package.bad_weights", "tensor 'matrix': 'shape' must be an integer from 0");
}

TEST(HostileWeights, DimsWhoseProductOverflowsAreRefused) {
  expect_refused(with_weights([](json& header) {
                   header["matrix"]["shape"] = {std::int64_t{1} << 32, std::int64_t{1} << 32};
                 }),
                 "package.bad_weights", "tensor 'matrix': its dims are negative or too large");
}

TEST(HostileWeights, BytesThatDoNotFitTheElementTypeAreRefused) {
  expect_refused(with_weights([](json& header) { header["matrix"]["dtype"] = "F64"; }), "package.bad_weights",
                 "tensor 'matrix': it has 64 bytes, which do not fit");
}

TEST(HostileWeights, AnUnknownElementTypeIsRefused) {
  expect_refused(with_weights([](json& header) { header["matrix"]["dtype"] = "PICKLE"; }),
                 "package.bad_weights", "the element type 'PICKLE' is not known");
}

TEST(HostileWeights, TooManyDimsAreRefused) {
  expect_refused(with_weights([](json& header) { header["größe"]["shape"] = std::vector<int>(17, 1); }),
                 "package.bad_weights", "17 dims");
}

TEST(HostileWeights, AWeightOffTheAlignmentIsRefused) {
  expect_refused(with_weights([](json& header) {
                   // The first padding tensor and the weight behind it change places.
                   auto& padding = header["__padding__.0"]["data_offsets"];
                   auto& weight = header["größe"]["data_offsets"];
                   const std::int64_t start = padding[0];
                   const std::int64_t size = weight[1].get<std::int64_t>() - weight[0].get<std::int64_t>();
                   weight = {start, start + size};
                   padding = {start + size, start + size + 61};
                 }),
                 "package.bad_weights", "'größe' does not start at a multiple of 64");
}

TEST(HostileWeights, PaddingThatHidesDataIsRefused) {
  expect_refused(with_weights_text([](std::string& file) { file[data_of(file, "__padding__.0")] = 'x'; }),
                 "package.bad_weights", "'__padding__.0' is not padding");
}

TEST(HostileWeights, StringsThatLeaveTheirBufferAreRefused) {
  expect_refused(with_weights_text(
                     [](std::string& file) { set_number(file, data_of(file, "words") + 8, 8, 1U << 30U); }),
                 "package.bad_weights", "tensor 'words': its strings leave its buffer");
}

TEST(HostileWeights, AStringTensorWithAnAbsurdCountIsRefused) {
  expect_refused(
      with_weights([](json& header) { header["__metadata__"]["words"] = "str[2305843009213693951]"; }),
      "package.bad_weights", "tensor 'words': its strings need more bytes than it has");
}

TEST(HostileWeights, ATypeInTheMetadataThatCannotBeReadIsRefused) {
  expect_refused(with_weights([](json& header) { header["__metadata__"]["words"] = "str[n]"; }),
                 "package.bad_weights", "'str[n]' is not a type that would be stored as U8");
}

TEST(HostileWeights, MetadataOfATensorThatIsNotThereIsRefused) {
  expect_refused(with_weights([](json& header) { header["__metadata__"]["ghost"] = "u4[2]"; }),
                 "package.bad_weights", "its metadata names 'ghost'");
}

TEST(HostileWeights, TruthValuesOtherThanZeroAndOneAreRefused) {
  expect_refused(with_weights_text([](std::string& file) { file[data_of(file, "bits")] = 2; }),
                 "package.bad_weights", "tensor 'bits': it holds truth values other than 0 and 1");
}

TEST(HostileWeights, AMissingWeightIsRefused) {
  expect_refused(with_weights([](json& header) {
                   header["other"] = header["matrix"];
                   header.erase("matrix");
                 }),
                 "package.bad_subnet", "the weight 'matrix' is not in the package");
}

TEST(HostileWeights, AWeightOfAnotherShapeThanTheGraphSaysIsRefused) {
  expect_refused(with_weights([](json& header) { header["matrix"]["shape"] = {2, 8}; }), "package.bad_subnet",
                 "'matrix' is of another type than its graph says");
}

}  // namespace
}  // namespace dycl::test

// SPDX-License-Identifier: Apache-2.0
// A program's graph read back out of its artifact, and written as a file with or without weights beside it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "export_onnx/onnx_file.h"
#include "export_onnx/stored_graph.h"
#include "hcfg/text.h"
#include "import_onnx/from_onnx.h"
#include "import_onnx/read_model.h"

namespace dycl::export_onnx {
namespace {

constexpr std::int64_t kCount = 1000;

TensorData weights() {
  std::vector<float> values(kCount);
  for (std::size_t index = 0; index < values.size(); ++index) values[index] = static_cast<float>(index);
  return make_tensor_of<float>(DType::F32, {kCount}, values);
}

// x + w, with w among the artifact's weights and not in the text.
Artifact artifact_with_weights() {
  Hcfg graph = parse_hcfg("hcfg main(%x: f32[1000]) -> (y: f32[1000]) {\n  b0:\n    return %x\n}\n").value();
  const ValueId w = graph.add_constant(weights(), "w");
  const ValueId y = graph.add_value(graph.type_of(graph.inputs[0].value), "y");
  graph.blocks[0].steps.push_back(
      SubnetStep{"s0", {OnnxOp{"", "Add", 14, {}, {graph.inputs[0].value, w}, {y}, {}}}});
  std::get<Return>(graph.blocks[0].terminator).values = {y};
  Artifact artifact;
  artifact.hcfg = print(graph);
  artifact.weights.emplace("w", std::make_shared<const TensorData>(weights()));
  return artifact;
}

class ExportedFile : public ::testing::Test {
 protected:
  ExportedFile() { std::filesystem::create_directories(folder_); }
  ~ExportedFile() override { std::filesystem::remove_all(folder_); }

  // The only initializer of the file, its contents read from wherever they are.
  [[nodiscard]] TensorData stored() const {
    const auto file = import_onnx::read_model_file(path_).value();
    EXPECT_EQ(file.model->graph().initializer_size(), 1);
    import_onnx::ExternalFiles files(folder_);
    return import_onnx::from_onnx(file.model->graph().initializer(0), &files).value();
  }

  const std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) /
                                        ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::filesystem::path path_ = folder_ / "model.onnx";
};

TEST_F(ExportedFile, HoldsItsWeights) {
  ASSERT_TRUE(export_onnx_file(artifact_with_weights(), path_));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "model.onnx.data"));
  EXPECT_TRUE(stored() == weights());
}

TEST_F(ExportedFile, HasLargeWeightsBesideIt) {
  ASSERT_TRUE(export_onnx_file(artifact_with_weights(), path_, {.inline_limit = 1024}));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "model.onnx.data"));
  EXPECT_LT(std::filesystem::file_size(path_), 1024U);
  EXPECT_TRUE(stored() == weights());
}

TEST_F(ExportedFile, WithLargeWeightsIsRefusedWhereNothingCanLieBesideIt) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const auto written = export_onnx_file(artifact_with_weights(), path_, {.inline_limit = 1024});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, "export.too_large");
  EXPECT_NE(written.error().message.find("cannot lie beside"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "model.onnx.data"));
}

TEST_F(ExportedFile, IsRefusedAsBytesWhenItsWeightsAreTooLarge) {
  const auto bytes = export_onnx_bytes(artifact_with_weights(), {.inline_limit = 1024});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, "export.too_large");
}

TEST_F(ExportedFile, IsRefusedWhenAConstantIsMissing) {
  Artifact artifact = artifact_with_weights();
  artifact.weights.clear();
  const auto bytes = export_onnx_bytes(artifact);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, "export.no_graph");
}

TEST(ExportedGraph, KnowsThePositionsThatThePlanKnows) {
  Artifact artifact;
  artifact.hcfg =
      "hcfg main(%x: bool[]) -> (y: bool[]) {\n  b0:\n    %c: bool = item(%x)\n    branch %c ? b1() : b2()\n"
      "  b1:\n    raise ValueError \"bad\"()\n  b2:\n    return %x\n}\n";
  const auto at = [](std::uint32_t line) { return SourceSpan{"model.py", line, 1, {}}; };
  artifact.plan.code = {{PlanHost{}, {}, at(3), {}},
                        {PlanBranch{}, {}, at(3), {}},
                        {PlanRaise{}, {}, at(4), {at(9)}},
                        {PlanReturn{}, {}, at(5), {}}};
  artifact.plan.blocks = {{0, 0}, {2, 1}, {3, 2}};
  const auto bytes = export_onnx_bytes(artifact);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, "export.raise");
  EXPECT_EQ(bytes.error().span.line, 4U);
  ASSERT_EQ(bytes.error().notes.size(), 1U);
  EXPECT_NE(bytes.error().notes[0].find("model.py:9"), std::string::npos);
}

}  // namespace
}  // namespace dycl::export_onnx

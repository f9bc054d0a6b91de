// SPDX-License-Identifier: Apache-2.0
#include "hcfg/operator_versions.h"

#include <gtest/gtest.h>

namespace dycl::subnet {
namespace {

OnnxOp op(const char* name, std::int64_t version, Attributes attributes = {}) {
  return {"", name, version, std::move(attributes), {ValueId(0)}, {ValueId(1)}, {}};
}

std::int64_t opset_for(std::vector<OnnxOp> ops, std::int64_t newest) {
  std::vector<const OnnxOp*> pointers;
  for (const OnnxOp& one : ops) pointers.push_back(&one);
  const auto imports = common_opsets(Hcfg{}, pointers, newest);
  return imports ? imports->front().version : -1;
}

TEST(OperatorVersions, SinceVersionIsTheNewestThatTheOpsetHas) {
  EXPECT_EQ(since_version("", "Add", 13), 13);
  EXPECT_EQ(since_version("", "Add", 12), 7);
  EXPECT_EQ(since_version("", "Gelu", 19), std::nullopt);
  EXPECT_EQ(since_version("ai.onnx", "Relu", newest_opset()), 14);
  EXPECT_EQ(since_version("somebody", "Relu", 1), std::nullopt);
}

TEST(OperatorVersions, AnOperationThatUsesNothingNewIsWrittenForAnOlderBackend) {
  EXPECT_EQ(opset_for({op("Cast", 28, {{"to", std::int64_t{1}}})}, 27), 27);
  EXPECT_EQ(opset_for({op("Cast", 28, {{"to", std::int64_t{1}}})}, 20), 20);
}

TEST(OperatorVersions, AnAttributeThatIsNewKeepsTheOperatorSet) {
  EXPECT_EQ(opset_for({op("Cast", 28, {{"to", std::int64_t{24}}, {"round_mode", std::string("up")}})}, 23),
            -1);
  EXPECT_EQ(opset_for({op("Cast", 28, {{"to", std::int64_t{24}}, {"round_mode", std::string("up")}})}, 24),
            24);
}

TEST(OperatorVersions, ABreakingVersionCannotBeWrittenAsTheOneBefore) {
  EXPECT_EQ(opset_for({op("Softmax", 13)}, 12), -1);
  EXPECT_EQ(opset_for({op("Softmax", 11), op("Softmax", 13)}, 28), -1);
}

TEST(OperatorVersions, AFailureNamesTheOperation) {
  const OnnxOp softmax = op("Softmax", 13);
  const OnnxOp* const pointer = &softmax;
  const auto imports = common_opsets(Hcfg{}, std::span(&pointer, 1), 12);
  ASSERT_FALSE(imports);
  EXPECT_EQ(imports.error().code, "backend.opset_too_new");
  EXPECT_EQ(imports.error().message, "Softmax needs operator set 13, the backend knows 12 at most");
}

}  // namespace
}  // namespace dycl::subnet

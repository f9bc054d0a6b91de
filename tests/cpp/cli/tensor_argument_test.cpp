// SPDX-License-Identifier: Apache-2.0
#include "cli/tensor_argument.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/element_text.h"
#include "cli/npy.h"

namespace dycl::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string text_of(const ArgumentValue& value) {
  if (std::holds_alternative<ArgumentNone>(value)) return "none";
  if (const auto* tensor = std::get_if<TensorData>(&value)) return tensor_text(*tensor);
  std::string text = "(";
  for (const ArgumentValue& element : std::get<ArgumentList>(value)) text += text_of(element) + ";";
  return text + ")";
}

std::string parsed(std::string_view text) {
  const auto argument = parse_tensor_argument(text);
  if (!argument) return "refused: " + argument.error().message;
  return argument->name + " " + text_of(argument->value);
}

TEST(TensorArgument, TakesShapeAndType) {
  const auto spec = parse_tensor_spec("1x3x32xf32");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->dtype, DType::F32);
  EXPECT_THAT(spec->dims, ElementsAre(1, 3, 32));
  EXPECT_THAT(parse_tensor_spec("bool")->dims, IsEmpty());
}

TEST(TensorArgument, FillsWithZerosWithoutValues) { EXPECT_EQ(parsed("x=2xi32"), "x i32[2] = [0, 0]"); }

TEST(TensorArgument, RepeatsASingleValue) {
  EXPECT_EQ(parsed("x=2x2xf32=0.5"), "x f32[2,2] = [[0.5, 0.5], [0.5, 0.5]]");
}

TEST(TensorArgument, TakesOneValuePerElement) {
  EXPECT_EQ(parsed("v=3xf32=1, 2,-3e2"), "v f32[3] = [1, 2, -300]");
}

TEST(TensorArgument, TakesScalars) {
  EXPECT_EQ(parsed("n=i64=-9223372036854775808"), "n i64[] = -9223372036854775808");
}

TEST(TensorArgument, TakesBoolsStringsHalvesAndNibbles) {
  EXPECT_EQ(parsed("b=2xbool=true,0"), "b bool[2] = [true, false]");
  EXPECT_EQ(parsed("s=2xstr=one,two words"), "s str[2] = [\"one\", \"two words\"]");
  EXPECT_EQ(parsed("h=2xf16=0.1,inf"), "h f16[2] = [0.0999756, inf]");
  EXPECT_EQ(parsed("h=2xbf16=1.5,nan"), "h bf16[2] = [1.5, nan]");
  EXPECT_EQ(parsed("q=3xi4=-8,7,-1"), "q i4[3] = [-8, 7, -1]");
  EXPECT_EQ(parsed("q=3xu2=3,0,1"), "q u2[3] = [3, 0, 1]");
}

TEST(TensorArgument, TakesListsAndNone) {
  EXPECT_EQ(parsed("s=[]"), "s ()");
  EXPECT_EQ(parsed("s=[i64=1,i64=2]"), "s (i64[] = 1;i64[] = 2;)");
  EXPECT_EQ(parsed("s=[2xi64=1,2;1xi64=3]"), "s (i64[2] = [1, 2];i64[1] = [3];)");
  EXPECT_EQ(parsed("s=[[i64=1],[]]"), "s ((i64[] = 1;);();)");
  EXPECT_EQ(parsed("o=none"), "o none");
}

TEST(TensorArgument, ReadsFiles) {
  const std::string path = ::testing::TempDir() + "dycl_argument.npy";
  const std::vector<std::int64_t> values{7};
  std::ofstream(path, std::ios::binary)
      << write_npy(make_tensor_of<std::int64_t>(DType::I64, {1}, values)).value();
  EXPECT_EQ(parsed("x=@" + path), "x i64[1] = [7]");
  EXPECT_EQ(parsed("x=[@" + path + ",@" + path + "]"), "x (i64[1] = [7];i64[1] = [7];)");
}

TEST(TensorArgument, SplitsAtTheFirstEqualsSign) {
  EXPECT_EQ(parsed("a:0=1xstr=k=v"), "a:0 str[1] = [\"k=v\"]");
}

TEST(TensorArgument, SaysWhatIsWrong) {
  EXPECT_THAT(parsed("x"), HasSubstr("name and '='"));
  EXPECT_THAT(parsed("=1xf32"), HasSubstr("name and '='"));
  EXPECT_THAT(parsed("x=1x3"), HasSubstr("input 'x': '1x3' ends in no known element type"));
  EXPECT_THAT(parsed("x=ax3xf32"), HasSubstr("'a' is not a size"));
  EXPECT_THAT(parsed("x=-1xf32"), HasSubstr("'-1' is not a size"));
  EXPECT_THAT(parsed("x=3xf32=1,2"), HasSubstr("2 values were given for 3 elements"));
  EXPECT_THAT(parsed("x=1xi8=128"), HasSubstr("'128' is not a value of i8: out of range"));
  EXPECT_THAT(parsed("x=1xf32=1e60"), HasSubstr("out of range"));
  EXPECT_THAT(parsed("x=1xf32=one"), HasSubstr("not a number"));
  EXPECT_THAT(parsed("x=1xf32="), HasSubstr("not a number"));
  EXPECT_THAT(parsed("x=99999999999x99999999999xf32"), HasSubstr("too large"));
  EXPECT_THAT(parsed("x=[i64=1"), HasSubstr("not closed"));
  EXPECT_THAT(parsed("x=[[[[[[[[[[[i64]]]]]]]]]]]"), HasSubstr("nested"));
  EXPECT_THAT(parsed("x=1xf8e5m2=1"), HasSubstr(".npy"));
}

}  // namespace
}  // namespace dycl::cli

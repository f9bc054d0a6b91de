// SPDX-License-Identifier: Apache-2.0
// What an ONNX file cannot say is refused with its code and its position.
#include <gtest/gtest.h>

#include "export_onnx/export_onnx.h"
#include "hcfg/text.h"

namespace dycl::export_onnx {
namespace {

Diagnostic refusal_of(const std::string& text) {
  const Result<Hcfg> graph = parse_hcfg(text);
  EXPECT_TRUE(graph) << to_string(graph.error());
  auto model = export_onnx(*graph);
  EXPECT_FALSE(model);
  return model ? Diagnostic{} : model.error();
}

TEST(ExportRefusals, NameTheLineThatRaises) {
  const Diagnostic refusal = refusal_of(R"(hcfg main(%x: bool[]) -> (y: bool[]) {
  source s0 = "model.py":12:7
  b0:
    %c: bool = item(%x)
    branch %c ? b1() : b2()
  b1:
    raise ValueError "bad"() at s0
  b2:
    return %x
}
)");
  EXPECT_EQ(refusal.code, "export.raise");
  EXPECT_EQ(refusal.span.line, 12U);
  EXPECT_NE(refusal.message.find("ValueError"), std::string::npos);
}

TEST(ExportRefusals, NameChecksThatNoOutputCanFailWith) {
  const Diagnostic refusal = refusal_of(R"(hcfg main(%x: bool[]) -> (y: seq<bool[]>) {
  source s0 = "model.py":3:9
  b0:
    () = check(%x) {message="no", type="IndexError"} at s0
    %s: seq<bool[]> = seq_of(%x)
    return %s
}
)");
  EXPECT_EQ(refusal.code, "export.raise");
  EXPECT_EQ(refusal.span.line, 3U);
  EXPECT_NE(refusal.message.find("may raise here"), std::string::npos) << refusal.message;
}

TEST(ExportRefusals, NameFunctionsThatOnnxLacks) {
  for (const std::string name : {"cbrt", "unheard_of"}) {
    const Diagnostic refusal = refusal_of(R"(hcfg main(%x: f64[]) -> (y: float) {
  b0:
    %c: float = item(%x)
    %y: float = math(%c) {function=")" + name +
                                          R"("}
    return %y
}
)");
    EXPECT_EQ(refusal.code, "export.host_operation");
    EXPECT_NE(refusal.message.find("math." + name), std::string::npos) << refusal.message;
  }
}

TEST(ExportRefusals, NameResultsThatDiffer) {
  EXPECT_EQ(refusal_of(R"(hcfg main(%x: bool[]) -> () {
  b0:
    %c: bool = item(%x)
    branch %c ? b1() : b2()
  b1:
    return (%x, %x)
  b2:
    return (%x,)
}
)")
                .code,
            "export.results_differ");
}

TEST(ExportRefusals, NameObjectsOfTheCaller) {
  const Diagnostic refusal =
      refusal_of("hcfg main(%x: bool[]) -> () {\n  b0:\n    return [%x, {\"a\": argument 3}]\n}\n");
  EXPECT_EQ(refusal.code, "export.written_input");
  EXPECT_NE(refusal.message.find("list, dict or object of its caller"), std::string::npos);
}

TEST(ExportRefusals, NameStringResults) {
  EXPECT_EQ(refusal_of("hcfg main(%x: bool[]) -> () {\n  b0:\n    return (%x, \"text\")\n}\n").code,
            "export.string");
}

TEST(ExportRefusals, NameModelsThatGiveNothing) {
  EXPECT_EQ(refusal_of("hcfg main(%x: bool[]) -> () {\n  b0:\n    return (None,)\n}\n").code,
            "export.no_result");
}

TEST(ExportRefusals, NameModelsThatNeverReturn) {
  EXPECT_EQ(
      refusal_of("hcfg main(%x: bool[]) -> (y: bool[]) {\n  b0:\n    jump b1()\n  b1:\n    jump b1()\n}\n")
          .code,
      "export.endless");
}

}  // namespace
}  // namespace dycl::export_onnx

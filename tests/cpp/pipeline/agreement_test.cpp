// SPDX-License-Identifier: Apache-2.0
// The reference interpreter, constant folding and the runtime give one element the same bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hcfg/interpreter.h"
#include "hcfg/text.h"
#include "host_gen/host_gen.h"
#include "optimize/pass_list.h"
#include "runtime/session.h"

namespace dycl::pipeline {
namespace {

class NoTensorWork : public TensorOpEvaluator {
 public:
  Result<std::vector<TensorPtr>> evaluate(const TensorOp&, std::span<const TensorPtr>) override {
    return fail(Blame::Internal, "internal.test", "there is no tensor operation");
  }
};

// item, then to_tensor; the tensor is an input or a constant.
std::string text_of(const TensorData& tensor, ScalarKind kind, DType to, bool known) {
  const std::string from = fmt::format("{}[]", name_of(tensor.dtype));
  const std::string_view scalar = kind == ScalarKind::I64   ? "int"
                                  : kind == ScalarKind::F64 ? "float"
                                                            : "bool";
  std::string hex;
  for (const std::byte byte : tensor.bytes) hex += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  const std::string constant = known ? fmt::format("  const %x: {} = hex \"{}\"\n", from, hex) : "";
  return fmt::format(
      "hcfg main({}) -> (y: {}[]) {{\n{}  b0:\n    %s: {} = item(%x)\n"
      "    %y: {}[] = to_tensor(%s) {{dtype=\"{}\"}}\n    return %y\n}}\n",
      known ? "" : "%x: " + from, name_of(to), constant, scalar, name_of(to), name_of(to));
}

// The bytes in hex, or the type of what was raised.
template <class Tensor>
std::string outcome(const Result<Tensor>& tensor) {
  if (!tensor) return tensor.error().exception_type;
  std::string hex;
  for (const std::byte byte : tensor->bytes) hex += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return hex;
}

Result<TensorData> interpreted(const TensorData& tensor, ScalarKind kind, DType to) {
  const Hcfg graph = parse_hcfg(text_of(tensor, kind, to, false)).value();
  NoTensorWork nothing;
  const InterpreterValue input = std::make_shared<const TensorData>(tensor);
  auto done = interpret(graph, {&input, 1}, nothing);
  if (!done) return failure_of(std::move(done));
  return *std::get<TensorPtr>(done->outputs.at(0));
}

Result<TensorData> run_by_runtime(const TensorData& tensor, ScalarKind kind, DType to) {
  const Hcfg graph = parse_hcfg(text_of(tensor, kind, to, false)).value();
  Artifact artifact;
  artifact.plan = host_gen::generate_host(graph, {}).plan;
  runtime::RunSession session(
      runtime::LoadedProgram::load(verify_runnable(std::move(artifact)).value(), runtime::OpenedBackends{})
          .value());
  const runtime::RuntimeValue input =
      runtime::RuntimeTensor::share(std::make_shared<const TensorData>(tensor)).value();
  auto outputs = session.run({&input, 1});
  if (!outputs) return failure_of(std::move(outputs));
  return runtime::to_tensor_data(*outputs->at(0).tensor());
}

// The constant that the graph returns after folding; nullopt: left to the run.
std::optional<TensorData> folded(const TensorData& tensor, ScalarKind kind, DType to) {
  NoTensorWork nothing;
  optimize::PassContext context;
  context.evaluator = &nothing;
  const Hcfg graph = optimize::optimize(parse_hcfg(text_of(tensor, kind, to, true)).value(),
                                        optimize::OptimizeOptions{}, context)
                         .value();
  const ValueId result = std::get<Return>(graph.blocks.at(0).terminator).values.at(0);
  for (const Constant& constant : graph.constants)
    if (constant.value == result) return *constant.data;
  return std::nullopt;
}

void expect_agreement(const TensorData& tensor, ScalarKind kind, DType to, const std::string& wanted) {
  SCOPED_TRACE(fmt::format("{} to {}", name_of(tensor.dtype), name_of(to)));
  EXPECT_EQ(outcome(interpreted(tensor, kind, to)), wanted);
  EXPECT_EQ(outcome(run_by_runtime(tensor, kind, to)), wanted);
  const auto known = folded(tensor, kind, to);
  if (wanted.ends_with("Error"))
    EXPECT_FALSE(known) << "what raises must stay in the program";
  else
    EXPECT_EQ(known ? outcome(Result<TensorData>(*known)) : "left to the run", wanted);
}

TensorData i64(std::int64_t value) {
  return make_tensor_of<std::int64_t>(DType::I64, {}, std::span<const std::int64_t>(&value, 1));
}
TensorData f64(double value) {
  return make_tensor_of<double>(DType::F64, {}, std::span<const double>(&value, 1));
}
TensorData bits16(DType dtype, std::uint16_t bits) {
  return make_tensor_of<std::uint16_t>(dtype, {}, std::span<const std::uint16_t>(&bits, 1));
}

TEST(Agreement, OfIntsThatAFloatCannotHold) {
  constexpr std::int64_t kOne = 1;
  expect_agreement(i64((kOne << 53) + 1), ScalarKind::I64, DType::F32, "0000005a");
  expect_agreement(i64((kOne << 53) + 1), ScalarKind::I64, DType::F64, "0000000000004043");
  // Just above the middle between two f32; by way of f64 it would be rounded down.
  expect_agreement(i64((kOne << 60) + (kOne << 36) + 1), ScalarKind::I64, DType::F32, "0100805d");
}

TEST(Agreement, OfIntsThatTheResultCannotHold) {
  expect_agreement(i64(300), ScalarKind::I64, DType::U8, "OverflowError");
  expect_agreement(i64(-1), ScalarKind::I64, DType::U64, "OverflowError");
  expect_agreement(i64(-3), ScalarKind::I64, DType::I16, "fdff");
}

TEST(Agreement, OfRoundedFloats) {
  expect_agreement(f64(2049.0), ScalarKind::F64, DType::F16, "0068");
  expect_agreement(f64(65520.0), ScalarKind::F64, DType::F16, "007c");
  // Rounded by way of f32 this would be a tie, and go down.
  expect_agreement(f64(1.0 + 0x1p-8 + 0x1p-30), ScalarKind::F64, DType::BF16, "813f");
  expect_agreement(f64(-2.7), ScalarKind::F64, DType::I32, "feffffff");
  expect_agreement(bits16(DType::F16, 0x3C01), ScalarKind::F64, DType::F32, "0020803f");
  expect_agreement(bits16(DType::BF16, 0x4049), ScalarKind::F64, DType::F32, "00004940");
}

}  // namespace
}  // namespace dycl::pipeline

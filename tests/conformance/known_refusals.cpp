// SPDX-License-Identifier: Apache-2.0
#include "known_refusals.h"

#include <algorithm>
#include <array>

namespace dycl::conformance {
namespace {

struct Entry {
  std::string_view backend;
  Refusal how;
  std::string_view test;
  std::string_view question;  // operators and the first input's dtype
};

using enum Refusal;

constexpr auto refusals = std::to_array<Entry>({
    {"onnxruntime", ByCheck, "Every/DtypesTest.AreConcatenatedOrRefused/f8e4m3fn", "Concat f8e4m3fn"},
    {"onnxruntime", ByCheck, "Every/DtypesTest.AreConcatenatedOrRefused/f8e4m3fnuz", "Concat f8e4m3fnuz"},
    {"onnxruntime", ByCheck, "Every/DtypesTest.AreConcatenatedOrRefused/f8e5m2", "Concat f8e5m2"},
    {"onnxruntime", ByCheck, "Every/DtypesTest.AreConcatenatedOrRefused/f8e5m2fnuz", "Concat f8e5m2fnuz"},
    {"onnxruntime", ByCheck, "Every/DtypesTest.AreConcatenatedOrRefused/u4", "Concat u4"},
    {"onnxruntime", ByCheck, "Every/DtypesTest.AreConcatenatedOrRefused/i4", "Concat i4"},
    {"onnxruntime", ByCheck, "Every/DtypesTest.AreConcatenatedOrRefused/f8e8m0", "Concat f8e8m0"},
    {"onnxruntime", ByCheck, "Every/DtypesTest.AreConcatenatedOrRefused/u2", "Concat u2"},
    {"onnxruntime", ByCheck, "Every/DtypesTest.AreConcatenatedOrRefused/i2", "Concat i2"},
    {"openvino", ByCheck, "EmptyTensors.OfStringsAreCarried", "Identity str"},
    {"openvino", ByCheck, "Doubles.KeepTheirPrecisionInArithmetic", "Add f64"},
    {"openvino", ByCheck, "Doubles.KeepTheirPrecisionInArithmetic", "Mul f64"},
    {"openvino", ByCheck, "Doubles.KeepTheirPrecisionInMatrixProducts", "MatMul f64"},
    {"openvino", ByCheck, "Doubles.KeepTheirRange", "Add f64"},
    {"openvino", ByCheck, "InferTypes.TellsAScalarFromAnUnknownRank", "infer_types"},
    {"openvino", ByValue, "LargeIntegers.SurviveArithmetic", "Add i64"},
    {"openvino", ByValue, "LargeIntegers.SurviveArithmetic", "Sub i64"},
    {"openvino", ByValue, "LargeIntegers.SurviveArithmetic", "Mul i64"},
    {"openvino", ByValue, "LargeIntegers.SurviveArithmetic", "Div i64"},
    {"openvino", ByValue, "LargeIntegers.SurviveModuloWithTheDivisorsSign", "Mod i64"},
    {"openvino", ByValue, "LargeIntegers.SurviveComparisonAndSelection", "Equal i64"},
    {"openvino", ByValue, "LargeIntegers.SurviveComparisonAndSelection", "Less i64"},
    {"openvino", ByValue, "LargeIntegers.SurviveComparisonAndSelection", "Max i64"},
    {"openvino", ByValue, "LargeIntegers.SurviveComparisonAndSelection", "Where bool"},
    {"openvino", ByValue, "LargeIntegers.SurviveDataMovement", "Identity i64"},
    {"openvino", ByValue, "LargeIntegers.SurviveDataMovement", "Concat i64"},
    {"openvino", ByValue, "LargeIntegers.SurviveDataMovement", "Gather i64"},
    {"openvino", ByValue, "LargeIntegers.SurviveDataMovement", "Reshape i64"},
    {"openvino", ByValue, "LargeIntegers.SurviveReductions", "ReduceSum i64"},
    {"openvino", ByValue, "LargeIntegers.SurviveReductions", "ReduceMax i64"},
    {"openvino", ByValue, "LargeIntegers.SurviveReductions", "CumSum i64"},
    {"openvino", ByCheck, "LargeIntegers.SurviveReductions", "ReduceProd i64"},
    {"openvino", ByValue, "LargeIntegers.SumsAndProductsBeyondDoublePrecisionAreExactOrDeclared",
     "ReduceSum i64"},
    {"openvino", ByCheck, "LargeIntegers.SumsAndProductsBeyondDoublePrecisionAreExactOrDeclared",
     "ReduceProd i64"},
    {"openvino", ByValue, "LargeIntegers.SumsAndProductsBeyondDoublePrecisionAreExactOrDeclared",
     "ReduceSum i32"},
    {"openvino", ByCheck, "LargeIntegers.PowersAreExactOrDeclared", "Pow i64"},
    {"openvino", ByCheck, "LargeIntegers.CastToAndFromDouble", "Cast i64"},
    {"openvino", ByCheck, "LargeIntegers.CastToAndFromDouble", "Cast f64"},
    {"openvino", ByValue, "LargeIntegers.UnsignedKeepTheirHighestBit", "Identity u64"},
    {"openvino", ByValue, "LargeIntegers.UnsignedKeepTheirHighestBit", "Max u64"},
    {"openvino", ByValue, "IntegerDivision.OfTheMostNegativeByMinusOneIsSafeOrDeclared", "Div i64"},
    {"openvino", ByValue, "IntegerDivision.OfTheMostNegativeByMinusOneIsSafeOrDeclared", "Mod i64"},
    {"openvino", ByValue, "Every/DtypesTest.AreCarriedAsDeclared/i64", "Identity i64"},
    {"openvino", ByValue, "Every/DtypesTest.AreCarriedAsDeclared/u64", "Identity u64"},
    {"openvino", ByValue, "Every/DtypesTest.AreConcatenatedOrRefused/i64", "Concat i64"},
    {"openvino", ByValue, "Every/DtypesTest.AreConcatenatedOrRefused/u64", "Concat u64"},
    {"openvino", ByCheck, "HalfPrecision.IsRoundedBetweenOperators", "Cast Cast f32"},
    {"openvino", ByCheck, "HalfPrecision.SumsAreRoundedBetweenOperatorsOrItIsSaid", "Add Add f16"},
    {"tvm", ByCheck, "Bools.MadeFromNumbersAreComparedAsBools", "Cast Cast Equal u8"},
    {"tvm", ByCheck, "Bools.StayBoolsWhenMovedAndChosen", "ReduceMax bool"},
    {"tvm", ByCheck, "Bools.StayBoolsWhenMovedAndChosen", "ReduceMin bool"},
    {"tvm", ByCheck, "EmptyTensors.ReduceToTheNeutralElement", "ReduceSum f32"},
    {"tvm", ByCheck, "EmptyTensors.ReduceToTheNeutralElement", "ReduceProd f32"},
    {"tvm", ByCheck, "EmptyTensors.ReduceToTheNeutralElement", "ReduceMax f32"},
    {"tvm", ByCheck, "EmptyTensors.ReduceToTheNeutralElement", "ReduceMin f32"},
    {"tvm", ByCheck, "EmptyTensors.OfStringsAreCarried", "Identity str"},
    {"tvm", ByCheck, "HalfPrecision.IsRoundedToNearestWhereItLeaves", "Cast f32"},
    {"tvm", ByCheck, "HalfPrecision.IsReadExactly", "Cast bf16"},
    {"tvm", ByCheck, "HalfPrecision.IsRoundedBetweenOperators", "Cast Cast f32"},
    {"tvm", ByCheck, "NotANumber.PoisonsSums", "ReduceSum f32"},
    {"tvm", ByCheck, "NotANumber.PoisonsSums", "ReduceMean f32"},
    {"tvm", ByCheck, "SizeOneDims.BroadcastAndReduceRightly", "ReduceSum f32"},
    {"tvm", ByCheck, "InRange.NoIndicesIntoNothingAreFine", "GatherElements f32"},
    {"tvm", ByCheck, "InRange.NoIndicesIntoNothingAreFine", "ScatterND f32"},
    {"tvm", ByCheck, "InRange.OneHotOfAForeignIndexIsAllOff", "OneHot i64"},
    {"tvm", ByCheck, "InferTypes.TellsAScalarFromAnUnknownRank", "infer_types"},
    {"tvm", ByCheck, "LargeIntegers.SurviveDataMovement", "Reshape i64"},
    {"tvm", ByCheck, "LargeIntegers.SurviveReductions", "ReduceSum i64"},
    {"tvm", ByCheck, "LargeIntegers.SurviveReductions", "ReduceMax i64"},
    {"tvm", ByCheck, "LargeIntegers.SurviveReductions", "CumSum i64"},
    {"tvm", ByCheck, "LargeIntegers.SurviveReductions", "ReduceProd i64"},
    {"tvm", ByCheck, "LargeIntegers.PowersAreExactOrDeclared", "Pow i64"},
    {"tvm", ByCheck, "InRange.SliceClampsItsBounds", "Slice f32"},
});

struct LeftOpen {
  std::string_view backend;
  std::string_view test;
};

// What a maximum over NaN and a mean over nothing are.
constexpr auto left_open =
    std::to_array<LeftOpen>({{"onnxruntime", "NotANumber.PoisonsMaximaUnlessThatIsLeftOpen"},
                             {"onnxruntime", "EmptyTensors.HaveNoMeanUnlessThatIsLeftOpen"},
                             {"tvm", "NotANumber.PoisonsMaximaUnlessThatIsLeftOpen"},
                             {"tvm", "EmptyTensors.HaveNoMeanUnlessThatIsLeftOpen"}});

struct Code {
  std::string_view backend;
  std::string_view text;
};

constexpr auto value_codes =
    std::to_array<Code>({{"openvino", "the plugin calls it openvino.integer_range"},
                         {"openvino", "beyond what openvino computes exactly as i64 here"}});

}  // namespace

bool may_refuse(std::string_view backend, Refusal how, std::string_view test, std::string_view question) {
  if (backend == "skeleton") return how == Refusal::ByCheck;  // Identity, Add and Less only
  return std::ranges::any_of(refusals, [&](const Entry& entry) {
    return entry.backend == backend && entry.how == how && entry.test == test && entry.question == question;
  });
}

bool may_answer_otherwise(std::string_view backend, std::string_view test) {
  return std::ranges::any_of(
      left_open, [&](const LeftOpen& entry) { return entry.backend == backend && entry.test == test; });
}

bool refuses_value(std::string_view backend, std::string_view error) {
  return std::ranges::any_of(value_codes, [&](const Code& code) {
    return code.backend == backend && error.find(code.text) != std::string_view::npos;
  });
}

}  // namespace dycl::conformance

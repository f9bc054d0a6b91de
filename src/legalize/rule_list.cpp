// SPDX-License-Identifier: Apache-2.0
#include "legalize/rule_list.h"

#include <algorithm>
#include <array>

#include "legalize/indices.h"
#include "legalize/integer_division.h"
#include "legalize/integer_results.h"
#include "legalize/lost_nan.h"
#include "legalize/matmul.h"
#include "legalize/max_pool.h"
#include "legalize/missing_kernels.h"
#include "legalize/narrowing.h"
#include "legalize/recurrent.h"
#include "legalize/sigmoid.h"
#include "legalize/softmax.h"
#include "legalize/wide_integers.h"

namespace dycl::legalize {
namespace {

// Many runtimes lack the operation, or die of it: exported files hold it in the form that all have.
constexpr bool kInExportedFiles = true;

// What a maximum over NaN is, ONNX leaves to the backend: only programs that PyTorch judges are held to it.
constexpr std::array kRules{
    Rule{kIntegerDivisionByZero, RuleKind::Check, check_integer_division, Judge::Onnx,
         "Div or Mod on integers with a divisor 0"},
    Rule{kIntegerDivisionOverflow, RuleKind::Check, check_integer_division, Judge::Onnx,
         "Div or Mod (fmod=0) of the most negative i32 or i64 by -1"},
    Rule{"integer_pow_inexact", RuleKind::Check, check_integer_power, Judge::Onnx,
         "Pow with an i64 or u64 base and a result beyond 2^53"},
    Rule{"integer_reduction_inexact", RuleKind::Check, check_integer_reduction, Judge::Onnx,
         "ReduceSum or ReduceProd on i64 beyond 2^53, on i32 beyond 2^31"},
    Rule{"gather_out_of_range", RuleKind::Check, check_gathered_indices, Judge::Onnx,
         "Gather, GatherElements or GatherND with an index out of range"},
    Rule{"scatter_out_of_range", RuleKind::Check, check_scattered_indices, Judge::Onnx,
         "ScatterElements, ScatterND or Scatter with an index out of range"},
    Rule{"max_pool_nan", RuleKind::Check, check_pooled_nan, Judge::Eager,
         "MaxPool or GlobalMaxPool over NaN, which it skips"},
    Rule{"max_pool_place_of_infinity", RuleKind::Check, check_pooled_places, Judge::Eager,
         "The place of MaxPool's maximum over -inf alone"},
    Rule{"max_pool_lowest_finite", RuleKind::Rewrite, pool_halves, Judge::Eager,
         "MaxPool or GlobalMaxPool over -inf alone, which gives the lowest finite number"},
    Rule{"cast_skips_i64", RuleKind::Rewrite, keep_narrowing_apart, Judge::Onnx,
         "Cast to i64 and on to a narrower integer, which is done in one step", kInExportedFiles},
    Rule{"sigmoid_underflow", RuleKind::Rewrite, write_out_sigmoid, Judge::Eager,
         "Sigmoid of what is so small that it gives 0"},
    Rule{"softmax_underflow", RuleKind::Rewrite, write_out_softmax, Judge::Eager,
         "Softmax of f32 whose share is below the smallest normal number"},
    Rule{"log_softmax_loses_nan", RuleKind::Rewrite, write_out_log_softmax, Judge::Eager,
         "LogSoftmax of f64 over an infinity, which is NaN", kInExportedFiles},
    Rule{"log_sum_exp_loses_nan", RuleKind::Rewrite, put_back_nan, Judge::Eager,
         "ReduceLogSumExp over NaN and an infinity", kInExportedFiles},
    Rule{"recurrent_empty_batch", RuleKind::Rewrite, add_a_sample, Judge::Onnx,
         "LSTM or GRU over an empty batch", kInExportedFiles},
    Rule{"transposed_and_empty", RuleKind::Rewrite, keep_empty_apart, Judge::Onnx,
         "MatMul of transposed matrices without rows or columns, which ends the process", kInExportedFiles},
    Rule{"transposed_by_vector", RuleKind::Rewrite, multiply_columns, Judge::Onnx,
         "MatMul of a transposed matrix and a vector, which loses the transposition", kInExportedFiles},
    Rule{"where_of_bools", RuleKind::Rewrite, choose_by_logic, Judge::Onnx, "Where that chooses bools",
         kInExportedFiles},
    Rule{"clip_of_i16", RuleKind::Rewrite, clip_wider, Judge::Onnx, "Clip on i16", kInExportedFiles},
    Rule{"order_of_i64", RuleKind::Rewrite, order_by_comparison, Judge::Onnx,
         "Max, Min, Clip, Relu, Sign, ReduceMax or ReduceMin on i64 whose upper halves are equal",
         kInExportedFiles},
};

static_assert(std::ranges::all_of(kRules, [](const Rule& rule) {
  return !rule.in_exported_files || rule.kind == RuleKind::Rewrite;
}));

}  // namespace

std::span<const Rule> all_rules() { return kRules; }

std::vector<std::string> hazards_of_exported_files() {
  std::vector<std::string> hazards;
  for (const Rule& rule : kRules)
    if (rule.in_exported_files) hazards.emplace_back(rule.hazard);
  return hazards;
}

std::vector<Rule> rules_for(const std::set<std::string, std::less<>>& hazards, Judge judge) {
  std::vector<Rule> rules;
  for (const Rule& rule : kRules) {
    const bool is_meant = rule.judge == Judge::Onnx || rule.judge == judge;
    const bool is_new = std::ranges::find(rules, rule.function, &Rule::function) == rules.end();
    if (is_meant && is_new && hazards.contains(rule.hazard)) rules.push_back(rule);
  }
  return rules;
}

}  // namespace dycl::legalize

// SPDX-License-Identifier: Apache-2.0
// Where rules write: the operations of one sub-DNN as the backend is to compute them, and the checks on them.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hcfg/constant_table.h"
#include "hcfg/hcfg.h"
#include "legalize/guard.h"
#include "legalize/rule.h"
#include "legalize/subnet_facts.h"

namespace dycl::legalize {

struct LegalOps {
  std::vector<OnnxOp> ops;
  std::vector<Guard> guards;
};

// The version from which on all reductions take their axes as an operand.
inline constexpr std::int64_t kAxesAreInput = 18;

class Writer {
 public:
  // Keeps references to all but the rules. `hazards` are those that the backend declares.
  Writer(Hcfg& graph, const ConstantTable& constants, const SubnetFacts& facts, std::vector<Rule> rules,
         const std::set<std::string, std::less<>>& hazards);

  LegalOps run(std::span<const OnnxOp> ops);

  // Hands an operation to the rules behind the one that is at work; it is kept as it is when none takes it.
  void write(const OnnxOp& op);
  // Keeps an operation as it is: no other rule sees it.
  void keep(OnnxOp op) { result_.ops.push_back(std::move(op)); }
  // Keeps an operator with one new result, and one that gives the results of the operation being replaced.
  ValueId node(std::string name, std::int64_t version, std::vector<ValueId> inputs, DType dtype,
               Attributes attributes = {});
  void replace(const OnnxOp& op, std::string name, std::int64_t version, std::vector<ValueId> inputs,
               Attributes attributes = {});
  ValueId cast(ValueId value, DType dtype);

  ValueId fresh_of(DType dtype, const std::string& name) {
    return graph_.add_value(TensorType{dtype, std::nullopt, {}}, name);
  }
  ValueId fresh_like(ValueId value) {
    return graph_.add_value(graph_.type_of(value), graph_.value(value).name);
  }
  ValueId number(DType dtype, float value);
  ValueId integer(DType dtype, std::int64_t value);
  ValueId integers(const std::vector<std::int64_t>& values);

  // Raises at run time where the flag, of one element, is true; or where any element of `flags` is.
  void raise_if(ValueId flag, std::string type, std::string message);
  void raise_if_any(ValueId flags, std::string type, std::string message);
  // The same where eager would answer and the backend cannot: no exception of the model's.
  void refuse_if(ValueId flag, std::string message) { raise_if(flag, {}, std::move(message)); }
  void refuse_if_any(ValueId flags, std::string message) { raise_if_any(flags, {}, std::move(message)); }

  [[nodiscard]] bool declares(std::string_view hazard) const { return hazards_.contains(hazard); }
  [[nodiscard]] const SubnetFacts& facts() const { return facts_; }
  [[nodiscard]] const TensorType& type_of(ValueId value) const { return *graph_.type_of(value).tensor(); }
  [[nodiscard]] DType dtype_of(ValueId value) const { return type_of(value).dtype; }
  // The value's contents; null when they are not known.
  [[nodiscard]] const TensorData* constant(ValueId value) const;

 private:
  Hcfg& graph_;
  const ConstantTable& constants_;
  const SubnetFacts& facts_;
  const std::vector<Rule> rules_;
  const std::set<std::string, std::less<>>& hazards_;
  LegalOps result_;
  SourceId source_;       // of the operation that is being written
  std::size_t next_ = 0;  // of the rules, to be shown what is written
};

}  // namespace dycl::legalize

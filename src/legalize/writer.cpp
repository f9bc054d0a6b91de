// SPDX-License-Identifier: Apache-2.0
#include "legalize/writer.h"

#include <fmt/format.h>

#include <cstring>

namespace dycl::legalize {

Writer::Writer(Hcfg& graph, const ConstantTable& constants, const SubnetFacts& facts, std::vector<Rule> rules,
               const std::set<std::string, std::less<>>& hazards)
    : graph_(graph), constants_(constants), facts_(facts), rules_(std::move(rules)), hazards_(hazards) {}

LegalOps Writer::run(std::span<const OnnxOp> ops) {
  for (const OnnxOp& op : ops) {
    source_ = op.source;
    if (op.domain.empty())
      write(op);
    else
      keep(op);
  }
  return std::move(result_);
}

void Writer::write(const OnnxOp& op) {
  const std::size_t before = next_;
  bool taken = false;
  while (!taken && next_ < rules_.size()) taken = rules_[next_++].function(op, *this);
  if (!taken) keep(op);
  next_ = before;
}

ValueId Writer::node(std::string name, std::int64_t version, std::vector<ValueId> inputs, DType dtype,
                     Attributes attributes) {
  const ValueId output = fresh_of(dtype, name);
  keep({"", std::move(name), version, std::move(attributes), std::move(inputs), {output}, source_});
  return output;
}

void Writer::replace(const OnnxOp& op, std::string name, std::int64_t version, std::vector<ValueId> inputs,
                     Attributes attributes) {
  keep({"", std::move(name), version, std::move(attributes), std::move(inputs), op.outputs, source_});
}

ValueId Writer::cast(ValueId value, DType dtype) {
  return node("Cast", 13, {value}, dtype, {{"to", static_cast<std::int64_t>(dtype)}});
}

ValueId Writer::number(DType dtype, float value) {
  const ValueId constant =
      graph_.add_constant(make_tensor_of<float>(DType::F32, {}, std::span(&value, 1)), "k");
  return dtype == DType::F32 ? constant : cast(constant, dtype);
}

// Two's complement, low bytes first: the same code serves every width.
ValueId Writer::integer(DType dtype, std::int64_t value) {
  std::vector<std::byte> bytes(bit_width(dtype) / 8);
  std::memcpy(bytes.data(), &value, bytes.size());
  return graph_.add_constant(make_tensor(dtype, {}, std::move(bytes)), "k");
}

ValueId Writer::integers(const std::vector<std::int64_t>& values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return graph_.add_constant(make_tensor_of<std::int64_t>(DType::I64, {count}, values), "k");
}

void Writer::raise_if(ValueId flag, std::string type, std::string message) {
  graph_.values[flag.index()].name = fmt::format("raise{}", result_.guards.size());
  result_.guards.push_back({flag, std::move(type), std::move(message), source_});
}

// How many elements are true is read off the size of NonZero's result, because that is written the same way
// in every operator set (reductions are not).
void Writer::raise_if_any(ValueId flags, std::string type, std::string message) {
  const ValueId flat = node("Reshape", 5, {flags, integers({-1})}, DType::Bool);
  const ValueId places = node("NonZero", 9, {flat}, DType::I64);
  const ValueId count = node("Size", 1, {places}, DType::I64);
  const ValueId raised = node("Greater", 9, {count, integer(DType::I64, 0)}, DType::Bool);
  raise_if(raised, std::move(type), std::move(message));
}

const TensorData* Writer::constant(ValueId value) const {
  const TensorPtr* found = constants_.find(graph_, value);
  return found == nullptr ? nullptr : found->get();
}

}  // namespace dycl::legalize

// SPDX-License-Identifier: Apache-2.0
#include "hcfg/hcfg.h"

namespace dycl {

ValueId Hcfg::add_value(Type type, std::string value_name) {
  values.push_back({std::move(type), std::move(value_name)});
  return ValueId(values.size() - 1);
}

SymbolId Hcfg::add_symbol(std::string symbol_name) {
  symbols.push_back({std::move(symbol_name)});
  return SymbolId(symbols.size() - 1);
}

SourceId Hcfg::add_source(SourceSpan span, SourceId caller) {
  Source source{std::move(span), caller};
  if (sources.empty() || sources.back() != source) sources.push_back(std::move(source));
  return SourceId(sources.size() - 1);
}

std::vector<SourceSpan> Hcfg::source_stack(SourceId id) const {
  std::vector<SourceSpan> stack;
  while (id.valid() && id.index() < sources.size()) {
    const Source& source = sources[id.index()];
    if (source.span.known()) stack.push_back(source.span);
    if (source.caller >= id) break;  // a caller comes before what it calls: this always ends
    id = source.caller;
  }
  return stack;
}

BlockId Hcfg::add_block() {
  blocks.emplace_back();
  return BlockId(blocks.size() - 1);
}

ValueId Hcfg::add_constant(TensorData data, std::string value_name) {
  return add_constant(std::make_shared<const TensorData>(std::move(data)), std::move(value_name));
}

ValueId Hcfg::add_constant(TensorPtr data, std::string value_name) {
  std::vector<Dim> dims(data->dims.begin(), data->dims.end());
  const ValueId id = add_value(TensorType{data->dtype, std::move(dims), {}}, std::move(value_name));
  constants.push_back({id, std::move(data)});
  return id;
}

std::optional<Scalar> scalar_of_const(const HostStep& step, ScalarKind kind) {
  const auto found = step.attributes.find("value");
  if (found == step.attributes.end()) return std::nullopt;
  if (kind == ScalarKind::F64) {
    const double* number = std::get_if<double>(&found->second);
    return number == nullptr ? std::nullopt : std::optional<Scalar>(*number);
  }
  const std::int64_t* integer = std::get_if<std::int64_t>(&found->second);
  if (integer == nullptr) return std::nullopt;
  if (kind == ScalarKind::Bool) return Scalar(*integer != 0);
  return Scalar(*integer);
}

}  // namespace dycl

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

SourceId Hcfg::add_source(SourceSpan span) {
  if (sources.empty() || sources.back() != span) sources.push_back(std::move(span));
  return SourceId(sources.size() - 1);
}

BlockId Hcfg::add_block() {
  blocks.emplace_back();
  return BlockId(blocks.size() - 1);
}

ValueId Hcfg::add_constant(TensorData data, std::string value_name) {
  std::vector<Dim> dims(data.dims.begin(), data.dims.end());
  const ValueId id = add_value(TensorType{data.dtype, std::move(dims), {}, {}}, std::move(value_name));
  constants.push_back({id, std::make_shared<const TensorData>(std::move(data))});
  return id;
}

}  // namespace dycl

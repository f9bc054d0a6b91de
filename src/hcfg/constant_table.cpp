// SPDX-License-Identifier: Apache-2.0
#include "hcfg/constant_table.h"

namespace dycl {

void ConstantTable::update(const Hcfg& graph) {
  while (values_.size() > graph.constants.size() ||
         (!values_.empty() && graph.constants[values_.size() - 1].value != values_.back())) {
    position_[values_.back().index()] = -1;
    values_.pop_back();
  }
  position_.resize(graph.values.size(), -1);
  for (std::size_t place = values_.size(); place < graph.constants.size(); ++place) {
    values_.push_back(graph.constants[place].value);
    position_[values_.back().index()] = static_cast<std::int64_t>(place);
  }
}

const TensorPtr* ConstantTable::find(const Hcfg& graph, ValueId value) const {
  if (value.index() >= position_.size() || position_[value.index()] < 0) return nullptr;
  return &graph.constants[static_cast<std::size_t>(position_[value.index()])].data;
}

TensorPtr ConstantTable::contents(const Hcfg& graph, ValueId value) const {
  const TensorPtr* found = find(graph, value);
  return found == nullptr ? nullptr : *found;
}

}  // namespace dycl

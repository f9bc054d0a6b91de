// SPDX-License-Identifier: Apache-2.0
#include "optimize/clone_blocks.h"

#include "hcfg/uses.h"
#include "optimize/replacements.h"

namespace dycl::optimize {
namespace {

class Cloner {
 public:
  Cloner(Hcfg& graph, const std::vector<SymbolId>& symbols) : graph_(graph) {
    for (const SymbolId symbol : symbols)
      symbols_.emplace(symbol, graph.add_symbol(graph.symbols[symbol.index()].name));
  }

  void define(ValueId value) {
    const Type type = map_dims(graph_.type_of(value), [&](const Dim& dim) {
      Dim renamed(dim.constant);
      for (const auto& [symbol, factor] : dim.terms) {
        const auto found = symbols_.find(symbol);
        renamed = renamed + Dim(found == symbols_.end() ? symbol : found->second) * factor;
      }
      return renamed;
    });
    const std::string name = graph_.value(value).name;
    clone_.values.emplace(value, graph_.add_value(type, name));
  }

  void add_block(BlockId block) {
    clone_.blocks.emplace(block, graph_.add_block());
    for (const ValueId parameter : graph_.blocks[block.index()].parameters) define(parameter);
    for (const Step& step : graph_.blocks[block.index()].steps)
      for_each_definition(step, [&](ValueId value) { define(value); });
  }

  void fill_block(BlockId block) {
    Block copy = graph_.blocks[block.index()];
    const auto rename = [&](ValueId& value) {
      if (const auto found = clone_.values.find(value); found != clone_.values.end()) value = found->second;
    };
    for (ValueId& parameter : copy.parameters) rename(parameter);
    for (Step& step : copy.steps) {
      for_each_use(step, rename);
      for_each_definition(step, rename);
    }
    for_each_use(copy.terminator, rename);
    for_each_edge(copy.terminator, [&](Edge& edge) {
      if (const auto found = clone_.blocks.find(edge.target); found != clone_.blocks.end())
        edge.target = found->second;
    });
    graph_.blocks[clone_.blocks.at(block).index()] = std::move(copy);
  }

  Clone take() { return std::move(clone_); }

 private:
  Hcfg& graph_;
  Clone clone_;
  std::map<SymbolId, SymbolId> symbols_;
};

}  // namespace

Clone clone_blocks(Hcfg& graph, const std::vector<BlockId>& blocks, const std::vector<SymbolId>& symbols) {
  Cloner cloner(graph, symbols);
  for (const BlockId block : blocks) cloner.add_block(block);
  for (const BlockId block : blocks) cloner.fill_block(block);
  return cloner.take();
}

}  // namespace dycl::optimize

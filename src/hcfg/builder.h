// SPDX-License-Identifier: Apache-2.0
// Builds a graph block by block. Tensor operations appended one after another form one sub-DNN; a
// host operation between them ends it.
#pragma once

#include <string>
#include <vector>

#include "hcfg/hcfg.h"

namespace dycl {

class HcfgBuilder {
 public:
  explicit HcfgBuilder(Hcfg& graph) : graph_(graph) {}

  [[nodiscard]] Hcfg& graph() { return graph_; }
  [[nodiscard]] BlockId block() const { return block_; }
  void set_block(BlockId block) { block_ = block; }
  BlockId new_block() { return graph_.add_block(); }
  ValueId add_parameter(BlockId block, Type type, std::string name);
  void set_source(SourceId source) { source_ = source; }

  void tensor_op(TensorOp op);  // its outputs exist already; its source is set here
  ValueId host(HostOp op, std::vector<ValueId> inputs, Type result, std::string name,
               Attributes attributes = {});
  // Raises `type` with `message` when `raised` (a bool, or a bool tensor with one element) is true.
  void check(ValueId raised, std::string type, std::string message);
  // If the run raises from here on, that input has these contents.
  void write(std::uint32_t input, ValueId contents);
  ValueId const_int(std::int64_t value);
  ValueId const_bool(bool value);

  void jump(BlockId target, std::vector<ValueId> arguments = {});
  void branch(ValueId condition, BlockId then_block, BlockId else_block);
  void finish(Terminator terminator);

 private:
  Block& current() { return graph_.blocks[block_.index()]; }

  Hcfg& graph_;
  BlockId block_;
  SourceId source_;
};

}  // namespace dycl

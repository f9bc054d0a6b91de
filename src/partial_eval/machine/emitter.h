// SPDX-License-Identifier: Apache-2.0
// Writes into the HCFG what the machine finds to depend on the input.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/scalar.h"
#include "hcfg/builder.h"
#include "hcfg/constant_table.h"
#include "hcfg/fragment.h"
#include "partial_eval/machine/torch_bridge.h"
#include "partial_eval/values/state.h"

namespace dycl::partial_eval {

// A lowered call as a fragment of the HCFG; the border to src/import_onnx is in bindings/.
using FragmentMaker = std::function<Result<FragmentPtr>(const protocol::Fragment& fragment)>;

class Emitter {
 public:
  Emitter(const TorchBridge& torch, FragmentMaker make_fragment)
      : torch_(torch), make_fragment_(std::move(make_fragment)) {}

  Hcfg graph;

  dycl::BlockId new_block() { return graph.add_block(); }

  ValueId host(State& state, HostOp op, std::vector<ValueId> inputs, Type result, std::string name,
               Attributes attributes = {}, SourceId source = {});
  ValueId constant(State& state, const Scalar& scalar);
  ValueId tensor_of_scalar(State& state, const ScalarValue& scalar, SourceId source);

  // The emitter calls it before it writes anything that may raise.
  std::function<void(State& state)> before_raise;

  // A copy of a live tensor's elements.
  [[nodiscard]] TensorPtr contents(const nb::object& tensor) const;
  // A live tensor, copied once by identity (storage, offset, sizes, strides, dtype).
  ValueId weight(const nb::object& tensor);
  // A number as a 0-d tensor constant of that dtype.
  ValueId number(const Scalar& scalar);

  // One call of the fragment; gives its outputs, or says why no backend can take it.
  Result<std::vector<ValueId>> fragment(State& state, const protocol::LoweredPtr& lowered,
                                        std::vector<ValueId> inputs, SourceId source);

  // Says for each output of the fragment whether it is a flag that these inputs make false, as far as they
  // are constants.
  std::vector<bool> flags_that_are_false(const protocol::LoweredPtr& lowered,
                                         const std::vector<ValueId>& inputs);

  // Terminators. Pending checks are written before them.
  void jump(State& state, dycl::BlockId target, std::vector<ValueId> arguments, SourceId source);
  void branch(State& state, ValueId condition, dycl::BlockId then_block, dycl::BlockId else_block,
              SourceId source);
  void finish(State& state, Terminator terminator, SourceId source);
  void flush_checks(State& state);
  // Raises here when `raised` is true, not only at the end of the block.
  void check_now(State& state, ValueId raised, std::string type, std::string message, SourceId source);
  // Lets the caller's input have these contents if something raises from here on.
  void leave_if_raised(State& state, std::uint32_t input, ValueId contents);

 private:
  Result<FragmentPtr> made(const protocol::LoweredPtr& lowered);
  // Storage, offset, sizes, strides and dtype: equal identities are one weight.
  [[nodiscard]] std::vector<std::int64_t> identity_of(const nb::object& tensor) const;
  [[nodiscard]] TensorData data_of(nb::object tensor) const;

  const TorchBridge& torch_;
  FragmentMaker make_fragment_;
  ConstantTable constants_;                               // of `graph`
  std::set<ValueId> not_zero_;                            // numbers on the host that are known, and not 0
  std::map<std::vector<std::int64_t>, ValueId> weights_;  // by identity
  std::vector<nb::object> kept_;
  std::map<std::string, ValueId> numbers_;
  std::unordered_map<protocol::LoweredPtr, FragmentPtr> fragments_;
};

}  // namespace dycl::partial_eval

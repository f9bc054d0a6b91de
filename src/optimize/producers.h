// SPDX-License-Identifier: Apache-2.0
// What stands behind a value: the step, operation or constant that defines it.
#pragma once

#include <optional>

#include "base/scalar.h"
#include "hcfg/uses.h"

namespace dycl::optimize {

class Producers {
 public:
  explicit Producers(const Hcfg& graph) : graph_(graph), table_(use_table(graph)) {}

  [[nodiscard]] const UseTable& table() const { return table_; }
  [[nodiscard]] const HostStep* host_step(ValueId value) const;  // null: defined otherwise
  [[nodiscard]] const HostStep* host_step(ValueId value, HostOp op) const;
  [[nodiscard]] const TensorOp* tensor_op(ValueId value) const;
  [[nodiscard]] TensorPtr tensor(ValueId value) const;              // null: not a constant
  [[nodiscard]] std::optional<Scalar> scalar(ValueId value) const;  // what a Const step defines

 private:
  [[nodiscard]] const Step* step(ValueId value) const;

  const Hcfg& graph_;
  UseTable table_;
};

// Returns the step that defines `output` as this number.
HostStep const_step(const Scalar& scalar, ValueId output, SourceId source);

// The integers of an i64 or i32 tensor; nullopt for any other dtype or a null pointer.
std::optional<std::vector<std::int64_t>> integers_of(const TensorPtr& tensor);

}  // namespace dycl::optimize

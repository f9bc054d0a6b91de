// SPDX-License-Identifier: Apache-2.0
// Writes host operations as lines of C++ that call the rules of host_rules.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "package/host_plan.h"

namespace dycl::emit {

struct ProgramParts;

class HostWriter {
 public:
  explicit HostWriter(const ProgramParts& parts) : parts_(parts) {}

  // Returns the statement. `dead` are the slots that are last used here, `buffer` is where a tensor that it
  // makes in planned memory shall lie.
  [[nodiscard]] Result<std::string> write(const PlanHost& host, const std::vector<SlotIndex>& dead,
                                          const std::string& buffer) const;
  [[nodiscard]] std::string write_raise(const PlanRaise& raise) const;

 private:
  [[nodiscard]] std::string scalar(const PlanHost& host) const;
  [[nodiscard]] Result<std::string> tensor(const PlanHost& host, const std::string& buffer) const;
  [[nodiscard]] std::string value_of_tensor(const PlanHost& host) const;
  [[nodiscard]] Result<std::string> sequence(const PlanHost& host, const std::vector<SlotIndex>& dead) const;
  [[nodiscard]] std::string concatenation(const PlanHost& host) const;
  [[nodiscard]] std::string split(const PlanHost& host) const;
  [[nodiscard]] std::string sequence_of(const PlanHost& host) const;
  [[nodiscard]] Result<std::string> optional(const PlanHost& host) const;
  // The operand as a value: moved if it is not needed any more, so that a list can grow where it is.
  [[nodiscard]] std::string taken(const PlanHost& host, std::size_t index,
                                  const std::vector<SlotIndex>& dead) const;
  [[nodiscard]] std::string as_tensor(SlotIndex slot) const;
  [[nodiscard]] std::string element_address(SlotIndex slot) const;
  [[nodiscard]] Result<std::string> item(const PlanHost& host) const;
  [[nodiscard]] Result<std::string> row(const PlanHost& host) const;
  [[nodiscard]] std::string check(const PlanHost& host) const;
  [[nodiscard]] std::string constant(const PlanHost& host) const;
  [[nodiscard]] std::string keep_written(const PlanHost& host) const;
  [[nodiscard]] const std::string& name(SlotIndex slot) const;
  [[nodiscard]] ScalarKind kind_of(SlotIndex slot) const;
  [[nodiscard]] const TensorType& type_of(SlotIndex slot) const;

  const ProgramParts& parts_;
};

}  // namespace dycl::emit

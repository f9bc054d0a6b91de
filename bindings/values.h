// SPDX-License-Identifier: Apache-2.0
// Between Python objects and runtime values; numpy and torch memory is used in place.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "base/type.h"
#include "package/host_plan.h"
#include "runtime/value.h"

namespace dycl::python {

// Values for one call, and what keeps their memory alive until it returned. Made, used and destroyed
// with the GIL held; the run itself needs no GIL.
class BoundInputs {
 public:
  BoundInputs() = default;
  BoundInputs(const BoundInputs&) = delete;
  BoundInputs& operator=(const BoundInputs&) = delete;
  ~BoundInputs();

  // numpy arrays (ml_dtypes and strings included), torch tensors, DLPack exporters, Python numbers and
  // lists, None for what is left out.
  void add(nanobind::handle object, const PlanPort& port);

  [[nodiscard]] const std::vector<runtime::RuntimeValue>& values() const { return values_; }

 private:
  runtime::RuntimeValue bind(nanobind::handle object, const Type& type, const std::string& input);
  runtime::RuntimeValue bind_sequence(nanobind::handle object, const Type& element, const std::string& input);
  runtime::RuntimeValue bind_tensor(nanobind::handle object, DType declared, const std::string& input);
  runtime::RuntimeTensor bind_torch(nanobind::object tensor, const std::string& input);
  runtime::RuntimeTensor bind_numpy(nanobind::object array, const std::string& input);

  std::vector<runtime::RuntimeValue> values_;
  std::vector<nanobind::object> kept_;
  std::vector<std::unique_ptr<Py_buffer>> buffers_;
};

// Tensors become numpy arrays that own the runtime's buffer; one whose memory is shared with weights or
// other values is copied, so that writing into a result never changes the program.
nanobind::object to_python(const runtime::RuntimeValue& value);

}  // namespace dycl::python

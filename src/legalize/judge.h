// SPDX-License-Identifier: Apache-2.0
// Whose answers the operations of a sub-DNN are held to.
#pragma once

#include <cstdint>
#include <span>

#include "hcfg/hcfg.h"

namespace dycl::legalize {

enum class Judge : std::uint8_t {
  Onnx,   // the text of ONNX's specification, which leaves some answers open
  Eager,  // PyTorch's own run of the model
};

// A fragment is one leaf call of a PyTorch model (hcfg/fragment.h): operations with a call of one among them
// are held to what eager PyTorch gives, all of them.
Judge judge_of(std::span<const TensorOp> ops);

}  // namespace dycl::legalize

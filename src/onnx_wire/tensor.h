// SPDX-License-Identifier: Apache-2.0
// A tensor of an ONNX model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dycl::onnx_wire {

// A line of external_data: key "location", value "weights".
struct PlaceEntry {
  std::string key;
  std::string value;
};

struct Tensor {
  std::string name;
  std::int32_t dtype = 0;  // ONNX's number; 0: not said
  std::vector<std::int64_t> dims;
  std::string raw;                     // little-endian elements, if the file has them in this form
  std::vector<std::int64_t> integers;  // elements of the typed fields for integers
  std::vector<float> floats;
  bool is_external = false;
  std::vector<PlaceEntry> place;  // of external contents
  std::string other;              // further fields, as bytes
};

// Returns the elements of an integer or bool tensor; nullopt for other dtypes and external contents.
std::optional<std::vector<std::int64_t>> integer_elements(const Tensor& tensor);
std::optional<std::vector<float>> f32_elements(const Tensor& tensor);

}  // namespace dycl::onnx_wire

// SPDX-License-Identifier: Apache-2.0
// Reads inputs on the command line: name=SHAPExDTYPE[=VALUES], name=@file.npy, name=[…,…], name=none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/tensor_data.h"
#include "base/tensor_spec.h"

namespace dycl::cli {

struct ArgumentValue;
using ArgumentList = std::vector<ArgumentValue>;
struct ArgumentNone {};

struct ArgumentValue : std::variant<ArgumentNone, TensorData, ArgumentList> {
  using variant::variant;
};

struct TensorArgument {
  std::string name;
  ArgumentValue value;
};

// Splits "name=rest" at the first "=".
Result<std::pair<std::string, std::string>> split_argument(std::string_view text);

// Returns the type that a raw array (bf16 and smaller, see read_npy) has for an input; nullopt if it is not
// known.
using DTypeOfInput = std::function<std::optional<DType>(const std::string& input)>;

// Without values, the elements are zeros (or empty strings). One value stands for every element; otherwise
// there is one value per element. Elements of a list are separated by "," or, if one of them has several
// values, by ";".
Result<TensorArgument> parse_tensor_argument(std::string_view text, const DTypeOfInput& dtype_of = {});

}  // namespace dycl::cli

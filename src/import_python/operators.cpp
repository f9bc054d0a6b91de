// SPDX-License-Identifier: Apache-2.0
#include "import_python/operators.h"

#include <unordered_map>

namespace dycl::import_python {

using program::Operation;

Operation operation_of(std::string_view ast_name) {
  static const std::unordered_map<std::string_view, Operation> map = {
      {"USub", Operation::Negate},      {"UAdd", Operation::Plus},
      {"Invert", Operation::Invert},    {"Not", Operation::Not},
      {"Add", Operation::Add},          {"Sub", Operation::Subtract},
      {"Mult", Operation::Multiply},    {"MatMult", Operation::MatrixMultiply},
      {"Div", Operation::Divide},       {"FloorDiv", Operation::FloorDivide},
      {"Mod", Operation::Modulo},       {"Pow", Operation::Power},
      {"LShift", Operation::LeftShift}, {"RShift", Operation::RightShift},
      {"BitOr", Operation::BitOr},      {"BitXor", Operation::BitXor},
      {"BitAnd", Operation::BitAnd},    {"Lt", Operation::Less},
      {"LtE", Operation::LessEqual},    {"Eq", Operation::Equal},
      {"NotEq", Operation::NotEqual},   {"Gt", Operation::Greater},
      {"GtE", Operation::GreaterEqual},
  };
  const auto found = map.find(ast_name);
  return found == map.end() ? Operation::None : found->second;
}

}  // namespace dycl::import_python

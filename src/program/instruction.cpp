// SPDX-License-Identifier: Apache-2.0
#include "program/instruction.h"

#include <array>

namespace dycl::program {
namespace {

struct OpFacts {
  std::string_view name;
  bool never_raises = false;
};

// In the order of the enumeration.
constexpr std::array kOps = {
    OpFacts{"const", true},
    OpFacts{"move", true},
    OpFacts{"load_global"},
    OpFacts{"store_global"},
    OpFacts{"delete_global"},
    OpFacts{"load_cell"},
    OpFacts{"store_cell", true},
    OpFacts{"delete_cell"},
    OpFacts{"delete", true},
    OpFacts{"check_bound"},
    OpFacts{"unary"},
    OpFacts{"binary"},
    OpFacts{"compare"},
    OpFacts{"is", true},
    OpFacts{"is_not", true},
    OpFacts{"contains"},
    OpFacts{"truth"},
    OpFacts{"length"},
    OpFacts{"get_attr"},
    OpFacts{"set_attr"},
    OpFacts{"delete_attr"},
    OpFacts{"get_item"},
    OpFacts{"set_item"},
    OpFacts{"delete_item"},
    OpFacts{"build_slice", true},
    OpFacts{"build_list", true},
    OpFacts{"build_tuple", true},
    OpFacts{"build_set"},
    OpFacts{"build_dict"},
    OpFacts{"list_append", true},
    OpFacts{"list_extend"},
    OpFacts{"set_add"},
    OpFacts{"set_update"},
    OpFacts{"dict_set"},
    OpFacts{"dict_update"},
    OpFacts{"list_to_tuple", true},
    OpFacts{"build_string", true},
    OpFacts{"format_value"},
    OpFacts{"get_iter"},
    OpFacts{"unpack"},
    OpFacts{"call"},
    OpFacts{"super"},
    OpFacts{"make_function", true},
    OpFacts{"import"},
    OpFacts{"import_from"},
    OpFacts{"yield"},
    OpFacts{"exception_matches"},
    OpFacts{"enter_context"},
    OpFacts{"exit_context"},
    OpFacts{"match_sequence"},
    OpFacts{"match_mapping"},
    OpFacts{"match_keys"},
    OpFacts{"match_class"},
};
static_assert(kOps.size() == static_cast<std::size_t>(Op::MatchClass) + 1);

constexpr std::array<std::string_view, 24> kSymbols = {"",  "-", "+",  "~",  "not", "+",  "-",  "*",
                                                       "@", "/", "//", "%",  "**",  "<<", ">>", "|",
                                                       "^", "&", "<",  "<=", "==",  "!=", ">",  ">="};
static_assert(kSymbols.size() == static_cast<std::size_t>(Operation::GreaterEqual) + 1);

}  // namespace

std::string_view name_of(Op op) { return kOps[static_cast<std::size_t>(op)].name; }

std::string_view symbol_of(Operation operation) { return kSymbols[static_cast<std::size_t>(operation)]; }

bool never_raises(Op op) { return kOps[static_cast<std::size_t>(op)].never_raises; }

}  // namespace dycl::program

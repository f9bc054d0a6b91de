// SPDX-License-Identifier: Apache-2.0
// The structs that an emitted program returns: one for each different list of values and constants that the
// model's returns give back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "package/host_plan.h"

namespace dycl::emit {

struct ResultField {
  std::string name;    // a word of C
  std::string path;    // as the runtime names it: "logits", "1.x"
  std::string c_type;  // "const float*", "int64_t", "bool", "double", "const char*"
  Type type;           // of a value; of a constant, a scalar or a text
  bool operator==(const ResultField&) const = default;
};

struct ResultStruct {
  std::vector<ResultField> fields;
  bool operator==(const ResultStruct&) const = default;
};

// What one return gives a field: a slot, or the text of a constant.
struct ResultSource {
  bool is_slot = false;
  SlotIndex slot = 0;
  std::string constant;
};

struct ReturnSite {
  std::size_t which = 0;  // of the structs
  std::vector<ResultSource> sources;
};

struct Results {
  std::vector<ResultStruct> structs;
  std::map<std::uint32_t, ReturnSite> sites;  // by instruction
};

// Fails if a return gives back an object of the caller's. `view` is the type of values whose sizes are not
// known while the program is written.
Result<Results> results_of(const HostPlan& plan, const std::string& view);

// Returns a literal of C++ for the text, quotes included.
std::string quoted(const std::string& text);
// Returns the type of an exception without what Python needs to know of its arguments: "KeyError(int)" gives
// "KeyError".
std::string exception_name(const std::string& type);
// Returns a literal of C++ that reads back as the same number.
std::string literal(double number);
std::string literal(std::int64_t number);

// Returns "const float*" for tensors, "int64_t" and the like for scalars, "const char*" for texts.
std::string c_type_of(const Type& type);

}  // namespace dycl::emit

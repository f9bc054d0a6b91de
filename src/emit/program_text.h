// SPDX-License-Identifier: Apache-2.0
// The files of an emitted program that depend on the model: the C header, the C++ class, and the source.
#pragma once

#include <string>
#include <vector>

#include "emit/body_writer.h"

namespace dycl::emit {

std::string header_text(const ProgramParts& parts);
std::string class_text(const ProgramParts& parts);
std::string source_text(const ProgramParts& parts, const Body& body);

// Parts of the source: the class that runs the model, and the functions of the header.
std::string session_text(const ProgramParts& parts, const Body& body);
std::string entries_text(const ProgramParts& parts);

// Returns the inputs that the caller gives: all but the states.
std::vector<const PlanPort*> given_inputs(const HostPlan& plan);

// The parameters of the typed function, "float* x", with what a person should know of each.
struct Parameter {
  std::string text;  // "const float* x"
  std::string name;  // "x"
  std::string note;  // "f32[batch,3]"
};
std::vector<Parameter> parameters_of(const ProgramParts& parts);

// Returns the expression that makes what the session takes out of the parameters of the typed function.
std::string argument_of(const ProgramParts& parts, const PlanPort& port);

// Returns the type of the address of an input: "const float*", or "float*" if the program writes to it.
std::string pointer_type(const ProgramParts& parts, const PlanPort& port);

bool is_written(const ProgramParts& parts, const PlanPort& port);
std::size_t input_number(const ProgramParts& parts, const PlanPort& port);

// Returns "f32[1,10]".
std::string type_text(const Type& type);

}  // namespace dycl::emit

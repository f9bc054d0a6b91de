// SPDX-License-Identifier: Apache-2.0
// One message for a person: what happened, where, and what to do about it.
#pragma once

#include <string>
#include <vector>

#include "base/result_tree.h"
#include "base/source_span.h"

namespace dycl {

// Whose fault it is, and so who can correct it. The exit code of the command follows from it (see exit_code).
enum class Blame {
  Usage,        // the arguments or inputs are wrong, or a file does not exist
  Unsupported,  // the model uses something that DyCL refuses
  Backend,      // a vendor library is missing, refused or failed
  Package,      // a .dycl file is damaged, manipulated or of another version
  Model,        // the model itself raised
  Internal,     // DyCL has a bug
};

struct Diagnostic {
  Blame blame = Blame::Internal;
  std::string code;     // stable, dotted: "onnx.unsupported_type"; listed in docs/errors.md
  std::string message;  // one sentence
  SourceSpan span;
  std::string hint;                     // says what to do; may be empty
  std::vector<std::string> notes = {};  // further lines, e.g. "called from …"
  // The type of the exception that the model raised: "ValueError". It is empty unless the blame is
  // Blame::Model; the message does not repeat it.
  std::string exception_type = {};
  // The attributes of that exception, a dict of constants and of `exception_values`; null: it has none but
  // its message.
  ResultTree exception_attributes = {};
  std::vector<ResultConstant> exception_values = {};
};

// Returns the whole text: position, exception type, message, code, notes and hint, without a newline at the
// end.
std::string to_string(const Diagnostic& diagnostic);

// Sets the position to the first of `stack` and lists the others as "called from …".
void locate(Diagnostic& diagnostic, const std::vector<SourceSpan>& stack);

// Returns 2 for usage, 3 unsupported, 4 backend, 5 package, 6 if the model raised, 70 internal.
int exit_code(Blame blame);

}  // namespace dycl

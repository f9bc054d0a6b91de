// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "runtime/c_handles.h"

namespace dycl {
namespace {

Status run_session(dycl_session* session, const dycl_value* const* inputs, std::size_t input_count,
                   std::size_t output_count) {
  if (session == nullptr) return null_argument("session");
  if (inputs == nullptr && input_count > 0) return null_argument("inputs");
  const std::size_t promised = session->session.program().outputs().size();
  if (output_count != promised)
    return fail(Blame::Usage, "run.output_count",
                fmt::format("the program gives {} outputs, room for {} was given", promised, output_count));
  session->inputs.clear();
  for (std::size_t index = 0; index < input_count; ++index)
    session->inputs.push_back(inputs[index] == nullptr ? RuntimeValue() : inputs[index]->value);
  Status done = session->session.run(session->inputs, session->outputs);
  session->inputs.clear();  // borrowed memory is the caller's again
  return done;
}

}  // namespace
}  // namespace dycl

dycl_status* dycl_session_create(const dycl_program* program, dycl_session** session) {
  return dycl::guarded([&]() -> dycl::Status {
    if (program == nullptr || session == nullptr)
      return dycl::null_argument(program == nullptr ? "program" : "session");
    *session = nullptr;
    auto made = std::make_unique<dycl_session>(dycl_session{dycl::RunSession(program->program), {}, {}});
    *session = made.release();
    return {};
  });
}

dycl_status* dycl_session_run(dycl_session* session, const dycl_value* const* inputs, size_t input_count,
                              dycl_value** outputs, size_t output_count) {
  return dycl::guarded([&]() -> dycl::Status {
    if (outputs == nullptr && output_count > 0) return dycl::null_argument("outputs");
    for (std::size_t index = 0; index < output_count; ++index) outputs[index] = nullptr;
    dycl::Status done = dycl::run_session(session, inputs, input_count, output_count);
    if (!done) return done;
    std::vector<std::unique_ptr<dycl_value>> values;  // all or none
    for (dycl::RuntimeValue& value : session->outputs)
      values.push_back(std::make_unique<dycl_value>(dycl_value{std::move(value)}));
    session->outputs.clear();
    for (std::size_t index = 0; index < output_count; ++index) outputs[index] = values[index].release();
    return {};
  });
}

dycl_status* dycl_session_run_into(dycl_session* session, const dycl_value* const* inputs, size_t input_count,
                                   dycl_value* const* outputs, size_t output_count) {
  return dycl::guarded([&]() -> dycl::Status {
    if (outputs == nullptr && output_count > 0) return dycl::null_argument("outputs");
    for (std::size_t index = 0; index < output_count; ++index)
      if (outputs[index] == nullptr) return dycl::null_argument("outputs[" + std::to_string(index) + "]");
    dycl::Status done = dycl::run_session(session, inputs, input_count, output_count);
    for (std::size_t index = 0; index < output_count; ++index)
      outputs[index]->value = done ? std::move(session->outputs[index]) : dycl::RuntimeValue();
    if (session != nullptr) session->outputs.clear();
    return done;
  });
}

void dycl_session_free(dycl_session* session) { const std::unique_ptr<dycl_session> freed(session); }

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdint>

#include "package/result_tree_json.h"
#include "runtime/c_handles.h"
#include "runtime/named_outputs.h"

namespace dycl::runtime {
namespace {

// The last outputs are new contents of inputs.
void keep_written(dycl_session& session) {
  const auto written = session.session.written_inputs();
  const std::size_t first = session.outputs.size() - written.size();
  for (std::size_t index = 0; index < written.size(); ++index)
    session.written.push_back({written[index], std::move(session.outputs[first + index])});
  session.outputs.resize(first);
}

Status run_session(dycl_session* session, const dycl_value* const* inputs, std::size_t input_count) {
  if (session == nullptr) return null_argument("session");
  if (inputs == nullptr && input_count > 0) return null_argument("inputs");
  session->kept.clear();
  session->structure.clear();
  session->written.clear();
  session->inputs.clear();
  for (std::size_t index = 0; index < input_count; ++index)
    session->inputs.push_back(inputs[index] == nullptr ? RuntimeValue() : inputs[index]->value);
  Status done = session->session.run(session->inputs, session->outputs);
  session->inputs.clear();  // borrowed memory is the caller's again
  if (done || done.error().blame == Blame::Model) keep_written(*session);
  return done;
}

Status check_room(const dycl_session* session, std::size_t output_count) {
  if (session == nullptr) return null_argument("session");
  const LoadedProgram& program = session->session.program();
  if (program.facts().returns_structures)
    return fail(Blame::Usage, "run.structured_outputs",
                "the program returns structures, which may differ from run to run", {},
                "run it with dycl_session_run_kept (C++: run_named), then ask the session for the outputs");
  const std::size_t promised = program.outputs().size();
  if (output_count == promised) return {};
  return fail(Blame::Usage, "run.output_count",
              fmt::format("the program returns {} outputs, there is room for {}", promised, output_count));
}

void keep_outputs(dycl_session& session) {
  const HostPlan& plan = session.session.program().artifact().plan;
  const PlanReturn& taken = *session.session.last_return();
  const std::vector<PlanPort> ports = returned_ports(plan, taken);
  for (std::size_t index = 0; index < ports.size(); ++index)
    session.kept.push_back(
        {ports[index].name, type_text(plan, ports[index].type), std::move(session.outputs[index])});
  session.outputs.clear();
  if (taken.tree != nullptr) session.structure = nested_json(*taken.tree);
}

}  // namespace
}  // namespace dycl::runtime

dycl_status* dycl_session_create(const dycl_program* program, dycl_session** session) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    if (program == nullptr || session == nullptr)
      return dycl::runtime::null_argument(program == nullptr ? "program" : "session");
    *session = nullptr;
    auto made =
        std::make_unique<dycl_session>(dycl_session{dycl::runtime::RunSession(program->program), {}, {}});
    *session = made.release();
    return {};
  });
}

dycl_status* dycl_session_run(dycl_session* session, const dycl_value* const* inputs, size_t input_count,
                              dycl_value** outputs, size_t output_count) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    if (outputs == nullptr && output_count > 0) return dycl::runtime::null_argument("outputs");
    for (std::size_t index = 0; index < output_count; ++index) outputs[index] = nullptr;
    if (dycl::Status fits = dycl::runtime::check_room(session, output_count); !fits) return fits;
    dycl::Status done = dycl::runtime::run_session(session, inputs, input_count);
    if (!done) return done;
    std::vector<std::unique_ptr<dycl_value>> values;  // all or none
    for (dycl::runtime::RuntimeValue& value : session->outputs)
      values.push_back(std::make_unique<dycl_value>(dycl_value{std::move(value)}));
    session->outputs.clear();
    for (std::size_t index = 0; index < output_count; ++index) outputs[index] = values[index].release();
    return {};
  });
}

dycl_status* dycl_session_run_into(dycl_session* session, const dycl_value* const* inputs, size_t input_count,
                                   dycl_value* const* outputs, size_t output_count) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    if (outputs == nullptr && output_count > 0) return dycl::runtime::null_argument("outputs");
    for (std::size_t index = 0; index < output_count; ++index)
      if (outputs[index] == nullptr)
        return dycl::runtime::null_argument("outputs[" + std::to_string(index) + "]");
    if (dycl::Status fits = dycl::runtime::check_room(session, output_count); !fits) return fits;
    dycl::Status done = dycl::runtime::run_session(session, inputs, input_count);
    for (std::size_t index = 0; index < output_count; ++index)
      outputs[index]->value = done ? std::move(session->outputs[index]) : dycl::runtime::RuntimeValue();
    if (session != nullptr) session->outputs.clear();
    return done;
  });
}

dycl_status* dycl_session_run_kept(dycl_session* session, const dycl_value* const* inputs,
                                   size_t input_count) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    dycl::Status done = dycl::runtime::run_session(session, inputs, input_count);
    if (done) dycl::runtime::keep_outputs(*session);
    return done;
  });
}

size_t dycl_session_output_count(const dycl_session* session) { return session->kept.size(); }
const char* dycl_session_output_name(const dycl_session* session, size_t index) {
  return index < session->kept.size() ? session->kept[index].name.c_str() : nullptr;
}
const char* dycl_session_output_type(const dycl_session* session, size_t index) {
  return index < session->kept.size() ? session->kept[index].type.c_str() : nullptr;
}

dycl_status* dycl_session_output(const dycl_session* session, size_t index, dycl_value** value) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    if (session == nullptr || value == nullptr)
      return dycl::runtime::null_argument(session == nullptr ? "session" : "value");
    *value = nullptr;
    if (index >= session->kept.size())
      return dycl::fail(
          dycl::Blame::Usage, "run.value_index",
          fmt::format("the session keeps {} outputs, output {} was asked for", session->kept.size(), index));
    dycl::runtime::give_value(session->kept[index].value, value);
    return {};
  });
}

const char* dycl_session_structure(const dycl_session* session) { return session->structure.c_str(); }

size_t dycl_session_written_count(const dycl_session* session) { return session->written.size(); }
size_t dycl_session_written_input(const dycl_session* session, size_t index) {
  return index < session->written.size() ? session->written[index].input : SIZE_MAX;
}

dycl_status* dycl_session_written(const dycl_session* session, size_t index, dycl_value** value) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    if (session == nullptr || value == nullptr)
      return dycl::runtime::null_argument(session == nullptr ? "session" : "value");
    *value = nullptr;
    if (index >= session->written.size())
      return dycl::fail(dycl::Blame::Usage, "run.value_index",
                        fmt::format("the last run wrote {} inputs, number {} was asked for",
                                    session->written.size(), index));
    dycl::runtime::give_value(session->written[index].value, value);
    return {};
  });
}

dycl_status* dycl_session_reset(dycl_session* session) {
  return dycl::runtime::guarded([&]() -> dycl::Status {
    return session == nullptr ? dycl::Status(dycl::runtime::null_argument("session"))
                              : session->session.reset();
  });
}

void dycl_session_free(dycl_session* session) { const std::unique_ptr<dycl_session> freed(session); }

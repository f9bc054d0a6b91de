// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "emit/program_text.h"
#include "emit/slots.h"

namespace dycl::emit {
namespace {

// {0}: the program's name
constexpr const char* kFixedEntries = R"(namespace {{

thread_local emitted::Failed last_failure;
thread_local std::string last_text;

// Runs the body of a function of the header, and remembers why it failed.
template <class Body>
{0}_code guarded(const Body& body) noexcept {{
  return static_cast<{0}_code>(emitted::guarded(last_failure, body));
}}

void require(const void* argument, const char* name) {{
  if (argument == nullptr)
    emitted::fail(emitted::Code::Usage, "run.null_argument", std::string("the argument '") + name + "' is null");
}}

emitted::Settings settings_of(const {0}_options* options) {{
  if (options == nullptr) return {{}};
  if (options->struct_size != sizeof({0}_options))
    emitted::fail(emitted::Code::Usage, "run.options_size", "struct_size is not that of {0}_options");
  if (options->device_kind > 1 || options->device_kind < 0)
    emitted::fail(emitted::Code::Usage, "run.device", "only the CPU is served");
  return {{options->threads,
          options->plugin_folders,
          options->plugin_folder_count,
          options->vendor_folders,
          options->vendor_folder_count,
          options->allow_native != 0}};
}}

}}  // namespace

{0}_error {0}_last_error(void) {{
  try {{
    last_text = emitted::text_of(last_failure);
  }} catch (const std::bad_alloc&) {{
    last_text.clear();
  }}
  return {{static_cast<{0}_code>(last_failure.code), last_failure.reason.c_str(), last_failure.exception.c_str(),
          last_failure.message.c_str(), last_failure.place.c_str(), last_text.c_str()}};
}}

{0}_code {0}_open(const char* package, const {0}_options* options, {0}_program** program) {{
  return guarded([&] {{
    require(program, "program");
    *program = nullptr;
    auto kernels = std::make_shared<const emitted::LoadedKernels>(kTables, package, kEmbedded,
                                                                  settings_of(options));
    *program = std::make_unique<{0}_program>({0}_program{{std::move(kernels)}}).release();
  }});
}}

void {0}_close({0}_program* program) {{ const std::unique_ptr<{0}_program> freed(program); }}

{0}_code {0}_session_create(const {0}_program* program, {0}_session** session) {{
  return guarded([&] {{
    require(program, "program");
    require(session, "session");
    *session = nullptr;
    *session = std::make_unique<{0}_session>(program->kernels).release();
  }});
}}

void {0}_session_free({0}_session* session) {{ const std::unique_ptr<{0}_session> freed(session); }}

void {0}_limit_trips({0}_session* session, uint64_t most) {{
  if (session != nullptr) session->limit_trips(most);
}}

void {0}_watch({0}_session* session, const volatile int* stop) {{
  if (session != nullptr) session->watch(stop);
}}
)";

std::string run_text(const ProgramParts& parts) {
  std::string parameters;
  std::string arguments;
  for (const Parameter& parameter : parameters_of(parts)) parameters += parameter.text + ", ";
  for (const PlanPort* port : given_inputs(parts.plan)) arguments += argument_of(parts, *port) + ", ";
  return fmt::format(
      "\n{0}_code {0}_run({0}_session* session, {1}{0}_result* result) {{\n"
      "  return guarded([&] {{\n    require(session, \"session\");\n"
      "    require(result, \"result\");\n    session->run({2}result);\n  }});\n}}\n",
      parts.name, parameters, arguments);
}

// A view becomes what the session takes; `written` inputs are the caller's own memory.
std::string view_argument(const ProgramParts& parts, const PlanPort& port, std::size_t index) {
  const std::string type = parts.is_address(port.slot) ? "emitted::Tensor" : value_type(port.type);
  const std::string value =
      fmt::format("emitted::read_input<{}>(&inputs[{}], kTypes, kInputs[{}])", type, index, index);
  if (!parts.is_address(port.slot)) return value;
  const std::string from = is_written(parts, port) ? "const_cast<std::byte*>({}.data)" : "{}.data";
  return fmt::format("reinterpret_cast<{}>({})", pointer_type(parts, port),
                     fmt::format(fmt::runtime(from), value));
}

std::string views_text(const ProgramParts& parts) {
  const std::vector<const PlanPort*> ports = given_inputs(parts.plan);
  std::string arguments;
  for (std::size_t index = 0; index < ports.size(); ++index)
    arguments += view_argument(parts, *ports[index], index) + ",\n                 ";
  return fmt::format(
      "\n{0}_code {0}_run_views({0}_session* session, const {0}_view* inputs, size_t input_count,\n"
      "    {0}_result* result) {{\n  return guarded([&] {{\n"
      "    require(session, \"session\");\n    require(result, \"result\");\n"
      "    if (input_count != {1})\n"
      "      emitted::fail(emitted::Code::Usage, \"run.input_count\", \"the number of inputs is not {1}\");\n"
      "    {2};\n    session->run({3}result);\n  }});\n}}\n",
      parts.name, ports.size(), ports.empty() ? "(void)inputs" : "require(inputs, \"inputs\")", arguments);
}

std::string list_text(const ProgramParts& parts) {
  const auto& structs = parts.results.structs;
  std::string text = fmt::format(
      "\nsize_t {0}_list(const {0}_result* result, {0}_view* views, size_t room) {{\n"
      "  if (result == nullptr || views == nullptr) room = 0;\n",
      parts.name);
  for (std::size_t which = 0; which < structs.size(); ++which) {
    const std::size_t count = structs[which].fields.size();
    const std::string fill =
        count == 0
            ? "(void)room;"
            : fmt::format("emitted::list_fields(result, kResult{}, {}, kTypes, views, room);", which, count);
    if (structs.size() == 1) return text + fmt::format("  {}\n  return {};\n}}\n", fill, count);
    text += fmt::format("  if (result != nullptr && result->which == {}) {{\n    {}\n    return {};\n  }}\n",
                        which, fill, count);
  }
  return text + "  return 0;\n}\n";
}

std::string reset_text(const ProgramParts& parts) {
  for (const PlanPort& port : parts.plan.inputs)
    if (port.is_state())
      return fmt::format(
          "\n{0}_code {0}_reset({0}_session* session) {{\n  return guarded([&] {{\n"
          "    require(session, \"session\");\n    session->reset();\n  }});\n}}\n",
          parts.name);
  return "";
}

}  // namespace

std::string entries_text(const ProgramParts& parts) {
  return fmt::format(fmt::runtime(kFixedEntries), parts.name) + run_text(parts) + reset_text(parts) +
         views_text(parts) + list_text(parts);
}

}  // namespace dycl::emit

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "emit/program_text.h"
#include "emit/slots.h"

namespace dycl::emit {
namespace {

// {0}: the program's name, {1}: the same in capitals
constexpr const char* kTypes = R"(
/* The loaded sub-DNNs and weights: one per process, which sessions of any thread share. */
typedef struct {0}_program {0}_program;
/* What one thread needs to run the model: its memory, and the state that the model keeps. */
typedef struct {0}_session {0}_session;

/* What every function returns that can fail. Nothing is thrown. */
typedef enum {0}_code {{
  {1}_OK = 0,
  {1}_USAGE = 1,    /* an argument is wrong */
  {1}_LOAD = 2,     /* the package or a backend cannot be loaded */
  {1}_BACKEND = 3,  /* a sub-DNN failed */
  {1}_RAISED = 4,   /* the model raised an exception */
  {1}_STOPPED = 5,  /* a loop made more trips than it may, or the run was interrupted */
  {1}_MEMORY = 6,   /* there is not enough memory */
  {1}_INTERNAL = 7  /* a bug of DyCL or of a backend */
}} {0}_code;

/* Why the last call of this thread failed. The texts live until its next call. */
typedef struct {0}_error {{
  {0}_code code;
  const char* reason;    /* stable: "run.input_missing" */
  const char* exception; /* the type of the model's exception ("ValueError"), or "" */
  const char* message;   /* what happened, in one sentence */
  const char* place;     /* the line of the model, "model.py:31:9", or "" */
  const char* text;      /* all of it, for people */
}} {0}_error;
{0}_error {0}_last_error(void);

/* Set struct_size to sizeof the struct, and the rest to 0 where the default will do. */
typedef struct {0}_options {{
  size_t struct_size;
  int32_t threads;                   /* that the backends share; 0: as many as there are cores */
  const char* const* plugin_folders; /* are searched before the folders beside libdycl */
  size_t plugin_folder_count;
  const char* const* vendor_folders; /* folders with vendor libraries */
  size_t vendor_folder_count;
  int32_t allow_native;  /* non-zero: the package may contain machine code */
  int32_t device_kind;   /* DLPack's numbers; 0 and 1: the CPU. No other device is served yet. */
  int32_t device_index;
  void* stream;          /* of the device; null on the CPU */
}} {0}_options;

/* Loads the package that this program was written from. `options` may be null; `package`, too, if the package is
 * embedded (dycl emit --embed). */
{0}_code {0}_open(const char* package, const {0}_options* options, {0}_program** program);
/* Sessions that were made of it may live on. */
void {0}_close({0}_program* program);

/* `program` may be closed before the session. */
{0}_code {0}_session_create(const {0}_program* program, {0}_session** session);
void {0}_session_free({0}_session* session);
/* A loop of the model may make so many trips in one run; 0: as many as it likes, as in Python. */
void {0}_limit_trips({0}_session* session, uint64_t most);
/* A run ends at the next trip of a loop once *stop is not zero, which any thread may set. It may be null. */
void {0}_watch({0}_session* session, const volatile int* stop);
)";

constexpr const char* kView = R"(
/* A tensor, a number (a tensor without dims) or a list. Types have the numbers of ONNX's TensorProto.DataType: 1
 * is f32, 7 is i64, 9 is bool, 11 is f64, 8 a text; -1 is a list, 0 is None or an input that is left out. A list
 * of numbers that the model returns is a tensor of one dim. */
typedef struct {0}_view {{
  const char* name; /* of a result: its place in what the model returns; not read of inputs */
  int32_t dtype;
  int32_t rank;
  const int64_t* dims;
  const void* data;
  size_t byte_size;
  const struct {0}_view* items; /* of a list */
  size_t item_count;
}} {0}_view;
)";

constexpr const char* kGeneric = R"(
/* The same run with inputs in their order, whose types and sizes are checked. */
{0}_code {0}_run_views({0}_session* session, const {0}_view* inputs, size_t input_count, {0}_result* result);
/* Lists what a result holds; returns how many views there are, of which it fills the first `room`. */
size_t {0}_list(const {0}_result* result, {0}_view* views, size_t room);
)";

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string field_text(const ResultField& field, const std::string& indent) {
  std::string comment = type_text(field.type);
  if (field.name != field.path) comment = comment_text(field.path) + ": " + comment;
  return fmt::format("{}{} {}; /* {} */\n", indent, field.c_type, field.name, comment);
}

std::string struct_text(const ResultStruct& result, const std::string& name) {
  std::string text = fmt::format("typedef struct {} {{\n", name);
  for (const ResultField& field : result.fields) text += field_text(field, "  ");
  if (result.fields.empty()) text += "  char nothing; /* the model returns None or an empty structure */\n";
  return text + fmt::format("}} {};\n", name);
}

std::string results_text(const ProgramParts& parts) {
  std::string text =
      "\n/* What the model returns. Tensors lie in memory of the session until its next run. */\n";
  const std::string name = parts.name + "_result";
  const auto& structs = parts.results.structs;
  if (structs.size() == 1) return text + struct_text(structs[0], name);
  for (std::size_t index = 0; index < structs.size(); ++index)
    text += struct_text(structs[index], fmt::format("{}_{}", name, index));
  text += fmt::format(
      "typedef struct {} {{\n  int32_t which; /* which of these the model returned */\n  union {{\n", name);
  for (std::size_t index = 0; index < structs.size(); ++index)
    text += fmt::format("    {0}_{1} r{1};\n", name, index);
  return text + fmt::format("  }} as;\n}} {};\n", name);
}

}  // namespace

std::string type_text(const Type& type) {
  return to_string(type, [](SymbolId) { return std::string("?"); });
}

bool is_written(const ProgramParts& parts, const PlanPort& port) {
  return parts.written.contains(static_cast<std::uint32_t>(&port - parts.plan.inputs.data()));
}

namespace {

// Says whether the typed function takes the tensor as an address, with its sizes beside it.
bool has_address(const Type& type) { return type.tensor() != nullptr && type.tensor()->dims.has_value(); }

}  // namespace

std::string pointer_type(const ProgramParts& parts, const PlanPort& port) {
  std::string type = c_type_of(port.type);
  if (is_written(parts, port) && type.starts_with("const ")) type.erase(0, 6);
  return type;
}

std::vector<Parameter> parameters_of(const ProgramParts& parts) {
  std::vector<Parameter> parameters;
  std::set<SymbolId> known;
  for (const PlanPort* port : given_inputs(parts.plan)) {
    if (!has_address(port->type)) continue;
    for (const Dim& dim : *port->type.tensor()->dims)
      for (const auto& [symbol, factor] : dim.terms)
        if (known.insert(symbol).second) {
          const std::string name = parts.sizes[symbol.index()];
          parameters.push_back({"int64_t " + name, name, "a size"});
        }
  }
  for (const PlanPort* port : given_inputs(parts.plan)) {
    const std::string& name = parts.names[port->slot];
    std::string type =
        has_address(port->type) ? pointer_type(parts, *port) : "const " + parts.name + "_view*";
    if (port->type.scalar() != nullptr) type = c_type_of(port->type);
    const char* note = is_written(parts, *port) ? ", has new contents after the run" : "";
    parameters.push_back({type + " " + name, name, type_text(parts.plan, port->type) + note});
  }
  return parameters;
}

std::string argument_of(const ProgramParts& parts, const PlanPort& port) {
  const std::string& name = parts.names[port.slot];
  if (!parts.is_value(port.slot)) return name;
  if (!has_address(port.type))
    return fmt::format("emitted::read_input<{}>({}, kTypes, kInputs[{}])", value_type(port.type), name,
                       input_number(parts, port));
  std::vector<std::string> sizes;
  for (const Dim& dim : *port.type.tensor()->dims) sizes.push_back(size_text(parts, dim));
  return fmt::format("emitted::given_tensor({}, {}, {{{}}}, {})", quoted(port.name),
                     static_cast<int>(port.type.tensor()->dtype), fmt::join(sizes, ", "), name);
}

std::size_t input_number(const ProgramParts& parts, const PlanPort& port) {
  return static_cast<std::size_t>(&port - parts.plan.inputs.data());  // states come last
}

std::string header_text(const ProgramParts& parts) {
  const std::string& name = parts.name;
  const std::string guard = upper(name) + "_H";
  std::string parameters;
  bool has_states = false;
  for (const PlanPort& port : parts.plan.inputs) has_states = has_states || port.is_state();
  for (const Parameter& parameter : parameters_of(parts))
    parameters += fmt::format(",\n    {} /* {} */", parameter.text, parameter.note);
  std::string text = fmt::format(
      "/* Written by dycl emit. Change it as you like: nothing reads it again. */\n"
      "#ifndef {0}\n#define {0}\n\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n",
      guard);
  text += fmt::format(fmt::runtime(kTypes), name, upper(name));
  text += fmt::format(fmt::runtime(kView), name);
  text += results_text(parts);
  text += fmt::format(
      "\n/* Runs the model. */\n{0}_code {0}_run({0}_session* session{1},\n    {0}_result* result);\n", name,
      parameters);
  if (has_states)
    text += fmt::format(
        "/* Sets the state that the model keeps from run to run back to the first one. A failed run leaves "
        "it. */\n"
        "{0}_code {0}_reset({0}_session* session);\n",
        name);
  text += fmt::format(fmt::runtime(kGeneric), name);
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace dycl::emit

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/tensor_data.h"
#include "emit/program_text.h"
#include "emit/slots.h"

namespace dycl::emit {
namespace {

// A type of the tables. Unknown sizes are -1; without `has_rank`, the number of dims is not known.
struct TableType {
  DType dtype = DType::F32;
  bool has_rank = true;
  std::vector<std::int64_t> dims;
  auto operator<=>(const TableType&) const = default;
};

// The type of a tensor or number; of a list or an optional, that of what it holds.
TableType table_type(const Type& type) {
  if (const SeqType* sequence = type.seq()) return table_type(*sequence->element);
  if (const OptionalType* optional = type.optional()) return table_type(*optional->element);
  if (const TensorType* tensor = type.tensor()) {
    TableType known{tensor->dtype, tensor->dims.has_value(), {}};
    if (tensor->dims)
      for (const Dim& dim : *tensor->dims) known.dims.push_back(dim.is_static() ? dim.constant : -1);
    return known;
  }
  if (type.scalar() == nullptr) return {DType::String, true, {}};
  switch (type.scalar()->kind) {
    case ScalarKind::Bool: return {DType::Bool, true, {}};
    case ScalarKind::I64: return {DType::I64, true, {}};
    case ScalarKind::F64: return {DType::F64, true, {}};
  }
  return {};
}

class SourceWriter {
 public:
  SourceWriter(const ProgramParts& parts, const Body& body) : parts_(parts), plan_(parts.plan), body_(body) {}

  std::string run() {
    std::string entries = inputs_table() + results_tables();
    std::string tables = sites_text();
    return head() + types_text() + tables + webs_text() + places_text() + weights_text() + tables_text() +
           entries + "}  // namespace\n\n" + embedded_text() + session_text(parts_, body_) +
           entries_text(parts_);
  }

 private:
  std::size_t number_of(const TableType& type) { return types_.emplace(type, types_.size()).first->second; }
  std::size_t number_of(const Type& type) { return number_of(table_type(type)); }

  [[nodiscard]] std::string head() const {
    return fmt::format(
        "// Written by dycl emit. Change it as you like: nothing reads it again.\n"
        "#include \"{0}.h\"\n\n#include <cstddef>\n#include <limits>\n#include <memory>\n#include "
        "<string>\n\n"
        "#include \"emitted/inputs.h\"\n#include \"emitted/items.h\"\n"
        "#include \"emitted/join_and_split.h\"\n#include \"emitted/results.h\"\n"
        "#include \"emitted/session.h\"\n#include \"host_rules/compare.h\"\n#include "
        "\"host_rules/elements.h\"\n"
        "#include \"host_rules/floats.h\"\n#include \"host_rules/format.h\"\n"
        "#include \"host_rules/integers.h\"\n#include \"host_rules/math_functions.h\"\n"
        "#include \"host_rules/power_and_round.h\"\n\n"
        "namespace py = {0}_support::host_rules;  // arithmetic as Python does it\n"
        "namespace emitted = {0}_support::emitted;\n\nnamespace {{\n\n",
        parts_.name);
  }

  std::string types_text() const {
    std::string dims;
    std::vector<std::string> rows(types_.size());
    for (const auto& [type, number] : types_) {
      const auto count = element_count(type.dims).value_or(0);  // 0 where a size is not known
      const std::size_t bytes = byte_size(type.dtype, count).value_or(0);
      if (!type.dims.empty())
        dims +=
            fmt::format("constexpr std::int64_t kDims{}[] = {{{}}};\n", number, fmt::join(type.dims, ", "));
      rows[number] = fmt::format("    {{{}, {}, {}, {}}},  // {}\n", static_cast<int>(type.dtype),
                                 type.has_rank ? static_cast<int>(type.dims.size()) : -1,
                                 type.dims.empty() ? "nullptr" : fmt::format("kDims{}", number), bytes,
                                 fmt::format("{}[{}]", name_of(type.dtype), fmt::join(type.dims, ",")));
    }
    return fmt::format(
        "// The types of tensors that go into sub-DNNs and come out of them.\n{}"
        "constexpr emitted::TensorType kTypes[] = {{\n{}}};\n\n",
        dims, fmt::join(rows, ""));
  }

  std::string sites_text() {
    std::string lists;
    std::string kernels;
    std::string sites;
    std::vector<const PlanCall*> calls(plan_.subnets.size(), nullptr);
    for (const PlanInstruction& instruction : plan_.code)
      if (const auto* call = std::get_if<PlanCall>(&instruction.operation)) calls[call->subnet] = call;
    for (std::size_t index = 0; index < calls.size(); ++index) {
      const PlanSubnet& subnet = plan_.subnets[index];
      std::vector<std::size_t> types;
      for (const SlotIndex slot : calls[index]->inputs) types.push_back(number_of(plan_.slots[slot]));
      for (const SlotIndex slot : calls[index]->outputs) types.push_back(number_of(plan_.slots[slot]));
      lists += fmt::format("constexpr std::uint32_t kTypesOf{}[] = {{{}}};\n", index, fmt::join(types, ", "));
      lists += guards_text(index);
      kernels += fmt::format("    {{{}, {}, {}}},\n", quoted(subnet.name), quoted(subnet.hash),
                             quoted(subnet.backend));
      sites += fmt::format("    {{{}, kTypesOf{}, {}, {}, {}, {}}},\n", quoted(subnet.name), index,
                           calls[index]->inputs.size(), calls[index]->outputs.size(),
                           subnet.guards.empty() ? "nullptr" : fmt::format("kGuardsOf{}", index),
                           subnet.guards.size());
    }
    if (calls.empty()) return "// The model has no sub-DNN.\n";
    return fmt::format(
        "// The sub-DNNs, by their contents, and the types of what goes in and comes out.\n"
        "enum Site : std::size_t {{ {} }};\n{}"
        "constexpr dycl_kernel_name kKernels[] = {{\n{}}};\n"
        "constexpr emitted::SiteType kSites[] = {{\n{}}};\n\n",
        fmt::join(parts_.sites, ", "), lists, kernels, sites);
  }

  [[nodiscard]] std::string guards_text(std::size_t index) const {
    const std::vector<PlanGuard>& guards = plan_.subnets[index].guards;
    if (guards.empty()) return "";
    std::string rows;
    for (const PlanGuard& guard : guards)
      rows += fmt::format("    {{{}, {}, {}}},\n", quoted(exception_name(guard.type)), quoted(guard.message),
                          quoted(guard.source.known() ? to_string(guard.source) : ""));
    return fmt::format("constexpr emitted::Guard kGuardsOf{}[] = {{\n{}}};\n", index, rows);
  }

  [[nodiscard]] std::string webs_text() const {
    std::string text;
    for (WebIndex index = 0; index < parts_.memory.webs.size(); ++index) {
      const Web& web = parts_.memory.webs[index];
      if (web.offsets.size() < 2) continue;
      text += fmt::format(
          "constexpr std::size_t k{0}Offsets[] = {{{1}}};\n"
          "constexpr emitted::Web {2}{{{3}, k{0}Offsets, {4}}};\n",
          web_name(index).substr(1), fmt::join(web.offsets, ", "), web_name(index), web.bytes,
          web.offsets.size());
    }
    if (text.empty()) return text;
    return "// Buffers that values share which are passed on to each other: see other_than().\n" + text +
           "\n";
  }

  [[nodiscard]] std::string places_text() const {
    std::string rows;
    for (const std::string& place : body_.places) rows += fmt::format("    {},\n", quoted(place));
    return fmt::format("// Lines of the model, for errors.\nconstexpr const char* kPlaces[] = {{\n{}}};\n\n",
                       rows);
  }

  // The constants of the plan, then what its states begin with.
  [[nodiscard]] std::vector<std::string> weights() const {
    std::vector<std::string> names;
    for (const PlanConstant& constant : plan_.constants) names.push_back(constant.weight);
    for (const PlanPort& port : plan_.inputs)
      if (port.is_state()) names.insert(names.end(), port.initial->begin(), port.initial->end());
    return names;
  }

  [[nodiscard]] std::string weights_text() const {
    std::string rows;
    for (const std::string& weight : weights()) rows += fmt::format("    {},\n", quoted(weight));
    if (rows.empty()) return "";
    return fmt::format("constexpr const char* kWeights[] = {{\n{}}};\n\n", rows);
  }

  [[nodiscard]] std::string tables_text() const {
    const bool calls = !plan_.subnets.empty();
    const std::size_t count = weights().size();
    return fmt::format(
        "constexpr emitted::ProgramTables kTables{{{}, {}, {}, kTypes, kPlaces, {}, {}, {}}};\n\n",
        calls ? "kKernels" : "nullptr", calls ? "kSites" : "nullptr", plan_.subnets.size(),
        count > 0 ? "kWeights" : "nullptr", count, parts_.memory.arena_bytes);
  }

  [[nodiscard]] std::string embedded_text() const {
    if (!parts_.embed)
      return "constexpr emitted::Embedded kEmbedded{};  // the package lies beside the program\n\n";
    return fmt::format(
        "extern \"C\" const unsigned char {0}_package[];\n"
        "extern \"C\" const unsigned char {0}_package_end[];\n"
        "const emitted::Embedded kEmbedded{{{0}_package, {0}_package_end}};  // see package.S\n\n",
        parts_.name);
  }

  std::string inputs_table() {
    std::string rows;
    for (const PlanPort* port : given_inputs(plan_))
      rows += fmt::format("    {{{}, {}}},\n", quoted(port->name), number_of(port->type));
    if (rows.empty()) return "";
    return fmt::format("constexpr emitted::NamedType kInputs[] = {{\n{}}};\n\n", rows);
  }

  [[nodiscard]] std::string kind_of(const ResultField& field) const {
    if (field.c_type == parts_.name + "_view") return "emitted::FieldKind::View";
    return field.c_type.back() == '*' ? "emitted::FieldKind::Address" : "emitted::FieldKind::Number";
  }

  std::string results_tables() {
    std::string text;
    const bool many = parts_.results.structs.size() > 1;
    for (std::size_t which = 0; which < parts_.results.structs.size(); ++which) {
      const std::string name = parts_.name + "_result";
      const std::string part = many ? fmt::format("{}_{}", name, which) : name;
      const std::string base = many ? fmt::format("offsetof({}, as) + ", name) : "";
      std::string rows;
      for (const ResultField& field : parts_.results.structs[which].fields)
        rows += fmt::format("    {{{}, {}, {}offsetof({}, {}), {}}},\n", quoted(field.path),
                            number_of(field.type), base, part, field.name, kind_of(field));
      if (!rows.empty())
        text += fmt::format("constexpr emitted::NamedField kResult{}[] = {{\n{}}};\n\n", which, rows);
    }
    return text;
  }

  const ProgramParts& parts_;
  const HostPlan& plan_;
  const Body& body_;
  std::map<TableType, std::size_t> types_;
};

}  // namespace

std::string source_text(const ProgramParts& parts, const Body& body) {
  return SourceWriter(parts, body).run();
}

}  // namespace dycl::emit

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/tensor_data.h"
#include "emit/program_text.h"
#include "emit/slots.h"

namespace dycl::emit {
namespace {

class SessionWriter {
 public:
  SessionWriter(const ProgramParts& parts, const Body& body)
      : parts_(parts), plan_(parts.plan), body_(body) {}

  std::string run() {
    return fmt::format(
        "struct {0}_program {{\n  std::shared_ptr<const emitted::LoadedKernels> kernels;\n}};\n\n"
        "struct {0}_session final : emitted::SessionBase {{\n"
        "  explicit {0}_session(std::shared_ptr<const emitted::LoadedKernels> kernels)\n"
        "      : SessionBase(std::move(kernels)) {{\n{1}    reset();\n  }}\n\n"
        "{2}{3}"
        " private:\n{4}{5}{6}}};\n\n",
        parts_.name, constants_text(), reset_text(), run_text(), body_text(), forget_text(), slots_text());
  }

 private:
  [[nodiscard]] std::string type_of(SlotIndex slot) const { return parts_.type_of(slot); }
  [[nodiscard]] const std::string& name(SlotIndex slot) const { return parts_.names[slot]; }

  // A weight of the tables, as the slot holds it.
  [[nodiscard]] std::string weight(std::size_t index, SlotIndex slot, const std::string& key) const {
    if (parts_.is_address(slot))
      return fmt::format("static_cast<{}>(weight({}))", c_type_of(plan_.slots[slot]), index);
    const TensorData& contents = *parts_.artifact.weights.at(key);
    return fmt::format("emitted::tensor_over({}, {{{}}}, weight({}), false)",
                       static_cast<int>(contents.dtype), fmt::join(contents.dims, ", "), index);
  }

  // A number that a weight holds.
  [[nodiscard]] std::string number(std::size_t index, const ScalarType& type, const std::string& key) const {
    return fmt::format("{}<{}>(weight({}))", item_function(type.kind),
                       static_cast<int>(parts_.artifact.weights.at(key)->dtype), index);
  }

  [[nodiscard]] std::string constants_text() const {
    std::string text;
    for (std::size_t index = 0; index < plan_.constants.size(); ++index) {
      const SlotIndex slot = plan_.constants[index].slot;
      text += fmt::format("    {} = {};\n", name(slot), weight(index, slot, plan_.constants[index].weight));
    }
    return text;
  }

  [[nodiscard]] std::string reset_text() const {
    std::string text = "  void reset() {\n";
    std::size_t index = plan_.constants.size();
    for (const PlanPort& port : plan_.inputs)
      if (port.is_state()) text += first_contents_text(port, index);
    return text + "  }\n\n";
  }

  // What a state begins with, as base/first_contents.h says.
  [[nodiscard]] std::string first_contents_text(const PlanPort& port, std::size_t& index) const {
    const std::string state = name(port.slot) + "_state_";
    const std::vector<std::string>& keys = *port.initial;
    std::string text;
    if (const ScalarType* scalar = port.type.scalar())
      return fmt::format("    {} = {};\n", state, number(index++, *scalar, keys.front()));
    if (port.type.tensor() != nullptr)
      return fmt::format("    {} = {};\n", state, weight(index++, port.slot, keys.front()));
    text = fmt::format("    {} = {{}};\n", state);
    for (const std::string& key : keys) {
      const ScalarType* scalar = port.type.seq() == nullptr ? nullptr : port.type.seq()->element->scalar();
      text += fmt::format("    {}.own_items().push_back({});\n", state,
                          scalar != nullptr ? number(index, *scalar, key) : weight(index, port.slot, key));
      ++index;
    }
    return text;
  }

  // Inputs become slots, and are checked; what the model leaves in an input is written if it raises.
  [[nodiscard]] std::string run_text() const {
    std::string parameters;
    std::string text = "    results.begin(former);\n    begin_inputs();\n" + symbols_unknown_text();
    for (const PlanPort* port : given_inputs(plan_)) {
      const std::string type =
          parts_.is_address(port->slot) ? pointer_type(parts_, *port) : type_of(port->slot);
      parameters += fmt::format("{} {}_given_, ", type, name(port->slot));
      text += input_text(*port);
    }
    text += overlaps_text();
    for (const PlanPort& port : plan_.inputs)
      if (port.is_state()) text += fmt::format("    {0} = {0}_state_;\n", name(port.slot));
    for (const bool named :
         {true, false})  // first all sizes that have names, then those that follow from them
      for (const PlanPort& port : plan_.inputs) text += sizes_text(port, named);
    return fmt::format("  void run({}{}_result* result) {{\n{}{}  }}\n\n", parameters, parts_.name, text,
                       guarded_body_text());
  }

  [[nodiscard]] std::string guarded_body_text() const {
    std::string left;
    for (const PlanPort* port : given_inputs(plan_)) {
      if (!is_written(parts_, *port)) continue;
      left += fmt::format(
          "        if ({0}_left_.data != nullptr) write_back({0}_written_, {0}_bytes_, {0}_left_);\n",
          name(port->slot));
    }
    std::string text = "      run_body([&] { body(result); });\n      forget();\n";
    std::string caught = "      forget();\n      throw;\n";
    if (left.empty()) return fmt::format("    try {{\n{}    }} catch (...) {{\n{}    }}\n", text, caught);
    return fmt::format(
        "    try {{\n{}    }} catch (const emitted::Failed& failure) {{\n"
        "      if (failure.code == emitted::Code::Raised) {{\n{}      }}\n{}"
        "    }} catch (...) {{\n{}    }}\n",
        text, left, caught, caught);
  }

  [[nodiscard]] std::string symbols_unknown_text() const {
    std::string text;
    for (std::uint32_t symbol = 0; symbol < plan_.symbols.size(); ++symbol)
      text += fmt::format("    {} = -1;\n", parts_.sizes[symbol]);
    return text;
  }

  [[nodiscard]] std::string input_text(const PlanPort& port) const {
    const std::string& slot = name(port.slot);
    std::string text;
    if (is_written(parts_, port)) text = written_text(port);
    if (parts_.is_address(port.slot))
      return text + fmt::format("    {0} = outside(emitted::required({0}_given_, {1}, {2}), {2});\n", slot,
                                quoted(port.name), bytes_of(*port.type.tensor()));
    if (parts_.is_number(port.slot)) return text + fmt::format("    {0} = {0}_given_;\n", slot);
    return text + fmt::format("    {0} = outside(std::move({0}_given_));\n", slot);
  }

  [[nodiscard]] std::string written_text(const PlanPort& port) const {
    const bool is_value = parts_.is_value(port.slot);
    const std::string address = is_value ? "const_cast<std::byte*>({0}_given_.data)" : "{0}_given_";
    const std::string bytes = is_value ? "{0}_given_.bytes" : std::to_string(bytes_of(*port.type.tensor()));
    return fmt::format(
        fmt::runtime("    {0}_left_ = {{}};\n    {0}_written_ = " + address + ";\n    {0}_bytes_ = " + bytes +
                     ";\n    require_outside({1}, {0}_written_);\n"),
        name(port.slot), quoted(port.name));
  }

  // Sizes of tensors that are given, or kept as a state, tell what the named sizes are.
  [[nodiscard]] std::string sizes_text(const PlanPort& port, bool named) const {
    const OptionalType* optional = port.type.optional();
    const TensorType* tensor = (optional == nullptr ? port.type : *optional->element).tensor();
    if (!parts_.is_value(port.slot) || tensor == nullptr || !tensor->dims) return "";
    const std::string value = optional == nullptr ? name(port.slot) : name(port.slot) + ".value()";
    std::string text;
    for (std::size_t axis = 0; axis < tensor->dims->size(); ++axis) {
      const Dim& dim = (*tensor->dims)[axis];
      const auto symbol = dim.as_symbol();
      const std::string size = fmt::format("{}.dims[{}]", value, axis);
      if (symbol && named) {
        const PlanSymbol& known = plan_.symbols[symbol->index()];
        text += fmt::format("    emitted::bind_size({}, {}, {}, {}, {});\n", quoted(known.name),
                            parts_.sizes[symbol->index()], size, literal(known.range.smallest),
                            literal(known.range.largest));
      } else if (!symbol && !dim.is_static() && !named) {
        text += fmt::format("    emitted::check_size({}, {}, {});\n", quoted(port.name),
                            size_text(parts_, dim), size);
      }
    }
    if (optional == nullptr || text.empty()) return text;
    return fmt::format("    if ({}.has_value()) {{\n{}    }}\n", name(port.slot), text);
  }

  [[nodiscard]] std::string address_and_bytes(const PlanPort& port) const {
    if (parts_.is_value(port.slot)) return fmt::format("{0}.data, {0}.bytes", name(port.slot));
    return fmt::format("{}, {}", name(port.slot), bytes_of(*port.type.tensor()));
  }

  [[nodiscard]] std::string overlaps_text() const {
    std::string text;
    for (const PlanPort* port : given_inputs(plan_)) {
      if (!is_written(parts_, *port)) continue;
      for (const PlanPort* other : given_inputs(plan_)) {
        if (other == port || other->type.tensor() == nullptr) continue;
        text += fmt::format("    emitted::check_apart({}, {}, {}, {});\n", quoted(port->name),
                            address_and_bytes(*port), quoted(other->name), address_and_bytes(*other));
      }
    }
    return text;
  }

  [[nodiscard]] std::string body_text() const {
    return fmt::format("  void body({}_result* result) {{\n{}  }}\n\n", parts_.name, body_.text);
  }

  // Values of a run that is over must not keep memory.
  [[nodiscard]] std::string forget_text() const {
    std::vector<bool> stays(plan_.slots.size(), false);
    for (const PlanConstant& constant : plan_.constants) stays[constant.slot] = true;
    std::string text = "  void forget() {\n";
    for (SlotIndex slot = 0; slot < plan_.slots.size(); ++slot)
      if (parts_.is_value(slot) && !stays[slot]) text += fmt::format("    {} = {{}};\n", name(slot));
    return text + "    former.clear();\n  }\n\n";
  }

  [[nodiscard]] std::string slots_text() const {
    std::string text = "  // The values of the model.\n";
    for (SlotIndex slot = 0; slot < plan_.slots.size(); ++slot)
      text += fmt::format("  {} {}{{}};{}\n", type_of(slot), name(slot),
                          parts_.is_number(slot) ? "" : "  // " + type_text(plan_.slots[slot]));
    for (const PlanPort& port : plan_.inputs) {
      if (port.is_state())
        text += fmt::format("  {} {}_state_{{}};\n", type_of(port.slot), name(port.slot));
      else if (is_written(parts_, port))
        text += fmt::format(
            "  void* {0}_written_ = nullptr;\n  std::size_t {0}_bytes_ = 0;\n"
            "  emitted::Tensor {0}_left_{{}};\n",
            name(port.slot));
    }
    for (std::uint32_t symbol = 0; symbol < plan_.symbols.size(); ++symbol)
      text += fmt::format("  int64_t {} = -1;\n", parts_.sizes[symbol]);
    return text + fmt::format("  emitted::Results<{0}_view> results;\n  emitted::Results<{0}_view> former;\n",
                              parts_.name);
  }

  const ProgramParts& parts_;
  const HostPlan& plan_;
  const Body& body_;
};

}  // namespace

std::vector<const PlanPort*> given_inputs(const HostPlan& plan) {
  std::vector<const PlanPort*> ports;
  for (const PlanPort& port : plan.inputs)
    if (!port.is_state()) ports.push_back(&port);
  return ports;
}

std::string session_text(const ProgramParts& parts, const Body& body) {
  return SessionWriter(parts, body).run();
}

}  // namespace dycl::emit

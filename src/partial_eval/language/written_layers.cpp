// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/written_layers.h"

#include <fmt/format.h>

#include "partial_eval/data/twins.h"
#include "partial_eval/data/types.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

constexpr int kDeepest = 8;  // lists in lists, of which torch's layers have two

// A value that a layer holds was written to, or something in it, if it is a list, tuple or dict; or it is too
// deep to tell. Layers in it are asked by themselves.
bool holds_written(const State& state, nb::handle value, int depth = 0) {
  if (is_written(state, value)) return true;
  const bool is_container =
      PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()) || PyDict_Check(value.ptr());
  if (!is_container) return false;
  if (depth == kDeepest) return true;
  const nb::object parts =
      PyDict_Check(value.ptr()) ? nb::steal(PyDict_Values(value.ptr())) : nb::borrow(value);
  for (const nb::handle part : parts)
    if (holds_written(state, part, depth + 1)) return true;
  return false;
}

bool is_table_of_hooks(const std::string& name) {
  return name.find("_hooks") != std::string::npos && name.find("state_dict") == std::string::npos;
}

// The name of a table of hooks that was written to, of those that the dict holds; empty: there is none.
std::string written_table(const State& state, const nb::object& attributes) {
  for (const auto& [key, table] : nb::cast<nb::dict>(attributes))
    if (const auto name = nb::cast<std::string>(nb::str(key));
        is_table_of_hooks(name) && is_written(state, table))
      return name;
  return {};
}

// … of the layer, or of those that hold for all layers.
std::string written_hooks(const State& state, const AbstractValue& layer) {
  const auto* instance = state.heap.get<InstanceObject>(layer);
  if (instance != nullptr)
    for (const auto& [name, value] : instance->attributes)
      if (is_table_of_hooks(name)) return name;
  const nb::object live = layer.constant() != nullptr ? *layer.constant()
                          : instance != nullptr       ? instance->live
                                                      : nb::object();
  if (live.is_valid() && state.overlay.contains(instance_dict(live))) return "__dict__";
  if (live.is_valid())
    if (std::string name = written_table(state, instance_dict(live)); !name.empty()) return name;
  return written_table(state, instance_dict(library_object("torch.nn.modules", "module")));
}

}  // namespace

bool is_as_it_was(const State& state, const nb::object& layer) {
  if (state.overlay.empty()) return true;
  const nb::object modules = library_object("torch.nn", "Module").attr("modules");
  for (const nb::handle part : nb::object(modules(layer)))
    if (state.overlay.contains(part) || holds_written(state, instance_dict(part))) return false;
  return true;
}

void refuse_written_hooks(Machine& machine, const State& state, const AbstractValue& layer) {
  const AbstractValue now = current(state, layer);
  const std::string name = written_hooks(state, now);
  if (name.empty()) return;
  machine.refuse(state, "python.layer_hooks",
                 fmt::format("a {} is called whose '{}' were written to before",
                             full_name_of(type_of(machine, state, now)), name),
                 "register hooks before compiling, or call their functions in forward");
}

}  // namespace dycl::partial_eval

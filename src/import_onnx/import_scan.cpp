// SPDX-License-Identifier: Apache-2.0
// Scan: a loop over rows of its scan inputs. The axis that is scanned is brought to the front by a
// Transpose; a row is then a view.
#include <fmt/format.h>

#include <numeric>

#include "hcfg/operator_versions.h"
#include "import_onnx/importer.h"

namespace dycl::import_onnx {
namespace {

// Attribute lists may be left out (all zero) but not have another length.
Result<std::vector<std::int64_t>> one_each(std::vector<std::int64_t> list, std::size_t count,
                                           std::string_view name) {
  if (list.empty()) list.assign(count, 0);
  if (list.size() == count) return list;
  return fail(Blame::Usage, "onnx.bad_scan",
              fmt::format("Scan's attribute '{}' needs {} numbers", name, count));
}

}  // namespace

Result<ValueId> Importer::move_axis_to_front(ValueId tensor, std::int64_t axis) {
  if (axis == 0) return tensor;
  Result<Type> type = type_of(tensor);
  if (!type) return failure_of(std::move(type));
  const TensorType& from = *type->tensor();
  if (!from.dims)
    return refuse("onnx.scan_of_unknown_rank", "Scan along an axis other than 0 needs an input of known rank",
                  "declare the rank of the scan input");
  const auto rank = static_cast<std::int64_t>(from.dims->size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank)
    return fail(Blame::Usage, "onnx.bad_axis", fmt::format("axis is outside rank {}", rank));
  std::vector<std::int64_t> order(from.dims->size());
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + axis);
  order.insert(order.begin(), axis);
  const ValueId moved = graph_.add_value(TensorType{}, graph_.value(tensor).name);
  builder_.tensor_op(OnnxOp{"",
                            "Transpose",
                            *since_version("", "Transpose", newest_opset()),
                            {{"perm", order}},
                            {tensor},
                            {moved},
                            {}});
  ++pending_;
  if (Status status = settle(); !status) return failure_of(std::move(status));
  return moved;
}

Result<ValueId> Importer::row_of(ValueId tensor, ValueId index) {
  Result<Type> type = type_of(tensor);
  if (!type) return failure_of(std::move(type));
  TensorType row = *type->tensor();
  if (row.dims && row.dims->empty())
    return fail(Blame::Usage, "onnx.bad_scan", "a scalar has no rows to scan");
  if (row.dims) row.dims->erase(row.dims->begin());
  return host(HostOp::Row, {tensor, index}, row, graph_.value(tensor).name);
}

// The common length of the scanned inputs; unequal lengths raise.
Result<ValueId> Importer::common_length(const std::vector<ValueId>& tensors) {
  const Type count_type = ScalarType{ScalarKind::I64};
  std::optional<ValueId> length;
  std::optional<Dim> known;
  for (const ValueId tensor : tensors) {
    Result<Type> type = type_of(tensor);
    if (!type) return failure_of(std::move(type));
    const TensorType* shape = type->tensor();
    const std::optional<Dim> size =
        shape->dims && !shape->dims->empty() ? std::optional(shape->dims->front()) : std::nullopt;
    if (length && size && size == known) continue;
    const ValueId next = host(HostOp::Dim, {tensor}, count_type, "n", {{"axis", std::int64_t{0}}});
    if (length) {
      const ValueId differs = host(HostOp::Ne, {*length, next}, ScalarType{ScalarKind::Bool}, "differs");
      const BlockId raise = builder_.new_block();
      const BlockId go_on = builder_.new_block();
      builder_.branch(differs, raise, go_on);
      builder_.set_block(raise);
      builder_.finish(Raise{"ValueError", "scan inputs have different lengths: {} and {}", {*length, next}});
      builder_.set_block(go_on);
    } else {
      length = next;
      known = size;
    }
  }
  return *length;
}

Result<Importer::ScanOperands> Importer::scan_operands(const Node& node, int first, const Scope& scope) {
  Result<const onnx::GraphProto*> body = graph_attribute(node, "body", scope);
  if (!body) return failure_of(std::move(body));
  ScanOperands operands{*body, {}, 0, 0, 0};
  for (int index = first; index < node.input_size(); ++index) {
    Result<ValueId> value = input(node, index, scope);
    if (!value) return failure_of(std::move(value));
    operands.inputs.push_back(*value);
  }
  const std::int64_t scanned = int_attribute(node, "num_scan_inputs", 0, scope);
  const auto outputs = static_cast<std::size_t>((*body)->output_size());
  const bool fits = scanned >= 1 && scanned <= std::ssize(operands.inputs);
  operands.scanned = fits ? static_cast<std::size_t>(scanned) : 0;
  operands.states = operands.inputs.size() - operands.scanned;
  if (!fits || operands.states > outputs)
    return fail(Blame::Usage, "onnx.bad_scan", "Scan's num_scan_inputs does not fit its inputs and body");
  operands.collected = outputs - operands.states;
  return operands;
}

Status Importer::import_scan(const Node& node, Scope& scope) {
  if (opset(node, scope) < 9) return import_scan_8(node, scope);
  Result<ScanOperands> operands = scan_operands(node, 0, scope);
  if (!operands) return failure_of(std::move(operands));
  auto axes = one_each(ints_attribute(node, "scan_input_axes", scope), operands->scanned, "scan_input_axes");
  auto directions = one_each(ints_attribute(node, "scan_input_directions", scope), operands->scanned,
                             "scan_input_directions");
  auto out_directions = one_each(ints_attribute(node, "scan_output_directions", scope), operands->collected,
                                 "scan_output_directions");
  auto out_axes =
      one_each(ints_attribute(node, "scan_output_axes", scope), operands->collected, "scan_output_axes");
  for (auto* list : {&axes, &directions, &out_directions, &out_axes})
    if (!*list) return failure_of(std::move(*list));
  ScanSpec spec;
  spec.body = operands->body;
  spec.key = loop_key(node, scope);
  for (std::size_t index = 0; index < operands->inputs.size(); ++index) {
    if (index < operands->states) {
      spec.states.push_back(operands->inputs[index]);
      continue;
    }
    Result<ValueId> moved = move_axis_to_front(operands->inputs[index], (*axes)[index - operands->states]);
    if (!moved) return failure_of(std::move(moved));
    spec.scanned.push_back(*moved);
  }
  spec.backwards.assign(directions->begin(), directions->end());
  spec.collect_in_front.assign(out_directions->begin(), out_directions->end());
  const SourceId source = graph_.add_source(span_of(node, scope));
  Result<LoopResult> loop = scan_rows(spec, scope);
  if (!loop) return failure_of(std::move(loop));
  builder_.set_source(source);
  std::vector<ValueId> results = loop->carried;
  for (std::size_t index = 0; index < loop->collected.size(); ++index) {
    Result<ValueId> stacked = stack_rows(loop->collected[index], (*out_axes)[index], "stacked");
    if (!stacked) return failure_of(std::move(stacked));
    results.push_back(*stacked);
  }
  return define_results(node, results, scope);
}

Result<LoopResult> Importer::scan_rows(const ScanSpec& scan, const Scope& scope) {
  Result<ValueId> length = common_length(scan.scanned);
  if (!length) return failure_of(std::move(length));
  LoopSpec spec;
  spec.key = scan.key;
  spec.trip_count = *length;
  spec.carried = scan.states;
  spec.collect_in_front = scan.collect_in_front;
  spec.body = [&](const LoopSpec::Iteration& iteration) -> Result<LoopSpec::Outcome> {
    std::vector<ValueId> inputs = iteration.carried;
    for (std::size_t index = 0; index < scan.scanned.size(); ++index) {
      ValueId place = iteration.index;
      if (scan.backwards[index]) {
        const Type count_type = ScalarType{ScalarKind::I64};
        const ValueId last = host(HostOp::Sub, {*length, builder_.const_int(1)}, count_type, "last");
        place = host(HostOp::Sub, {last, iteration.index}, count_type, "place");
      }
      Result<ValueId> row = row_of(scan.scanned[index], place);
      if (!row) return failure_of(std::move(row));
      inputs.push_back(*row);
    }
    Result<std::vector<ValueId>> results = import_subgraph(*scan.body, scope, inputs);
    if (!results) return failure_of(std::move(results));
    const auto split = results->begin() + static_cast<std::ptrdiff_t>(scan.states.size());
    return LoopSpec::Outcome{std::nullopt, {results->begin(), split}, {split, results->end()}};
  };
  return build_loop(spec);
}

// Scan of operator set 8 has a batch axis in front of everything: a loop over it around the other.
Status Importer::import_scan_8(const Node& node, Scope& scope) {
  if (node.input_size() > 0 && !node.input(0).empty())
    return refuse("onnx.scan8_sequence_lens", "Scan of operator set 8 with sequence_lens is not supported",
                  "convert the model to operator set 9 or newer");
  Result<ScanOperands> operands = scan_operands(node, 1, scope);
  if (!operands) return failure_of(std::move(operands));
  auto directions = one_each(ints_attribute(node, "directions", scope), operands->scanned, "directions");
  if (!directions) return failure_of(std::move(directions));
  Result<ValueId> batch = common_length(operands->inputs);
  if (!batch) return failure_of(std::move(batch));
  LoopSpec outer;
  outer.key = loop_key(node, scope) + "/batch";
  outer.trip_count = *batch;
  outer.collect_in_front.assign(operands->states + operands->collected, false);
  outer.body = [&](const LoopSpec::Iteration& iteration) -> Result<LoopSpec::Outcome> {
    ScanSpec spec;
    spec.body = operands->body;
    spec.key = loop_key(node, scope);
    for (std::size_t index = 0; index < operands->inputs.size(); ++index) {
      Result<ValueId> row = row_of(operands->inputs[index], iteration.index);
      if (!row) return failure_of(std::move(row));
      (index < operands->states ? spec.states : spec.scanned).push_back(*row);
    }
    spec.backwards.assign(directions->begin(), directions->end());
    spec.collect_in_front.assign(operands->collected, false);
    Result<LoopResult> loop = scan_rows(spec, scope);
    if (!loop) return failure_of(std::move(loop));
    LoopSpec::Outcome outcome{std::nullopt, {}, loop->carried};
    for (const ValueId rows : loop->collected) {
      Result<ValueId> stacked = stack_rows(rows, 0, "stacked");
      if (!stacked) return failure_of(std::move(stacked));
      outcome.collected.push_back(*stacked);
    }
    return outcome;
  };
  Result<LoopResult> loop = build_loop(outer);
  if (!loop) return failure_of(std::move(loop));
  std::vector<ValueId> results;
  for (const ValueId rows : loop->collected) {
    Result<ValueId> stacked = stack_rows(rows, 0, "stacked");
    if (!stacked) return failure_of(std::move(stacked));
    results.push_back(*stacked);
  }
  return define_results(node, results, scope);
}

}  // namespace dycl::import_onnx

// SPDX-License-Identifier: Apache-2.0
// A loop is a cycle: a header with the counter and the carried values as parameters, a body, an exit.
//
// The header must promise types that hold on every trip. It starts from the entry values' types; when
// the body gives back something that does not fit, the size (or rank) in question is opened and the
// body imported again. Opened sizes are remembered per loop, so enclosing loops do not repeat the work.
#include <algorithm>

#include "import_onnx/importer.h"

namespace dycl::import_onnx {
namespace {

constexpr int kMostAttempts = 64;

bool fits_parameter(const Type& from, const Type& to, SymbolScope scope) {
  if (to.optional() != nullptr && from.optional() == nullptr)
    return fits(from, *to.optional()->element, scope);
  return fits(from, to, scope);
}

}  // namespace

// Sizes of everything that one attempt at a loop body adds to the graph.
struct Importer::Checkpoint {
  std::size_t values, symbols, constants, blocks, sources;
  BlockId block;
};

Importer::Checkpoint Importer::checkpoint() const {
  return {graph_.values.size(), graph_.symbols.size(), graph_.constants.size(),
          graph_.blocks.size(), graph_.sources.size(), builder_.block()};
}

void Importer::restore(const Checkpoint& point) {
  graph_.values.resize(point.values);
  graph_.symbols.resize(point.symbols);
  graph_.constants.resize(point.constants);
  graph_.blocks.resize(point.blocks);
  graph_.sources.resize(point.sources);
  builder_.set_block(point.block);
  pending_ = 0;
}

Result<LoopResult> Importer::build_loop(const LoopSpec& spec) {
  if (Status status = settle(); !status) return failure_of(std::move(status));
  std::vector<ValueId> entry{builder_.const_int(0)};
  if (spec.keep_going) entry.push_back(*spec.keep_going);
  std::vector<ValueId> sequences;
  for (std::size_t index = 0; index < spec.collect_in_front.size(); ++index)
    sequences.push_back(host(HostOp::SeqEmpty, {}, seq_of(TensorType{}), "rows"));

  const Checkpoint start = checkpoint();
  const SymbolScope outside{start.symbols};
  std::vector<Type> types;
  for (const ValueId value : spec.carried) types.push_back(graph_.type_of(value));
  if (const auto known = loop_types_.find(spec.key); known != loop_types_.end())
    for (std::size_t index = 0; index < types.size(); ++index) {
      Result<Type> widened = join_types(types[index], known->second[index], outside, open_dim);
      if (widened) types[index] = std::move(*widened);
    }

  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    Result<LoopAttempt> tried = try_loop(spec, types, sequences.size(), outside);
    if (!tried) return failure_of(std::move(tried));
    if (!tried->widened) return finish_loop(spec, *tried, start.block, entry, sequences, outside);
    restore(start);
  }
  return refuse("onnx.loop_types_unstable", "the types of this loop's carried values change with every trip",
                "give each carried value the same type and rank in every trip");
}

// Builds header and body under the given carried types; says whether the types had to be widened.
Result<Importer::LoopAttempt> Importer::try_loop(const LoopSpec& spec, std::vector<Type>& types,
                                                 std::size_t sequences, SymbolScope outside) {
  LoopAttempt made;
  made.header = builder_.new_block();
  LoopSpec::Iteration iteration;
  iteration.index = builder_.add_parameter(made.header, ScalarType{ScalarKind::I64}, "i");
  if (spec.keep_going)
    iteration.keep_going = builder_.add_parameter(made.header, ScalarType{ScalarKind::Bool}, "go");
  for (std::size_t index = 0; index < types.size(); ++index)
    iteration.carried.push_back(
        builder_.add_parameter(made.header, generalise(types[index], outside, fresh_symbols(graph_)),
                               graph_.value(spec.carried[index]).name));
  for (std::size_t index = 0; index < sequences; ++index)
    made.sequences.push_back(builder_.add_parameter(made.header, seq_of(TensorType{}), "rows"));
  made.carried = iteration.carried;
  made.index = iteration.index;

  builder_.set_block(made.header);
  std::optional<ValueId> test = iteration.keep_going;
  if (spec.trip_count) {
    const ValueId more =
        host(HostOp::Lt, {iteration.index, *spec.trip_count}, ScalarType{ScalarKind::Bool}, "more");
    test = test ? host(HostOp::And, {more, *test}, ScalarType{ScalarKind::Bool}, "go") : more;
  }
  const BlockId body = builder_.new_block();
  made.exit = builder_.new_block();
  builder_.branch(test ? *test : builder_.const_bool(true), body, made.exit);

  builder_.set_block(body);
  Result<LoopSpec::Outcome> outcome = spec.body(iteration);
  if (!outcome) return failure_of(std::move(outcome));
  if (Status status = settle(); !status) return failure_of(std::move(status));
  made.outcome = std::move(*outcome);
  for (std::size_t index = 0; index < types.size(); ++index) {
    const Type& back = graph_.type_of(made.outcome.carried[index]);
    if (fits_parameter(back, graph_.type_of(made.carried[index]), outside)) continue;
    Result<Type> wider = join_types(types[index], back, outside, open_dim);
    if (!wider) return failure_of(std::move(wider));
    types[index] = std::move(*wider);
    made.widened = true;
  }
  if (made.widened) loop_types_[spec.key] = types;
  return made;
}

// Closes the cycle and leaves the builder at the loop's exit.
Result<LoopResult> Importer::finish_loop(const LoopSpec& spec, LoopAttempt& made, BlockId before,
                                         std::vector<ValueId> entry, const std::vector<ValueId>& sequences,
                                         SymbolScope outside) {
  std::vector<ValueId> back{
      host(HostOp::Add, {made.index, builder_.const_int(1)}, ScalarType{ScalarKind::I64}, "i")};
  if (spec.keep_going) back.push_back(made.outcome.keep_going ? *made.outcome.keep_going : *spec.keep_going);
  for (std::size_t index = 0; index < made.carried.size(); ++index) {
    Result<ValueId> value = coerce(made.outcome.carried[index], graph_.type_of(made.carried[index]));
    if (!value) return failure_of(std::move(value));
    back.push_back(*value);
  }
  for (std::size_t index = 0; index < sequences.size(); ++index) {
    const ValueId element = made.outcome.collected[index];
    const Type type = seq_of(generalise(graph_.type_of(element), outside, fresh_symbols(graph_)));
    for (const ValueId value : {sequences[index], made.sequences[index]})
      graph_.values[value.index()].type = type;
    std::vector<ValueId> inputs{made.sequences[index], element};
    if (spec.collect_in_front[index]) inputs.push_back(builder_.const_int(0));
    back.push_back(host(HostOp::SeqInsert, std::move(inputs), type, "rows"));
  }
  builder_.jump(made.header, std::move(back));

  builder_.set_block(before);
  for (std::size_t index = 0; index < spec.carried.size(); ++index) {
    Result<ValueId> value = coerce(spec.carried[index], graph_.type_of(made.carried[index]));
    if (!value) return failure_of(std::move(value));
    entry.push_back(*value);
  }
  entry.insert(entry.end(), sequences.begin(), sequences.end());
  builder_.jump(made.header, std::move(entry));
  builder_.set_block(made.exit);
  return LoopResult{made.carried, made.sequences};
}

}  // namespace dycl::import_onnx

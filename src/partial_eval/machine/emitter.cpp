// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/machine/emitter.h"

#include "base/overloaded.h"
#include "hcfg/known_result.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

// Bytes of a live tensor, which the constant keeps alive. The GIL is taken to let go of it.
struct TensorOwner {
  nb::object tensor;
  explicit TensorOwner(nb::object owned) : tensor(std::move(owned)) {}
  TensorOwner(const TensorOwner&) = delete;
  TensorOwner& operator=(const TensorOwner&) = delete;
  ~TensorOwner() {
    const nb::gil_scoped_acquire acquired;
    tensor.reset();
  }
};

bool is_false(const TensorData& tensor) {
  return tensor.dtype == DType::Bool && tensor.count() == 1 && tensor.bytes[0] == std::byte{0};
}

HcfgBuilder builder_at(Hcfg& graph, const State& state, SourceId source) {
  HcfgBuilder builder(graph);
  builder.set_block(state.block);
  builder.set_source(source);
  return builder;
}

}  // namespace

std::vector<std::int64_t> Emitter::identity_of(const nb::object& tensor) const {
  std::vector<std::int64_t> identity;
  identity.push_back(storage_key(tensor));
  identity.push_back(nb::cast<std::int64_t>(tensor.attr("storage_offset")()));
  identity.push_back(static_cast<std::int64_t>(torch_.dtype_of(tensor)));
  for (const nb::handle size : nb::object(tensor.attr("shape")))
    identity.push_back(nb::cast<std::int64_t>(size));
  for (const nb::handle stride : nb::object(tensor.attr("stride")()))
    identity.push_back(nb::cast<std::int64_t>(stride));
  return identity;
}

TensorData Emitter::data_of(nb::object tensor) const {
  // A copy: the model may be trained on, the program may not change.
  tensor = torch_.plain_copy(tensor);
  TensorData data;
  data.dtype = torch_.dtype_of(tensor);
  for (const nb::handle size : nb::object(tensor.attr("shape")))
    data.dims.push_back(nb::cast<std::int64_t>(size));
  const auto address = nb::cast<std::uintptr_t>(tensor.attr("data_ptr")());
  const std::size_t bytes = nb::cast<std::size_t>(tensor.attr("nbytes"));
  data.bytes = {reinterpret_cast<const std::byte*>(address), bytes};
  data.owner = std::make_shared<TensorOwner>(std::move(tensor));
  return data;
}

ValueId Emitter::host(State& state, HostOp op, std::vector<ValueId> inputs, Type result, std::string name,
                      Attributes attributes, SourceId source) {
  const bool divides = op == HostOp::TrueDiv || op == HostOp::FloorDiv || op == HostOp::Mod;
  const bool is_safe = divides && not_zero_.contains(inputs.back());
  if (may_raise(op) && !is_safe && before_raise) before_raise(state);
  if (attributes.contains("decision")) flush_checks(state);  // eager raises before it reads what comes later
  return builder_at(graph, state, source)
      .host(op, std::move(inputs), std::move(result), std::move(name), std::move(attributes));
}

ValueId Emitter::constant(State& state, const Scalar& scalar) {
  const Attribute value =
      std::visit(Overloaded{[](bool truth) { return Attribute(static_cast<std::int64_t>(truth)); },
                            [](std::int64_t number) { return Attribute(number); },
                            [](double number) { return Attribute(number); }},
                 scalar);
  const ValueId id = host(state, HostOp::Const, {}, ScalarType{kind_of(scalar)}, "c", {{"value", value}});
  if (std::visit([](auto number) { return number != decltype(number){}; }, scalar)) not_zero_.insert(id);
  return id;
}

ValueId Emitter::tensor_of_scalar(State& state, const ScalarValue& scalar, SourceId source) {
  const DType dtype = scalar.kind == ScalarKind::Bool  ? DType::Bool
                      : scalar.kind == ScalarKind::I64 ? DType::I64
                                                       : DType::F64;
  TensorType type;
  type.dtype = dtype;
  type.dims = std::vector<Dim>{};
  return host(state, HostOp::ToTensor, {scalar.id}, type, "t", {{"dtype", std::string(name_of(dtype))}},
              source);
}

TensorPtr Emitter::contents(const nb::object& tensor) const {
  return std::make_shared<const TensorData>(data_of(tensor));
}

ValueId Emitter::weight(const nb::object& tensor) {
  const auto [entry, is_new] = weights_.try_emplace(identity_of(tensor));
  if (is_new) {
    entry->second = graph.add_constant(data_of(tensor), "w");
    kept_.push_back(tensor);  // its storage must not be used again while identities are compared
  }
  return entry->second;
}

ValueId Emitter::number(const Scalar& scalar) {
  const auto made = std::visit(
      Overloaded{[](bool value) {
                   const std::byte byte{static_cast<unsigned char>(value ? 1 : 0)};
                   return make_tensor(DType::Bool, {}, {byte});
                 },
                 [](std::int64_t value) {
                   return make_tensor_of<std::int64_t>(DType::I64, {}, std::span(&value, 1));
                 },
                 [](double value) { return make_tensor_of<double>(DType::F64, {}, std::span(&value, 1)); }},
      scalar);
  const std::string key = std::to_string(static_cast<int>(made.dtype)) + ":" +
                          std::string(reinterpret_cast<const char*>(made.bytes.data()), made.bytes.size());
  const auto [entry, is_new] = numbers_.try_emplace(key);
  if (is_new) entry->second = graph.add_constant(made, "k");
  return entry->second;
}

Result<FragmentPtr> Emitter::made(const protocol::LoweredPtr& lowered) {
  FragmentPtr& made = fragments_[lowered];
  if (!made) {
    Result<FragmentPtr> read = make_fragment_(*lowered);
    if (!read) return read;
    made = std::move(*read);
  }
  return made;
}

Result<std::vector<ValueId>> Emitter::fragment(State& state, const protocol::LoweredPtr& lowered,
                                               std::vector<ValueId> inputs, SourceId source) {
  Result<FragmentPtr> called = made(lowered);
  if (!called) return failure_of(std::move(called));
  std::vector<const Type*> types;
  for (const ValueId input : inputs) types.push_back(&graph.type_of(input));
  auto results = output_types(graph, **called, types);
  if (!results) internal_error("a fragment does not fit its operands: " + results.error().message);
  std::vector<ValueId> outputs;
  for (const Type& type : *results) outputs.push_back(graph.add_value(type, (*called)->name));
  builder_at(graph, state, source).tensor_op(FragmentCall(*called, std::move(inputs), outputs, source));
  return outputs;
}

std::vector<bool> Emitter::flags_that_are_false(const protocol::LoweredPtr& lowered,
                                                const std::vector<ValueId>& inputs) {
  const Result<FragmentPtr> read = made(lowered);
  if (!read) return std::vector<bool>(lowered->output_types.size(), false);
  constants_.update(graph);
  std::vector<TensorPtr> contents_of_inputs;
  for (const ValueId input : inputs) contents_of_inputs.push_back(constants_.contents(graph, input));
  std::vector<bool> flags;
  for (const TensorPtr& result : known_results(**read, contents_of_inputs))
    flags.push_back(result != nullptr && is_false(*result));
  return flags;
}

void Emitter::check_now(State& state, ValueId raised, std::string type, std::string message,
                        SourceId source) {
  if (before_raise) before_raise(state);
  builder_at(graph, state, source).check(raised, std::move(type), std::move(message));
}

void Emitter::leave_if_raised(State& state, std::uint32_t input, ValueId contents) {
  const auto [known, is_new] = state.left.try_emplace(input, contents);
  if (!is_new && known->second == contents) return;
  known->second = contents;
  flush_checks(state);  // those raise before the write
  builder_at(graph, state, {}).write(input, contents);
}

void Emitter::flush_checks(State& state) {
  for (const PendingCheck& check : state.checks)
    builder_at(graph, state, check.source).check(check.raised, check.type, check.message);
  state.checks.clear();
}

void Emitter::finish(State& state, Terminator terminator, SourceId source) {
  flush_checks(state);
  graph.blocks[state.block.index()].source = source;
  builder_at(graph, state, source).finish(std::move(terminator));
}

void Emitter::jump(State& state, dycl::BlockId target, std::vector<ValueId> arguments, SourceId source) {
  finish(state, Jump{{target, std::move(arguments)}}, source);
}

void Emitter::branch(State& state, ValueId condition, dycl::BlockId then_block, dycl::BlockId else_block,
                     SourceId source) {
  finish(state, Branch{condition, {then_block, {}}, {else_block, {}}}, source);
}

}  // namespace dycl::partial_eval

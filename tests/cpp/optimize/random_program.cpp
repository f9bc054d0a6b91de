// SPDX-License-Identifier: Apache-2.0
#include "optimize/random_program.h"

#include <array>
#include <random>

#include "hcfg/builder.h"

namespace dycl::testing {
namespace {

enum Kind : std::size_t { kPair, kGrowing, kInt, kBool, kKinds };

// The values that may be used at some point of the program, by kind; never empty.
using Scope = std::array<std::vector<ValueId>, kKinds>;

class ProgramMaker {
 public:
  explicit ProgramMaker(std::uint32_t seed) : random_(seed), builder_(graph_) {}

  Hcfg make() {
    Scope scope;
    const ValueId pair = input("pair", pair_type());
    const ValueId growing = input("growing", growing_type());
    const ValueId number = input("number", TensorType{DType::I64, std::vector<Dim>{}, {}});
    const ValueId flag = input("flag", TensorType{DType::Bool, std::vector<Dim>{}, {}});
    graph_.outputs = {{"a", {}, pair_type(), false},
                      {"b", {}, TensorType{DType::F32, std::nullopt, {}}, false},
                      {"c", {}, int_type(), false}};
    builder_.set_block(builder_.new_block());
    scope[kPair] = {pair, graph_.add_constant(two_floats(), "ones")};
    scope[kGrowing] = {growing};
    scope[kInt] = {builder_.host(HostOp::Item, {number}, int_type(), "k")};
    scope[kBool] = {builder_.host(HostOp::Item, {flag}, bool_type(), "f")};
    statements(scope, 0);
    finish(scope);
    return graph_;
  }

 private:
  static Type pair_type() { return TensorType{DType::F32, std::vector<Dim>{2}, {}}; }
  static Type row_type() { return TensorType{DType::F32, std::vector<Dim>{1, 2}, {}}; }
  static Type int_type() { return ScalarType{ScalarKind::I64}; }
  static Type bool_type() { return ScalarType{ScalarKind::Bool}; }
  Type growing_type() { return TensorType{DType::F32, std::vector<Dim>{Dim(graph_.add_symbol("n"))}, {}}; }

  Type type_of(Kind kind) {
    switch (kind) {
      case kPair: return pair_type();
      case kGrowing: return growing_type();
      case kInt: return int_type();
      default: return bool_type();
    }
  }

  static TensorData two_floats() {
    const std::array<float, 2> values{1.0F, 2.0F};
    return make_tensor_of<float>(DType::F32, {2}, std::span<const float>(values));
  }

  ValueId input(const char* name, const Type& type) {
    const ValueId value = graph_.add_value(type, name);
    graph_.inputs.push_back({name, value, type, false});
    return value;
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }
  Kind any_kind() { return static_cast<Kind>(below(kKinds)); }

  // Mostly something recent, so that values are used.
  ValueId any(const Scope& scope, Kind kind) {
    const std::vector<ValueId>& values = scope[kind];
    return below(2) == 0 ? values.back() : values[below(values.size())];
  }

  ValueId tensor_op(const char* name, std::vector<ValueId> inputs, Type type, Attributes attributes = {}) {
    const ValueId result = graph_.add_value(std::move(type), "t");
    builder_.tensor_op(OnnxOp{"", name, 14, std::move(attributes), std::move(inputs), {result}, {}});
    return result;
  }

  ValueId constant(std::vector<std::int64_t> values) {
    const std::vector<std::int64_t> dims{static_cast<std::int64_t>(values.size())};
    return graph_.add_constant(
        make_tensor_of<std::int64_t>(DType::I64, dims, std::span<const std::int64_t>(values)), "i");
  }

  void pair_statement(Scope& scope) {
    const ValueId x = any(scope, kPair);
    const ValueId y = any(scope, kPair);
    ValueId result;
    switch (below(7)) {
      case 0: result = tensor_op("Identity", {x}, pair_type()); break;
      case 1: result = tensor_op("Neg", {x}, pair_type()); break;
      case 2:
      case 5:
        result = tensor_op(
            "Reshape", {tensor_op("Reshape", {x, constant({1, 2})}, row_type()), constant({2})}, pair_type());
        break;
      case 3: {
        const ValueId seq = builder_.host(HostOp::SeqOf, {x, y}, seq_of(pair_type()), "s");
        result = builder_.host(HostOp::SeqAt, {seq, builder_.const_int(-1)}, pair_type(), "e");
        break;
      }
      default: result = tensor_op("Add", {x, y}, pair_type()); break;
    }
    scope[kPair].push_back(result);
  }

  void growing_statement(Scope& scope) {
    const ValueId x = any(scope, kGrowing);
    const Dim size = (*graph_.type_of(x).tensor()->dims)[0];
    const Type doubled = TensorType{DType::F32, std::vector<Dim>{size * 2}, {}};
    switch (below(4)) {
      case 0:
        scope[kGrowing].push_back(tensor_op("Concat", {x, x}, below(2) == 0 ? doubled : growing_type(),
                                            {{"axis", std::int64_t{0}}}));
        break;
      case 1: scope[kGrowing].push_back(tensor_op("Identity", {x}, growing_type())); break;
      case 2:
        scope[kInt].push_back(builder_.host(HostOp::Dim, {x}, int_type(), "d", {{"axis", std::int64_t{0}}}));
        break;
      default: scope[kGrowing].push_back(tensor_op("Relu", {x}, graph_.type_of(x))); break;
    }
    if (scope[kInt].size() > 1) return;
    const ValueId shape =
        tensor_op("Shape", {any(scope, kPair)}, TensorType{DType::I64, std::vector<Dim>{1}, {}});
    scope[kInt].push_back(builder_.host(HostOp::Item, {shape}, int_type(), "i"));
  }

  // Kept small, so that nothing overflows.
  void int_statement(Scope& scope) {
    static constexpr std::array kOps{HostOp::Add, HostOp::Sub, HostOp::Mul};
    const ValueId known = builder_.const_int(static_cast<std::int64_t>(below(4)));
    const ValueId other = below(2) == 0 ? known : any(scope, kInt);
    const ValueId raw = builder_.host(kOps[below(3)], {any(scope, kInt), other}, int_type(), "i");
    scope[kInt].push_back(builder_.host(HostOp::Mod, {raw, builder_.const_int(100)}, int_type(), "m"));
    if (below(3) == 0) scope[kInt].push_back(known);
    if (below(3) != 0) return;
    const ValueId boxed =
        builder_.host(HostOp::ToTensor, {raw}, TensorType{DType::I64, std::vector<Dim>{}, {}}, "b",
                      {{"dtype", std::string("i64")}});
    scope[kInt].push_back(builder_.host(HostOp::Item, {boxed}, int_type(), "u"));
  }

  void bool_statement(Scope& scope) {
    switch (below(4)) {
      case 0: scope[kBool].push_back(builder_.const_bool(below(2) == 0)); break;
      case 1:
        scope[kBool].push_back(builder_.host(HostOp::Not, {any(scope, kBool)}, bool_type(), "n"));
        break;
      case 2:
        scope[kBool].push_back(builder_.host(below(2) == 0 ? HostOp::And : HostOp::Or,
                                             {any(scope, kBool), any(scope, kBool)}, bool_type(), "a"));
        break;
      default:
        scope[kBool].push_back(
            builder_.host(HostOp::Lt, {any(scope, kInt), any(scope, kInt)}, bool_type(), "l"));
        break;
    }
  }

  void statements(Scope& scope, int depth) {
    for (std::size_t count = 1 + below(4); count > 0; --count) {
      switch (below(depth < 3 ? 6 : 4)) {
        case 0: pair_statement(scope); break;
        case 1: growing_statement(scope); break;
        case 2: int_statement(scope); break;
        case 3: bool_statement(scope); break;
        case 4: if_statement(scope, depth + 1); break;
        default: loop_statement(scope, depth + 1); break;
      }
    }
  }

  // Looks at several values, so that not all of the program is dead.
  void finish(const Scope& scope) {
    ValueId sum = any(scope, kPair);
    for (const ValueId other : scope[kPair]) sum = tensor_op("Add", {sum, other}, pair_type());
    const ValueId row = tensor_op("Reshape", {sum, constant({1, 2})}, row_type());
    const ValueId result = below(2) == 0 ? sum : tensor_op("Reshape", {row, constant({2})}, pair_type());
    builder_.finish(Return{{result, any(scope, kGrowing), any(scope, kInt)}});
  }

  std::vector<Kind> some_kinds() {
    std::vector<Kind> kinds;
    for (std::size_t count = below(4); count > 0; --count) kinds.push_back(any_kind());
    return kinds;
  }

  std::vector<ValueId> pick(const Scope& scope, const std::vector<Kind>& kinds) {
    std::vector<ValueId> values;
    for (const Kind kind : kinds) values.push_back(any(scope, kind));
    return values;
  }

  void add_parameters(BlockId block, const std::vector<Kind>& kinds, Scope& scope) {
    for (const Kind kind : kinds) scope[kind].push_back(builder_.add_parameter(block, type_of(kind), "p"));
  }

  void if_statement(Scope& scope, int depth) {
    const std::vector<Kind> kinds = some_kinds();
    const std::array arms{builder_.new_block(), builder_.new_block()};
    const BlockId join = builder_.new_block();
    builder_.branch(any(scope, kBool), arms[0], arms[1]);
    const std::size_t ending = below(12);  // now and then an arm does not come back
    for (std::size_t index = 0; index < 2; ++index) {
      Scope inner = scope;
      builder_.set_block(arms[index]);
      statements(inner, depth);
      if (ending == 0 && index == 0)
        finish(inner);
      else if (ending == 1 && index == 0)
        builder_.finish(Raise{"ValueError", "bad {}", {any(inner, kInt)}});
      else
        builder_.jump(join, pick(inner, kinds));
    }
    add_parameters(join, kinds, scope);
    builder_.set_block(join);
  }

  // for (i = start; i < limit && on; i += step) { …; if (b) break; }
  void loop_statement(Scope& scope, int depth) {
    const std::vector<Kind> carried = some_kinds();
    const std::vector<Kind> leaving = some_kinds();
    const BlockId header = builder_.new_block();
    const BlockId body = builder_.new_block();
    const BlockId after = builder_.new_block();
    const ValueId step = builder_.const_int(1 + static_cast<std::int64_t>(below(2)));
    const ValueId limit =
        below(3) == 0 ? builder_.host(HostOp::Mod, {any(scope, kInt), builder_.const_int(4)}, int_type(), "l")
                      : builder_.const_int(static_cast<std::int64_t>(below(5)));
    std::vector<ValueId> arguments = pick(scope, carried);
    arguments.insert(arguments.begin(),
                     {builder_.const_int(static_cast<std::int64_t>(below(3))), builder_.const_bool(true)});
    builder_.jump(header, arguments);

    builder_.set_block(header);
    const ValueId counter = builder_.add_parameter(header, int_type(), "i");
    const ValueId on = builder_.add_parameter(header, bool_type(), "on");
    add_parameters(header, carried, scope);
    ValueId test = builder_.host(below(4) == 0 ? HostOp::Le : HostOp::Lt, {counter, limit}, bool_type(), "c");
    const bool may_stop = below(2) == 0;
    if (may_stop) test = builder_.host(HostOp::And, {test, on}, bool_type(), "both");
    builder_.finish(Branch{test, {body, {}}, {after, pick(scope, leaving)}});

    Scope inner = scope;
    inner[kInt].push_back(counter);
    builder_.set_block(body);
    statements(inner, depth);
    std::vector<ValueId> next = pick(inner, carried);
    next.insert(next.begin(),
                {builder_.host(HostOp::Add, {counter, step}, int_type(), "next"), any(inner, kBool)});
    if (below(3) == 0)
      builder_.finish(Branch{any(inner, kBool), {header, next}, {after, pick(inner, leaving)}});
    else
      builder_.jump(header, next);
    scope[kInt].push_back(counter);
    add_parameters(after, leaving, scope);
    builder_.set_block(after);
  }

  std::mt19937 random_;
  Hcfg graph_;
  HcfgBuilder builder_;
};

template <class T>
TensorPtr tensor(DType dtype, std::vector<std::int64_t> dims, const std::vector<T>& values) {
  return std::make_shared<const TensorData>(
      make_tensor_of<T>(dtype, std::move(dims), std::span<const T>(values)));
}

}  // namespace

Hcfg random_program(std::uint32_t seed) { return ProgramMaker(seed).make(); }

std::vector<InterpreterValue> random_inputs(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto number = [&] { return static_cast<float>(random() % 9) - 4.0F; };
  std::vector<float> growing(random() % 4);
  for (float& element : growing) element = number();
  const auto flag = static_cast<std::uint8_t>(random() % 2);
  return {tensor<float>(DType::F32, {2}, {number(), number()}),
          tensor<float>(DType::F32, {static_cast<std::int64_t>(growing.size())}, growing),
          tensor<std::int64_t>(DType::I64, {}, {static_cast<std::int64_t>(random() % 7)}),
          tensor<std::uint8_t>(DType::Bool, {}, {flag})};
}

}  // namespace dycl::testing

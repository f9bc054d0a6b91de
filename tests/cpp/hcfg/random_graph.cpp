// SPDX-License-Identifier: Apache-2.0
#include "hcfg/random_graph.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <random>

#include "base/overloaded.h"
#include "hcfg/uses.h"

namespace dycl::testing_support {
namespace {

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  Hcfg graph() {
    graph_.name = text();
    for (std::size_t count = below(3); count > 0; --count) graph_.add_symbol(text());
    for (std::size_t count = below(4); count > 0; --count) input();
    ranges();
    for (std::size_t count = below(3); count > 0; --count)
      graph_.outputs.push_back({text(), ValueId(), type(0), below(2) == 0});
    for (std::size_t count = below(3); count > 0; --count) graph_.add_constant(tensor(), text());
    const std::size_t blocks = 1 + below(4);
    for (std::size_t index = 0; index < blocks; ++index) graph_.add_block();
    for (std::size_t index = 0; index < blocks; ++index) block(graph_.blocks[index]);
    for (Block& each : graph_.blocks) each.terminator = terminator();
    return graph_;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::string text() {
    static const std::vector<std::string> kTexts{"x",    "x",   "y_1",      "input:0", "",
                                                 "7",    "a b", "optional", "\"q\"\n", "é",
                                                 "\xff", "b0",  "_",        "n",       "hcfg"};
    return kTexts[below(kTexts.size())];
  }

  Dim dim() {
    Dim result(static_cast<std::int64_t>(below(4)));
    if (graph_.symbols.empty() || below(2) == 0) return result;
    const Dim symbol(SymbolId(below(graph_.symbols.size())));
    return below(2) == 0 ? symbol : result + symbol * (static_cast<std::int64_t>(below(7)) - 3);
  }

  // Of symbols that inputs mention: what a text can say.
  void ranges() {
    for (const Port& port : graph_.inputs)
      for_each_dim_within(port.type, [&](const Dim& dim) {
        for (const auto& term : dim.terms)
          if (below(2) == 0)
            graph_.symbols[term.first.index()].range = {static_cast<std::int64_t>(below(3)),
                                                        static_cast<std::int64_t>(below(9))};
      });
  }

  Type type(int depth) {
    const std::size_t kind = below(depth > 2 ? 6 : 8);
    if (kind == 6) return seq_of(type(depth + 1));
    if (kind == 7) return optional_of(type(depth + 1));
    if (kind == 5) return StringType{};
    if (kind == 4) return ScalarType{static_cast<ScalarKind>(below(3))};
    TensorType tensor_type;
    tensor_type.dtype = *dtype_from_number(static_cast<std::int64_t>(1 + below(26)));
    if (below(5) != 0) {
      tensor_type.dims.emplace();
      for (std::size_t rank = below(4); rank > 0; --rank) tensor_type.dims->push_back(dim());
    }
    if (below(6) == 0) tensor_type.device = {DeviceKind::Cuda, static_cast<std::int32_t>(below(3))};
    return tensor_type;
  }

  TensorData tensor() {
    if (below(4) == 0) return make_string_tensor({2}, std::vector<std::string>{text(), text()});
    const auto size = static_cast<std::int64_t>(below(5));
    std::vector<std::byte> bytes(static_cast<std::size_t>(size) * 2);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(below(256));
    return make_tensor(DType::F16, {size}, std::move(bytes));
  }

  float number() {
    const float special[] = {0.0F, -0.0F, std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::denorm_min(),
                             std::numeric_limits<float>::quiet_NaN()};
    if (below(2) == 0) return special[below(5)];
    return std::bit_cast<float>(static_cast<std::uint32_t>(random_()));
  }

  Attribute attribute() {
    const auto bits = (static_cast<std::uint64_t>(random_()) << 32U) | random_();
    switch (below(8)) {
      case 0: return static_cast<std::int64_t>(bits);
      case 1: return number();
      case 2: return std::bit_cast<double>(bits);
      case 3: return text();
      case 4: return std::vector<std::int64_t>(below(3), static_cast<std::int64_t>(bits));
      case 5: return std::vector<float>(below(3), number());
      case 6: return std::vector<std::string>(below(3), text());
      default: return std::make_shared<const TensorData>(tensor());
    }
  }

  Attributes attributes() {
    Attributes result;
    for (std::size_t count = below(3); count > 0; --count) result[text()] = attribute();
    return result;
  }

  ValueId define() { return graph_.add_value(type(0), text()); }

  ValueId any() { return graph_.values.empty() ? ValueId() : ValueId(below(graph_.values.size())); }

  std::vector<ValueId> some(bool may_omit) {
    std::vector<ValueId> ids;
    for (std::size_t count = graph_.values.empty() ? 0 : below(3); count > 0; --count)
      ids.push_back(may_omit && below(3) == 0 ? ValueId() : any());
    return ids;
  }

  std::vector<ValueId> definitions(bool may_omit) {
    std::vector<ValueId> ids;
    for (std::size_t count = below(3); count > 0; --count)
      ids.push_back(may_omit && below(3) == 0 ? ValueId() : define());
    return ids;
  }

  void input() {
    const ValueId value = define();
    const Type declared = below(2) == 0 ? graph_.type_of(value) : type(0);
    graph_.inputs.push_back({text(), value, declared, below(2) == 0});
  }

  void block(Block& block) {
    if (&block != graph_.blocks.data()) block.parameters = definitions(false);
    for (std::size_t count = below(3); count > 0; --count) {
      if (below(2) == 0) {
        block.steps.emplace_back(HostStep{host_op(), attributes(), some(true), definitions(true), {}});
        continue;
      }
      SubnetStep subnet{text(), {}};
      for (std::size_t ops = below(3); ops > 0; --ops)
        subnet.ops.push_back(OnnxOp{below(2) == 0 ? "" : text(),
                                    text(),
                                    static_cast<std::int64_t>(below(20)),
                                    attributes(),
                                    some(true),
                                    definitions(true),
                                    {}});
      block.steps.emplace_back(std::move(subnet));
    }
  }

  HostOp host_op() { return static_cast<HostOp>(below(static_cast<std::size_t>(kLastHostOp) + 1)); }

  // The text of a structure has one NaN, as Python does.
  double real() {
    const double drawn = number();
    return drawn == drawn ? drawn : std::numeric_limits<double>::quiet_NaN();
  }

  ResultConstant constant() {
    switch (below(5)) {
      case 0: return {};
      case 1: return below(2) == 0;
      case 2: return static_cast<std::int64_t>(random_());
      case 3: return real();
      default: return text();
    }
  }

  // A structure that takes the values from `next` on, each once.
  ResultNode node(std::size_t& next, std::size_t count, int depth) {
    if (below(8) == 0) return ResultArgument{below(5)};
    if (below(8) == 0) return ResultSame{below(5)};
    if (depth > 2 || below(3) == 0) return next < count ? ResultNode(ResultValue{next++}) : constant();
    const std::size_t kind = below(5);
    ResultList list{static_cast<ResultListKind>(kind % 3), {}};
    ResultDict dict;
    ResultRecord record{static_cast<ResultRecordKind>(below(3)), "models:Outer.Inner", {}};
    for (std::size_t items = below(3); items > 0; --items) {
      ResultNode item = node(next, count, depth + 1);
      if (kind < 3) list.items.push_back(std::move(item));
      if (kind == 3) dict.items.emplace_back(constant(), std::move(item));
      if (kind == 4) record.fields.emplace_back("field_" + std::to_string(items), std::move(item));
    }
    if (kind == 3) return dict;
    return kind == 4 ? ResultNode(record) : ResultNode(list);
  }

  Return structured_return() {
    std::vector<ValueId> values = some(false);
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    ResultList root;
    std::size_t next = 0;
    do root.items.push_back(node(next, values.size(), 0));
    while (next < values.size());
    return {std::move(values), std::make_shared<const ResultNode>(std::move(root))};
  }

  Raise raise_with_attributes() {
    Return carried = structured_return();
    return {text(), "a message", std::move(carried.values), std::move(carried.tree)};
  }

  Edge edge() { return {BlockId(below(graph_.blocks.size())), some(false)}; }

  Terminator terminator() {
    const std::size_t kind = below(graph_.values.empty() ? 3 : 5);
    if (kind == 0) return Jump{edge()};
    if (kind == 1) return below(2) == 0 ? Return{some(false)} : structured_return();
    if (kind == 2) return below(2) == 0 ? Raise{text(), text(), some(false)} : raise_with_attributes();
    if (kind == 3) return Branch{any(), edge(), edge()};
    Switch choice{any(), {}, edge()};
    for (std::size_t count = below(3); count > 0; --count) choice.cases.push_back(edge());
    return choice;
  }

  std::mt19937 random_;
  Hcfg graph_;
};

// Pairs ids of two graphs one to one, in order of meeting.
template <class IdType>
class Pairing {
 public:
  bool pair(IdType left, IdType right) {
    if (!left.valid() || !right.valid()) return left.valid() == right.valid();
    return forward_.try_emplace(left, right).first->second == right &&
           backward_.try_emplace(right, left).first->second == left;
  }

 private:
  std::map<IdType, IdType> forward_;
  std::map<IdType, IdType> backward_;
};

class Comparison {
 public:
  Comparison(const Hcfg& left, const Hcfg& right) : left_(left), right_(right) {}

  bool same() {
    return left_.name == right_.name && all(left_.inputs, right_.inputs) &&
           all(left_.outputs, right_.outputs) && all(left_.constants, right_.constants) &&
           all(left_.blocks, right_.blocks);
  }

 private:
  template <class T>
  bool all(const std::vector<T>& left, const std::vector<T>& right) {
    return std::ranges::equal(left, right, [&](const T& one, const T& other) { return same(one, other); });
  }

  bool same(ValueId left, ValueId right) {
    if (!values_.pair(left, right)) return false;
    return !left.valid() || same(left_.type_of(left), right_.type_of(right));
  }

  // Types print alike once the symbols are named by their partners.
  bool same(const Type& left, const Type& right) {
    std::vector<SymbolId> ours;
    std::vector<SymbolId> theirs;
    const auto text_of = [](const Type& type, std::vector<SymbolId>& symbols) {
      return to_string(type, [&](SymbolId symbol) {
        symbols.push_back(symbol);
        return std::string("?");
      });
    };
    return text_of(left, ours) == text_of(right, theirs) &&
           std::ranges::equal(ours, theirs,
                              [&](SymbolId one, SymbolId other) { return symbols_.pair(one, other); });
  }

  bool same(const Port& left, const Port& right) {
    return left.name == right.name && left.optional == right.optional && same(left.value, right.value) &&
           same(left.type, right.type);
  }
  bool same(const Constant& left, const Constant& right) {
    return same(left.value, right.value) && *left.data == *right.data;
  }
  bool same(const TensorOp& left, const TensorOp& right) {
    return same(std::get<OnnxOp>(left), std::get<OnnxOp>(right));  // no other is drawn
  }
  bool same(const OnnxOp& left, const OnnxOp& right) {
    return left.domain == right.domain && left.name == right.name && left.version == right.version &&
           equal(left.attributes, right.attributes) && all(left.outputs, right.outputs) &&
           all(left.inputs, right.inputs);
  }
  bool same(const HostStep& left, const HostStep& right) {
    return left.op == right.op && equal(left.attributes, right.attributes) &&
           all(left.outputs, right.outputs) && all(left.inputs, right.inputs);
  }
  bool same(const Step& left, const Step& right) {
    if (left.index() != right.index()) return false;
    if (const auto* host = std::get_if<HostStep>(&left)) return same(*host, std::get<HostStep>(right));
    const auto& ours = std::get<SubnetStep>(left);
    const auto& theirs = std::get<SubnetStep>(right);
    return ours.name == theirs.name && all(ours.ops, theirs.ops);
  }
  bool same(const Terminator& left, const Terminator& right) {
    if (left.index() != right.index() || successors(left) != successors(right)) return false;
    if (const auto* raise = std::get_if<Raise>(&left)) {
      const auto& other = std::get<Raise>(right);
      if (raise->type != other.type || raise->format != other.format) return false;
      if (!same_tree(raise->attributes, other.attributes)) return false;
    }
    if (const auto* done = std::get_if<Return>(&left))
      if (!same_tree(done->tree, std::get<Return>(right).tree)) return false;
    return all(uses(left), uses(right));
  }
  static std::vector<ValueId> uses(const Terminator& terminator) {
    std::vector<ValueId> ids;
    for_each_use(terminator, [&](ValueId id) { ids.push_back(id); });
    return ids;
  }
  bool same(const Block& left, const Block& right) {
    return all(left.parameters, right.parameters) && all(left.steps, right.steps) &&
           same(left.terminator, right.terminator);
  }

  const Hcfg& left_;
  const Hcfg& right_;
  Pairing<ValueId> values_;
  Pairing<SymbolId> symbols_;
};

}  // namespace

Hcfg random_graph(std::uint32_t seed) { return Generator(seed).graph(); }

bool same_structure(const Hcfg& left, const Hcfg& right) { return Comparison(left, right).same(); }

}  // namespace dycl::testing_support

// SPDX-License-Identifier: Apache-2.0
#include "import_onnx/importer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/utf8.h"
#include "import_onnx/from_onnx.h"
#include "import_onnx/limits.h"

namespace dycl::import_onnx {
namespace {

bool is_onnx_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

std::vector<std::string> names_of(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& ports) {
  std::vector<std::string> names;
  for (const onnx::ValueInfoProto& port : ports) names.push_back(port.name());
  return names;
}

// A place hundreds of levels deep is told by its beginning and its end.
SourceSpan shortened(SourceSpan span) {
  constexpr std::size_t kEach = 80;
  if (span.node.size() < 4 * kEach) return span;
  const std::size_t begin = span.node.find('/', kEach);
  const std::size_t end = span.node.rfind('/', span.node.size() - kEach);
  if (begin < end && end != std::string::npos)
    span.node = span.node.substr(0, begin + 1) + "…" + span.node.substr(end);
  return span;
}

using Handler = Status (Importer::*)(const onnx::NodeProto&, Scope&);

}  // namespace

Importer::Importer(const onnx::ModelProto& model, TypeInference& inference, const OnnxImportOptions& options)
    : model_(model), inference_(inference), options_(options), files_(options.folder), builder_(graph_) {
  for (const onnx::FunctionProto& function : model.functions())
    functions_.emplace(fmt::format("{}::{}:{}", function.domain(), function.name(), function.overload()),
                       &function);
  auto nodes = static_cast<std::size_t>(model.graph().node_size());
  for (const onnx::FunctionProto& function : model.functions())
    nodes += static_cast<std::size_t>(function.node_size());
  most_expanded_ = std::max(kMostExpandedNodes, kMostExpandedPerNode * nodes);
}

Result<Hcfg> Importer::run() {
  Frame frame;
  for (const onnx::OperatorSetIdProto& import : model_.opset_import())
    frame.opsets[is_onnx_domain(import.domain()) ? "" : import.domain()] = import.version();
  Scope scope{nullptr, &frame, model_.graph().name().empty() ? "main" : model_.graph().name()};
  graph_.name = "main";
  builder_.set_block(builder_.new_block());
  if (Status status = import_initializers(model_.graph(), scope); !status)
    return failure_of(std::move(status));
  if (Status status = import_inputs(scope); !status) return failure_of(std::move(status));
  if (Status status = import_nodes(model_.graph().node(), scope); !status)
    return failure_of(std::move(status));
  if (Status status = import_outputs(scope); !status) return failure_of(std::move(status));
  return std::move(graph_);
}

Status Importer::import_inputs(Scope& scope) {
  std::map<std::string, SymbolId> symbols;
  const auto symbol_of = [&](const std::string& name) {
    if (name.empty()) return graph_.add_symbol("d");
    const auto [found, added] = symbols.try_emplace(name);
    if (!added) return found->second;
    found->second = graph_.add_symbol(name);
    if (const auto asked = options_.dims.find(name); asked != options_.dims.end())
      graph_.symbols[found->second.index()].range = asked->second;
    return found->second;
  };
  for (const auto* ports : {&model_.graph().input(), &model_.graph().output()})
    for (const std::string& name : names_of(*ports))
      if (!is_utf8(name))
        return fail(Blame::Usage, "onnx.not_utf8", fmt::format("the name '{}' is not UTF-8", as_utf8(name)),
                    SourceSpan{options_.file, 0, 0, {}}, "rename the input or output");
  std::set<std::string> pinned;
  for (const onnx::ValueInfoProto& input : model_.graph().input()) {
    const auto initializer = scope.names.find(input.name());
    // Before IR version 4 every initializer had to be listed as an input, and none could be replaced.
    if (initializer != scope.names.end() && model_.ir_version() < 4) continue;
    Result<Type> type = from_onnx(input.type(), symbol_of);
    if (!type) {
      type.error().message = fmt::format("input '{}': {}", input.name(), type.error().message);
      return failure_of(std::move(type));
    }
    if (const auto pin = options_.inputs.find(input.name()); pin != options_.inputs.end()) {
      if (Status status = pin_input(input.name(), pin->second, *type); !status) return status;
      pinned.insert(input.name());
    }
    *type = with_pinned_dims(*type);
    if (initializer != scope.names.end()) *type = optional_of(*type);
    const ValueId value = graph_.add_value(*type, input.name());
    graph_.inputs.push_back({input.name(), value, *type, type->optional() != nullptr});
    if (initializer == scope.names.end()) {
      scope.names.emplace(input.name(), value);
      continue;
    }
    Result<ValueId> chosen = value_or(value, initializer->second);
    if (!chosen) return failure_of(std::move(chosen));
    initializer->second = *chosen;
  }
  return check_pins(symbols, pinned);
}

Status Importer::check_pins(const std::map<std::string, SymbolId>& symbols,
                            const std::set<std::string>& pinned) {
  for (const auto& [name, size] : options_.dims)
    if (!symbols.contains(name))
      return fail(Blame::Usage, "onnx.no_such_dim", fmt::format("no input has a dim named '{}'", name),
                  SourceSpan{options_.file, 0, 0, {}}, "dims are named in the model's declared input shapes");
  for (const auto& [name, pin] : options_.inputs)
    if (!pinned.contains(name))
      return fail(Blame::Usage, "onnx.no_such_input", fmt::format("the model has no input '{}'", name),
                  SourceSpan{options_.file, 0, 0, {}},
                  fmt::format("its inputs are {}", fmt::join(names_of(model_.graph().input()), ", ")));
  // What became a number in every input is no symbol any more.
  std::set<SymbolId> left;
  for (const Port& port : graph_.inputs)
    for_each_dim_within(port.type, [&](const Dim& dim) {
      for (const auto& term : dim.terms) left.insert(term.first);
    });
  for (const auto& [name, symbol] : symbols)
    if (!left.contains(symbol)) graph_.symbols[symbol.index()].range = {};
  return {};
}

// The input if the caller gives it, else its default.
Result<ValueId> Importer::value_or(ValueId given, ValueId fallback) {
  const SymbolScope outside{graph_.symbols.size()};
  const DimSource fresh = fresh_symbols(graph_);
  const Type given_type = refresh_symbols(*graph_.type_of(given).optional()->element, fresh);
  Result<Type> type = join_types(given_type, graph_.type_of(fallback), outside, fresh);
  if (!type) return failure_of(std::move(type));
  const std::string name = graph_.value(given).name;
  const ValueId is_given = host(HostOp::HasValue, {given}, ScalarType{ScalarKind::Bool}, "given");
  const BlockId with = builder_.new_block();
  const BlockId without = builder_.new_block();
  const BlockId join = builder_.new_block();
  const ValueId chosen = builder_.add_parameter(join, *type, name);
  builder_.branch(is_given, with, without);
  builder_.set_block(with);
  builder_.jump(join, {host(HostOp::Unwrap, {given}, given_type, name)});
  builder_.set_block(without);
  builder_.jump(join, {fallback});
  builder_.set_block(join);
  return chosen;
}

Status Importer::pin_input(const std::string& name, const TensorSpec& pin, Type& type) const {
  const auto contradicts = [&] {
    return fail(Blame::Usage, "onnx.input_contradicts",
                fmt::format("the type given for input '{}' contradicts the model", name),
                SourceSpan{options_.file, 0, 0, {}},
                "give it the declared element type, rank and fixed sizes");
  };
  auto* tensor = std::get_if<TensorType>(&type);
  if (tensor == nullptr || tensor->dtype != pin.dtype) return contradicts();
  if (tensor->dims) {
    if (tensor->dims->size() != pin.dims.size()) return contradicts();
    for (std::size_t axis = 0; axis < pin.dims.size(); ++axis) {
      const Dim& declared = (*tensor->dims)[axis];
      if (declared.is_static() && declared != Dim(pin.dims[axis])) return contradicts();
      const auto symbol = declared.as_symbol();
      if (!symbol || graph_.symbols[symbol->index()].range.contains(pin.dims[axis])) continue;
      return fail(
          Blame::Usage, "onnx.dim_contradicts",
          fmt::format("input '{}' is given size {} in dim {}, but {} must be {}", name, pin.dims[axis], axis,
                      graph_.symbols[symbol->index()].name, to_string(graph_.symbols[symbol->index()].range)),
          SourceSpan{options_.file, 0, 0, {}}, "give the input and the dim sizes that agree");
    }
  }
  tensor->dims.emplace(pin.dims.begin(), pin.dims.end());
  return {};
}

Type Importer::with_pinned_dims(const Type& type) const {
  if (const SeqType* seq = type.seq()) return seq_of(with_pinned_dims(*seq->element));
  if (const OptionalType* optional = type.optional())
    return optional_of(with_pinned_dims(*optional->element));
  if (type.tensor() == nullptr || !type.tensor()->dims) return type;
  TensorType pinned = *type.tensor();
  for (Dim& dim : *pinned.dims) {
    const std::optional<SymbolId> symbol = dim.as_symbol();
    if (!symbol) continue;
    const DimRange range = graph_.symbols[symbol->index()].range;
    if (range.one_size()) dim = Dim(range.smallest);
  }
  return pinned;
}

Status Importer::import_initializers(const onnx::GraphProto& graph, Scope& scope) {
  const auto add = [&](const std::string& name, Result<TensorData> tensor) -> Status {
    if (!tensor) {
      if (!tensor.error().span.known()) tensor.error().span = SourceSpan{options_.file, 0, 0, scope.path};
      return failure_of(std::move(tensor));
    }
    scope.names[name] = graph_.add_constant(std::move(*tensor), name);
    return {};
  };
  for (const onnx::TensorProto& proto : graph.initializer())
    if (Status status = add(proto.name(), from_onnx(proto, &files_)); !status) return status;
  for (const onnx::SparseTensorProto& proto : graph.sparse_initializer())
    if (Status status = add(proto.values().name(), from_onnx(proto, &files_)); !status) return status;
  return {};
}

Status Importer::import_nodes(const google::protobuf::RepeatedPtrField<Node>& nodes, Scope& scope) {
  for (const Node& node : nodes) {
    const SourceSpan span = span_of(node, scope);
    builder_.set_source(graph_.add_source(span));
    Status status = import_node(node, scope);
    if (status && problem_) status = bad_operand();
    if (!status) {
      if (!status.error().span.known()) status.error().span = shortened(span);
      return status;
    }
  }
  return {};
}

std::string Importer::inner_path(const Scope& outer, const std::string& name) {
  std::string path = outer.path + "/" + name;
  if (path.size() <= kLongestPath) return path;
  return path.substr(0, kLongestPath / 4) + " … " + path.substr(path.size() - kLongestPath / 2);
}

Status Importer::check_depth(const Scope& outer) const {
  if (outer.depth < kDeepestNesting) return {};
  return refuse("onnx.nested_too_deep",
                fmt::format("subgraphs and functions are nested more than {} deep", kDeepestNesting),
                "flatten the model's control flow, and call fewer functions from functions");
}

Status Importer::import_node(const Node& node, Scope& scope) {
  static const std::map<std::string, Handler> kHandlers{
      {"If", &Importer::import_if},
      {"Loop", &Importer::import_loop},
      {"Scan", &Importer::import_scan},
      {"SequenceMap", &Importer::import_sequence_map},
      {"Constant", &Importer::import_constant},
      {"SequenceEmpty", &Importer::import_sequence_op},
      {"SequenceConstruct", &Importer::import_sequence_op},
      {"SequenceInsert", &Importer::import_sequence_op},
      {"SequenceErase", &Importer::import_sequence_op},
      {"SequenceAt", &Importer::import_sequence_op},
      {"SequenceLength", &Importer::import_sequence_op},
      {"ConcatFromSequence", &Importer::import_sequence_op},
      {"SplitToSequence", &Importer::import_sequence_op},
      {"Optional", &Importer::import_optional_op},
      {"OptionalHasElement", &Importer::import_optional_op},
      {"OptionalGetElement", &Importer::import_optional_op},
  };
  if (!expanding_.empty() && ++expanded_ > most_expanded_)
    return refuse("onnx.too_many_nodes",
                  fmt::format("model-local functions expand to more than {} nodes", most_expanded_),
                  "call functions from fewer places: what a function calls twice is expanded twice");
  if (const onnx::FunctionProto* function = function_of(node)) return import_function(node, *function, scope);
  if (is_onnx_domain(node.domain())) {
    const auto handler = kHandlers.find(node.op_type());
    if (handler != kHandlers.end()) return (this->*handler->second)(node, scope);
  }
  return import_tensor_op(node, scope);
}

Result<std::vector<ValueId>> Importer::import_subgraph(const onnx::GraphProto& graph, const Scope& outer,
                                                       const std::vector<ValueId>& inputs) {
  if (Status status = check_depth(outer); !status) return failure_of(std::move(status));
  Scope scope{&outer, outer.frame, inner_path(outer, graph.name().empty() ? "subgraph" : graph.name()),
              outer.depth + 1};
  if (static_cast<std::size_t>(graph.input_size()) != inputs.size())
    return refuse("onnx.bad_subgraph",
                  fmt::format("subgraph '{}' takes {} inputs where {} are given", graph.name(),
                              graph.input_size(), inputs.size()),
                  "check the model with onnx.checker");
  if (Status status = import_initializers(graph, scope); !status) return failure_of(std::move(status));
  for (int index = 0; index < graph.input_size(); ++index)
    scope.names[graph.input(index).name()] = inputs[static_cast<std::size_t>(index)];
  if (Status status = import_nodes(graph.node(), scope); !status) return failure_of(std::move(status));
  return outputs_of(graph, scope);
}

Result<std::vector<ValueId>> Importer::outputs_of(const onnx::GraphProto& graph, const Scope& scope) {
  std::vector<ValueId> values;
  for (const onnx::ValueInfoProto& output : graph.output()) {
    Result<ValueId> value = lookup(output.name(), scope);
    if (!value) return failure_of(std::move(value));
    values.push_back(*value);
  }
  return values;
}

Status Importer::import_outputs(const Scope& scope) {
  Result<std::vector<ValueId>> values = outputs_of(model_.graph(), scope);
  if (!values) return failure_of(std::move(values));
  for (std::size_t index = 0; index < values->size(); ++index) {
    const onnx::ValueInfoProto& output = model_.graph().output(static_cast<int>(index));
    ValueId& value = (*values)[index];
    if (output.type().value_case() != onnx::TypeProto::kOptionalType) {
      Result<ValueId> unwrapped = plain(value);
      if (!unwrapped) return failure_of(std::move(unwrapped));
      value = *unwrapped;
    }
    Result<Type> type = type_of(value);
    if (!type) return failure_of(std::move(type));
    graph_.outputs.push_back({output.name(), {}, *type, false});
  }
  if (Status status = settle(); !status) return status;
  builder_.finish(Return{std::move(*values)});
  return {};
}

Result<Hcfg> import_onnx(const onnx::ModelProto& model, TypeInference& inference,
                         const OnnxImportOptions& options) {
  Result<Hcfg> graph = Importer(model, inference, options).run();
  if (!graph && !graph.error().span.known()) graph.error().span.file = options.file;
  return graph;
}

}  // namespace dycl::import_onnx

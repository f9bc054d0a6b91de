// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <tuple>

#include "base/type_text.h"
#include "package/attribute_json.h"
#include "package/entry.h"
#include "package/error.h"
#include "package/host_plan_json.h"
#include "package/json_reader.h"
#include "package/limits.h"
#include "package/result_tree_json.h"

namespace dycl {
namespace {

constexpr std::string_view kProgramFile = "program.json";

// "s12" → 12; anything else is no symbol of ours.
SymbolId symbol_from(std::string_view name, std::size_t count) {
  std::uint32_t number = 0;
  if (name.size() < 2 || name[0] != 's' || (name[1] == '0' && name.size() > 2)) return {};
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number >= count) return {};
  return SymbolId(number);
}

std::vector<SlotIndex> slots_of(const JsonCursor& list) {
  std::vector<SlotIndex> slots;
  slots.reserve(list.size());
  list.each([&](const JsonCursor& slot) { slots.push_back(slot.index()); });
  return slots;
}

std::vector<SlotIndex> optional_slots(const JsonCursor& object, std::string_view key) {
  const auto found = object.optional_field(key);
  return found ? slots_of(*found) : std::vector<SlotIndex>();
}

PlanEdge edge_of(const JsonCursor& object) {
  object.only_fields({"to", "moves", "dead"});
  PlanEdge edge{object.field("to").index(), {}, optional_slots(object, "dead")};
  const auto moves = object.optional_field("moves");
  if (!moves) return edge;
  moves->each([&](const JsonCursor& pair) {
    const std::vector<SlotIndex> slots = slots_of(pair);
    if (slots.size() != 2) return pair.say("must be pairs of slots");
    edge.moves.push_back({slots[0], slots[1]});
  });
  return edge;
}

// The name of a weight, or a list of such names.
std::vector<std::string> first_contents_of(const JsonCursor& initial) {
  if (!initial.is_list()) return {initial.text()};
  std::vector<std::string> weights;
  initial.each([&](const JsonCursor& weight) { weights.push_back(weight.text()); });
  return weights;
}

// "batch", or an object when the size has limits.
PlanSymbol symbol_of(const JsonCursor& symbol) {
  if (!symbol.is_object()) return {symbol.text(), {}};
  symbol.only_fields({"name", "smallest", "largest"});
  const std::int64_t smallest = symbol.field("smallest").integer(0);
  return {symbol.field("name").text(), {smallest, symbol.field("largest").integer(smallest)}};
}

class PlanReader {
 public:
  explicit PlanReader(const Json& document)
      : complaint_(kProgramFile), root_(document, "program", complaint_) {}

  Result<HostPlan> read() {
    const std::int64_t schema = root_.field("schema").integer();
    if (!complaint_.any() && schema > kHostPlanSchema)
      return package_error("newer_version",
                           fmt::format("the program was made by a newer DyCL (schema {}, this one reads {})",
                                       schema, kHostPlanSchema),
                           "update DyCL");
    if (!complaint_.any() && schema < 1) root_.field("schema").say("is not a version");
    root_.only_fields({"schema", "symbols", "inputs", "outputs", "slots", "names", "constants", "subnets",
                       "code", "sources", "blocks"});
    read_tables();
    read_code();
    if (auto status = complaint_.status("package.bad_program"); !status) return failure_of(std::move(status));
    return std::move(plan_);
  }

 private:
  void read_tables() {
    each_numbered("symbols", "symbol",
                  [&](const JsonCursor& symbol) { plan_.symbols.push_back(symbol_of(symbol)); });
    root_.field("sources").each([&](const JsonCursor& object) {
      object.only_fields({"file", "line", "column", "node", "from"});
      StackedSource source{{object.field("file").text(), object.field("line").index(),
                            object.field("column").index(), object.field("node").text()},
                           {}};
      if (const auto from = object.optional_field("from")) {
        source.caller = from->index();
        if (*source.caller >= sources_.size()) from->say("must name an earlier source");
      }
      sources_.push_back(std::move(source));
    });
    plan_.inputs = ports("inputs");
    plan_.outputs = ports("outputs");
    each_numbered("slots", "slot", [&](const JsonCursor& type) { plan_.slots.push_back(type_of(type)); });
    if (const auto names = root_.optional_field("names"))
      names->each([&](const JsonCursor& name) { plan_.names.push_back(name.text()); });
    each_numbered("constants", "constant", [&](const JsonCursor& object) {
      object.only_fields({"slot", "weight"});
      plan_.constants.push_back({object.field("slot").index(), object.field("weight").text()});
    });
    each_numbered("subnets", "sub-DNN",
                  [&](const JsonCursor& object) { plan_.subnets.push_back(subnet_of(object)); });
  }

  void read_code() {
    each_numbered("code", "instruction", [&](const JsonCursor& object) {
      const std::vector<SourceSpan> stack = stack_of(object);
      PlanInstruction& added = plan_.code.emplace_back(operation_of(object), optional_slots(object, "dead"));
      std::tie(added.source, added.callers) = split(stack);
    });
    if (const auto blocks = root_.optional_field("blocks"))
      blocks->each([&](const JsonCursor& pair) {
        const std::vector<SlotIndex> numbers = slots_of(pair);
        if (numbers.size() != 2) return pair.say("must be pairs of numbers");
        plan_.blocks.push_back({numbers[0], numbers[1]});
      });
  }

  template <class Function>
  void each_numbered(std::string_view key, std::string_view what, Function function) {
    std::size_t number = 0;
    root_.field(key).each([&](const JsonCursor& element) {
      complaint_.about(fmt::format("{} {}", what, number++));
      function(element);
    });
    complaint_.about("");
  }

  Type type_of(const JsonCursor& text) {
    bool known = true;
    const std::string words = text.text();
    if (complaint_.any()) return {};
    auto type = parse_type(words, [&](std::string_view name) {
      const SymbolId symbol = symbol_from(name, plan_.symbols.size());
      known = known && symbol.valid();
      return symbol;
    });
    if (!type || !known) {
      text.say(fmt::format("has a type that cannot be read: {}", shown(words)));
      return {};
    }
    return *std::move(type);
  }

  std::vector<PlanPort> ports(std::string_view key) {
    std::vector<PlanPort> result;
    each_numbered(key, key, [&](const JsonCursor& object) {
      object.only_fields({"name", "type", "slot", "optional", "initial"});
      result.push_back({object.field("name").text(), type_of(object.field("type")),
                        object.field("slot").index(), object.field("optional").boolean()});
      if (const auto initial = object.optional_field("initial"))
        result.back().initial = first_contents_of(*initial);
    });
    return result;
  }

  // Innermost first. Callers come earlier in the table, so this ends; a hostile table is cut off.
  std::vector<SourceSpan> stack_of(const JsonCursor& object) {
    const auto at = object.optional_field("at");
    std::vector<SourceSpan> stack;
    if (!at) return stack;
    std::optional<std::uint32_t> number = at->index();
    if (*number >= sources_.size()) at->say("names a source that is not in the table");
    while (number && *number < sources_.size() && stack.size() < limits::kSourceStack) {
      const SourceSpan& span = sources_[*number].span;
      source_bytes_ += sizeof(SourceSpan) + span.file.size() + span.node.size();
      if (source_bytes_ > limits::kSourceBytes) {
        at->say("repeats sources more often than memory allows");
        return {};
      }
      stack.push_back(span);
      number = sources_[*number].caller;
    }
    return stack;
  }

  static std::pair<SourceSpan, std::vector<SourceSpan>> split(const std::vector<SourceSpan>& stack) {
    if (stack.empty()) return {};
    return {stack.front(), {stack.begin() + 1, stack.end()}};
  }

  PlanSubnet subnet_of(const JsonCursor& object) {
    object.only_fields({"name", "hash", "backend", "guards"});
    PlanSubnet subnet{
        object.field("name").text(), object.field("hash").text(), object.field("backend").text(), {}};
    object.field("guards").each([&](const JsonCursor& guard) {
      guard.only_fields({"type", "message", "at"});
      auto [source, callers] = split(stack_of(guard));
      subnet.guards.push_back(
          {guard.field("type").text(), guard.field("message").text(), std::move(source), std::move(callers)});
    });
    return subnet;
  }

  PlanOperation host_of(const JsonCursor& object) {
    object.only_fields({"op", "host", "in", "out", "attributes", "dead", "at"});
    const JsonCursor name = object.field("host");
    const auto op = host_op_from_name(name.text());
    if (!op) name.say("is not a host operation");
    const auto attributes = object.optional_field("attributes");
    return PlanHost{op.value_or(HostOp::Item), attributes ? attributes_from_json(*attributes) : Attributes(),
                    slots_of(object.field("in")), slots_of(object.field("out"))};
  }

  PlanOperation switch_of(const JsonCursor& object) {
    object.only_fields({"op", "index", "cases", "fallback", "dead", "at"});
    PlanSwitch choice{object.field("index").index(), {}, edge_of(object.field("fallback"))};
    object.field("cases").each([&](const JsonCursor& edge) { choice.cases.push_back(edge_of(edge)); });
    return choice;
  }

  PlanOperation operation_of(const JsonCursor& object) {
    const JsonCursor op = object.field("op");
    const std::string kind = op.text();
    if (kind == "host") return host_of(object);
    if (kind == "switch") return switch_of(object);
    if (kind == "call") {
      object.only_fields({"op", "subnet", "in", "out", "dead", "at"});
      return PlanCall{object.field("subnet").index(), slots_of(object.field("in")),
                      slots_of(object.field("out"))};
    }
    if (kind == "jump") {
      object.only_fields({"op", "edge", "dead", "at"});
      return PlanJump{edge_of(object.field("edge"))};
    }
    if (kind == "branch") {
      object.only_fields({"op", "if", "then", "else", "dead", "at"});
      return PlanBranch{object.field("if").index(), edge_of(object.field("then")),
                        edge_of(object.field("else"))};
    }
    if (kind == "return") {
      object.only_fields({"op", "values", "tree", "writes", "dead", "at"});
      PlanReturn result{slots_of(object.field("values"))};
      if (const auto writes = object.optional_field("writes")) result.writes = slots_of(*writes);
      if (const auto tree = object.optional_field("tree")) result.tree = tree_from_json(*tree);
      return result;
    }
    if (kind != "raise") op.say("is not an operation");
    object.only_fields({"op", "type", "format", "scalars", "attributes", "dead", "at"});
    PlanRaise raise{object.field("type").text(), object.field("format").text(),
                    slots_of(object.field("scalars"))};
    if (const auto attributes = object.optional_field("attributes"))
      raise.attributes = tree_from_json(*attributes);
    return raise;
  }

  Complaint complaint_;
  JsonCursor root_;
  HostPlan plan_;
  struct StackedSource {
    SourceSpan span;
    std::optional<std::uint32_t> caller;
  };
  std::vector<StackedSource> sources_;
  std::size_t source_bytes_ = 0;  // copied out of `sources_`
};

}  // namespace

Result<HostPlan> read_host_plan(std::string_view text) {
  auto document = parse_json(text, kProgramFile, limits::kProgramBytes);
  if (!document) return failure_of(std::move(document));
  return PlanReader(*document).read();
}

}  // namespace dycl

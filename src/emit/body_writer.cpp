// SPDX-License-Identifier: Apache-2.0
#include "emit/body_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/overloaded.h"
#include "base/scalar.h"
#include "emit/host_writer.h"
#include "emit/slots.h"

namespace dycl::emit {
namespace {

class BodyWriter {
 public:
  explicit BodyWriter(const ProgramParts& parts) : parts_(parts), plan_(parts.plan), host_(parts) {}

  Result<Body> run() {
    std::vector<bool> is_released(plan_.slots.size());
    for (SlotIndex slot = 0; slot < is_released.size(); ++slot) is_released[slot] = parts_.is_value(slot);
    write_all(structure_of(plan_, parts_.flow, std::move(is_released)));
    if (problem_) return Failure(std::move(*problem_));
    return std::move(body_);
  }

 private:
  [[nodiscard]] const std::string& name(SlotIndex slot) const { return parts_.names[slot]; }

  void line(const std::string& text) { body_.text += std::string(2 * depth_, ' ') + text + "\n"; }

  void write_all(const Statements& statements) {
    for (const Statement& statement : statements)
      std::visit(
          [this](const auto& one) { write(one); },
          static_cast<const std::variant<Steps, Moves, Leave, Label, If, Cases, Loop, Finish>&>(statement));
  }

  void write_within(const Statements& statements) {
    ++depth_;
    write_all(statements);
    --depth_;
  }

  // Says where the model is, once for all that comes from one line.
  void come_to(std::uint32_t at) {
    const PlanInstruction& instruction = plan_.code[at];
    if (!instruction.source.known()) return;
    std::string place = to_string(instruction.source);
    const auto [entry, added] = place_numbers_.emplace(place, body_.places.size());
    if (added) body_.places.push_back(place);
    if (place_ == entry->second) return;
    place_ = entry->second;
    line(fmt::format("at({});  // {}", place_, comment_text(place)));
  }

  // Where several ways meet, the place is not known.
  void forget_place() { place_ = 0; }

  void write(const Steps& steps) {
    const PlanRange range = parts_.flow.blocks[steps.block];
    for (std::uint32_t at = range.begin; at < range.end - (parts_.flow.goes_on(steps.block) ? 0 : 1); ++at)
      write_step(at);
  }

  void write_step(std::uint32_t at) {
    come_to(at);
    if (const auto* call = std::get_if<PlanCall>(&plan_.code[at].operation)) return write_call(at, *call);
    const auto& host = std::get<PlanHost>(plan_.code[at].operation);
    const bool takes_memory = host.op == HostOp::ToTensor && parts_.is_address(host.outputs[0]);
    auto text = host_.write(host, plan_.code[at].dead, takes_memory ? buffer(at, 0) : "");
    if (!text) {
      if (!problem_) problem_ = std::move(text.error());
      if (problem_ && !problem_->span.known()) problem_->span = plan_.code[at].source;
      return;
    }
    if (!text->empty()) line(*text);
    release(plan_.code[at].dead, host.outputs);
  }

  // Lets go of the memory of values that nothing needs any more.
  void release(const std::vector<SlotIndex>& dead, const std::vector<SlotIndex>& written) {
    for (const SlotIndex slot : dead)
      if (parts_.is_value(slot) && std::ranges::find(written, slot) == written.end())
        line(fmt::format("{} = {{}};", name(slot)));
  }

  // Takes memory for the tensor that the instruction makes as its `index`-th.
  [[nodiscard]] std::string buffer(std::uint32_t at, std::size_t index) const {
    const Making& making = parts_.memory.makings.at(at)[index];
    const Web& web = parts_.memory.web_of(making.slot);
    if (web.offsets.size() == 1) return fmt::format("arena({})", web.offsets[0]);
    std::vector<std::string> avoided;
    for (const SlotIndex slot : making.avoided) avoided.push_back(returned_name(slot));
    return fmt::format("other_than({}, {{{}}})", web_name(parts_.memory.web_of_slot[making.slot]),
                       fmt::join(avoided, ", "));
  }

  void write_call(std::uint32_t at, const PlanCall& call) {
    std::vector<std::string> inputs;
    for (const SlotIndex slot : call.inputs) inputs.push_back(name(slot));
    const std::string& site = parts_.sites[call.subnet];
    const auto is_address = [this](SlotIndex slot) { return parts_.is_address(slot); };
    if (!std::ranges::all_of(call.inputs, is_address) || !std::ranges::all_of(call.outputs, is_address)) {
      write_value_call(at, call, inputs);
    } else if (call.outputs.size() == 1) {
      line(fmt::format("{} = call<{}>({}, {{{}}}, {});", name(call.outputs[0]),
                       element_type(plan_.slots[call.outputs[0]].tensor()->dtype), site,
                       fmt::join(inputs, ", "), buffer(at, 0)));
    } else {
      std::vector<std::string> buffers;
      for (const SlotIndex slot : call.outputs) buffers.push_back(take_buffer(at, slot));
      line(fmt::format("run_site({}, {{{}}}, {{{}}});", site, fmt::join(inputs, ", "),
                       fmt::join(buffers, ", ")));
    }
    release(plan_.code[at].dead, {});
  }

  // Gives the slot a buffer, and returns its name.
  std::string take_buffer(std::uint32_t at, SlotIndex slot) {
    const std::vector<Making>& makings = parts_.memory.makings.at(at);
    const auto found = std::ranges::find(makings, slot, &Making::slot);
    line(fmt::format("{} = take<{}>({});", name(slot), element_type(plan_.slots[slot].tensor()->dtype),
                     buffer(at, static_cast<std::size_t>(found - makings.begin()))));
    return name(slot);
  }

  // Sizes of its tensors are known only now, or the tensors have memory of the pool.
  void write_value_call(std::uint32_t at, const PlanCall& call, const std::vector<std::string>& inputs) {
    std::vector<std::string> results;
    for (const SlotIndex slot : call.outputs)
      results.push_back(parts_.is_address(slot) ? take_buffer(at, slot)
                                                : sizes_of_output(*plan_.slots[slot].tensor()));
    const std::string& site = parts_.sites[call.subnet];
    line(fmt::format("run_site_of_values({}, {{{}}}, {{{}}});", site, fmt::join(inputs, ", "),
                     fmt::join(results, ", ")));
    for (std::size_t index = 0; index < call.outputs.size(); ++index)
      if (!parts_.is_address(call.outputs[index]))
        line(fmt::format("{} = result_of({}, {});", name(call.outputs[index]), site, index));
  }

  [[nodiscard]] std::string sizes_of_output(const TensorType& type) const {
    if (!type.dims) return "emitted::any_sizes()";
    std::vector<std::string> sizes;
    for (const Dim& dim : *type.dims) sizes.push_back(size_text(parts_, dim));
    return fmt::format("emitted::Dims{{{}}}", fmt::join(sizes, ", "));
  }

  void write(const Moves& moves) {
    std::vector<PlanMove> left = moves.edge->moves;
    const auto is_read = [&](SlotIndex slot, const PlanMove* but) {
      return std::ranges::any_of(left,
                                 [&](const PlanMove& move) { return &move != but && move.from == slot; });
    };
    while (!left.empty()) {
      const auto free =
          std::ranges::find_if(left, [&](const PlanMove& move) { return !is_read(move.to, &move); });
      if (free == left.end()) {
        write_cycles(left);
        break;
      }
      const SlotIndex from = free->from;
      const bool goes = dies_on(*moves.edge, from) && !is_read(from, &*free);
      line(fmt::format("{} = {};", name(free->to),
                       goes ? fmt::format("std::move({})", name(from)) : name(from)));
      left.erase(free);
    }
    release_on(*moves.edge);
  }

  // A value that is not needed behind the edge may be handed on as it is.
  [[nodiscard]] bool dies_on(const PlanEdge& edge, SlotIndex slot) const {
    return parts_.is_value(slot) &&
           (std::ranges::find(edge.dead, slot) != edge.dead.end() ||
            std::ranges::any_of(edge.moves, [&](const PlanMove& move) { return move.to == slot; }));
  }

  void release_on(const PlanEdge& edge) {
    std::vector<SlotIndex> written;
    for (const PlanMove& move : edge.moves) written.push_back(move.to);
    release(edge.dead, written);
  }

  // What is left passes values around in circles: all are read before any is written.
  void write_cycles(const std::vector<PlanMove>& moves) {
    line("{");
    ++depth_;
    for (const PlanMove& move : moves)
      line(fmt::format("const auto {}_next_ = {};", name(move.to), name(move.from)));
    for (const PlanMove& move : moves) line(fmt::format("{0} = {0}_next_;", name(move.to)));
    --depth_;
    line("}");
  }

  void write(const Leave& leave) { line(text_of(leave)); }

  static std::string text_of(const Leave& leave) {
    if (leave.kind == LeaveKind::Break) return "break;";
    if (leave.kind == LeaveKind::Continue) return "continue;";
    if (leave.kind == LeaveKind::NextTrip) return fmt::format("goto next_trip_{};", leave.target);
    return fmt::format("goto block_{};", leave.target);
  }

  void write(const Label& label) {
    forget_place();
    body_.text += fmt::format("{}{}_{}:;\n", std::string(2 * depth_ - 1, ' '),
                              label.ends_trip ? "next_trip" : "block", label.block);
  }

  [[nodiscard]] std::uint32_t last_of(BlockIndex block) const { return parts_.flow.blocks[block].end - 1; }

  void write(const If& choice) {
    const auto& branch = std::get<PlanBranch>(plan_.code[last_of(choice.block)].operation);
    come_to(last_of(choice.block));
    const std::size_t before = place_;
    const std::string head = fmt::format("if ({}{})", choice.negated ? "!" : "", name(branch.condition));
    if (choice.otherwise.empty() && choice.then.size() == 1)
      if (const auto* leave = std::get_if<Leave>(&choice.then.front()))
        return line(head + " " + text_of(*leave));
    line(head + " {");
    write_within(choice.then);
    place_ = before;
    if (!choice.otherwise.empty()) {
      line("} else {");
      write_within(choice.otherwise);
      forget_place();
    }
    line("}");
    if (!choice.then.empty() && !leaves(choice.then)) forget_place();
  }

  static bool leaves(const Statements& statements) {
    return std::holds_alternative<Leave>(statements.back()) ||
           std::holds_alternative<Finish>(statements.back());
  }

  void write(const Cases& choice) {
    const auto& decision = std::get<PlanSwitch>(plan_.code[last_of(choice.block)].operation);
    come_to(last_of(choice.block));
    line(fmt::format("switch ({}) {{", name(decision.index)));
    ++depth_;
    for (std::size_t index = 0; index < choice.cases.size(); ++index)
      write_case(fmt::format("case {}:", index), choice.cases[index]);
    write_case("default:", choice.fallback);
    --depth_;
    line("}");
    forget_place();
  }

  void write_case(const std::string& head, const Statements& statements) {
    forget_place();
    line(head + " {");
    write_within(statements);
    ++depth_;
    if (statements.empty() || !leaves(statements)) line("break;");
    --depth_;
    line("}");
  }

  void write(const Loop& loop) {
    forget_place();
    line("for (;;) {");
    ++depth_;
    line("next_trip();");
    --depth_;
    write_within(loop.body);
    line("}");
    forget_place();
  }

  void write(const Finish& finish) {
    const std::uint32_t at = last_of(finish.block);
    come_to(at);
    if (const auto* result = std::get_if<PlanReturn>(&plan_.code[at].operation))
      return write_return(at, *result);
    line(host_.write_raise(std::get<PlanRaise>(plan_.code[at].operation)));
  }

  void write_return(std::uint32_t at, const PlanReturn& result) {
    const bool copies = parts_.memory.makings.contains(at);
    if (copies) line("{");
    depth_ += copies ? 1 : 0;
    keep_borrowed(at);
    own_values(result);
    for (std::size_t index = 0; index < result.writes.size(); ++index)
      write_back(result.writes[index], result.values[result.result_count() + index]);
    write_fields(parts_.results.sites.at(at));
    line("return;");
    depth_ -= copies ? 1 : 0;
    if (copies) line("}");
    kept_.clear();
  }

  void write_fields(const ReturnSite& site) {
    const std::vector<ResultField>& fields = parts_.results.structs[site.which].fields;
    const bool many = parts_.results.structs.size() > 1;
    const std::string target = many ? fmt::format("result->as.r{}.", site.which) : "result->";
    if (many) line(fmt::format("result->which = {};", site.which));
    for (std::size_t index = 0; index < fields.size(); ++index) {
      const ResultSource& source = site.sources[index];
      line(fmt::format("{}{} = {};", target, fields[index].name,
                       source.is_slot ? result_text(source.slot) : source.constant));
    }
    if (fields.empty()) line(fmt::format("{}nothing = 0;", target));
  }

  [[nodiscard]] std::string result_text(SlotIndex slot) const {
    if (!parts_.is_value(slot)) return returned_name(slot);
    if (!has_known_sizes(plan_.slots[slot])) return fmt::format("results.view(memory(), {})", name(slot));
    return fmt::format("results.data<{}>(memory(), {})", element_type(plan_.slots[slot].tensor()->dtype),
                       name(slot));
  }

  // What is written, kept, or returned beside it must not lie in memory of the caller: all copies come before
  // any writing.
  void own_values(const PlanReturn& result) {
    if (result.writes.empty()) return;
    std::set<SlotIndex> done;
    for (const SlotIndex slot : result.values)
      if (parts_.is_value(slot) && done.insert(slot).second)
        line(fmt::format("{0} = emitted::owned(memory(), {0});", name(slot)));
  }

  // Results and states that may lie in memory of the caller are copied; all copies come before any writing.
  void keep_borrowed(std::uint32_t at) {
    const auto found = parts_.memory.makings.find(at);
    if (found == parts_.memory.makings.end()) return;
    std::set<SlotIndex> done;
    for (std::size_t index = 0; index < found->second.size(); ++index) {
      const SlotIndex slot = found->second[index].slot;
      if (!done.insert(slot).second) continue;
      line(fmt::format("{0} {1}_kept_ = kept({1}, {2}, {3});", parts_.type_of(slot), name(slot),
                       bytes_of(*plan_.slots[slot].tensor()), buffer(at, index)));
      kept_.insert(slot);
    }
  }

  // A slot itself stays what it is: it may hold a weight.
  [[nodiscard]] std::string returned_name(SlotIndex slot) const {
    return kept_.contains(slot) ? name(slot) + "_kept_" : name(slot);
  }

  void write_back(std::uint32_t input, SlotIndex value) {
    const PlanPort& port = plan_.inputs[input];
    if (port.is_state()) return line(fmt::format("{}_state_ = {};", name(port.slot), returned_name(value)));
    if (parts_.is_value(value))
      return line(
          fmt::format("write_back({0}_written_, {0}_bytes_, {1});", name(port.slot), returned_name(value)));
    line(fmt::format("write_back({}_written_, {}, {});", name(port.slot), returned_name(value),
                     bytes_of(*plan_.slots[value].tensor())));
  }

  const ProgramParts& parts_;
  const HostPlan& plan_;
  HostWriter host_;
  Body body_{{}, {""}};
  std::map<std::string, std::size_t> place_numbers_;
  std::size_t place_ = 0;
  std::size_t depth_ = 2;
  std::set<SlotIndex> kept_;  // at the return that is written: what was copied
  std::optional<Diagnostic> problem_;
};

}  // namespace

Result<Body> write_body(const ProgramParts& parts) { return BodyWriter(parts).run(); }

std::string ProgramParts::type_of(SlotIndex slot) const {
  return is_address(slot) ? c_type_of(plan.slots[slot]) : value_type(plan.slots[slot]);
}

std::string size_text(const ProgramParts& parts, const Dim& dim) {
  if (dim.is_static()) return fmt::format("{}", dim.constant);
  if (const auto symbol = dim.as_symbol()) return parts.sizes[symbol->index()];
  std::string terms;
  for (const auto& [symbol, factor] : dim.terms)
    terms += fmt::format("{}{{{}, {}}}", terms.empty() ? "" : ", ", factor, parts.sizes[symbol.index()]);
  return fmt::format("emitted::size_from({}, {{{}}})", dim.constant, terms);
}

std::string web_name(WebIndex web) { return fmt::format("kWeb{}", web); }

}  // namespace dycl::emit

// SPDX-License-Identifier: Apache-2.0
#include "partial_eval/language/bind_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include "partial_eval/data/structures.h"
#include "partial_eval/values/live_object.h"

namespace dycl::partial_eval {
namespace {

using program::ParameterKind;

// "'a'", "'a' and 'b'", "'a', 'b', and 'c'"
std::string listing(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t index = 0; index < names.size(); ++index) {
    if (index > 0) text += names.size() == 2 ? " and " : index + 1 == names.size() ? ", and " : ", ";
    text += "'" + names[index] + "'";
  }
  return text;
}

class Binding {
 public:
  Binding(Machine& machine, State& state, const Signature& signature, Arguments& arguments)
      : machine_(machine),
        state_(state),
        signature_(signature),
        arguments_(arguments),
        values_(signature.parameters.size()) {
    for (std::size_t index = 0; index < values_.size(); ++index) {
      const ParameterKind kind = signature.parameters[index].kind;
      if (kind == ParameterKind::PositionalOnly || kind == ParameterKind::Positional) positional_ = index + 1;
      if (kind == ParameterKind::Star) star_ = index;
      if (kind == ParameterKind::DoubleStar) double_star_ = index;
    }
  }

  std::variant<std::vector<AbstractValue>, Raised> run() {
    take_positional();
    std::string problem = take_keywords();
    if (problem.empty() && arguments_.positional.size() > positional_ && !star_) problem = too_many();
    if (problem.empty()) problem = fill_positional();
    if (problem.empty()) problem = fill_keyword_only();
    if (!problem.empty())
      return machine_.raise(PyExc_TypeError, fmt::format("{}() {}", signature_.name, problem));
    return std::move(values_);
  }

 private:
  [[nodiscard]] const std::string& name(std::size_t index) const { return signature_.parameters[index].name; }
  [[nodiscard]] ParameterKind kind(std::size_t index) const { return signature_.parameters[index].kind; }

  void take_positional() {
    std::vector<AbstractValue>& given = arguments_.positional;
    const std::size_t taken = std::min(given.size(), positional_);
    std::copy_n(given.begin(), taken, values_.begin());
    if (!star_) return;
    values_[*star_] =
        make_tuple(machine_, state_, {given.begin() + static_cast<std::ptrdiff_t>(taken), given.end()});
  }

  std::string take_keywords() {
    DictObject rest{{}, nb::borrow(reinterpret_cast<PyObject*>(&PyDict_Type)), {}};
    for (auto& [key, value] : arguments_.keywords) {
      const auto parameter = parameter_of(key);
      if (parameter) {
        if (values_[*parameter].bound()) return fmt::format("got multiple values for argument '{}'", key);
        values_[*parameter] = std::move(value);
      } else if (double_star_) {
        rest.entries.emplace_back(nb::str(key.c_str()), std::move(value));
      } else {
        return unexpected(key);
      }
    }
    if (double_star_) values_[*double_star_] = state_.make(std::move(rest));
    return {};
  }

  [[nodiscard]] std::optional<std::size_t> parameter_of(const std::string& key) const {
    for (std::size_t index = 0; index < values_.size(); ++index)
      if ((kind(index) == ParameterKind::Positional || kind(index) == ParameterKind::KeywordOnly) &&
          name(index) == key)
        return index;
    return std::nullopt;
  }

  [[nodiscard]] std::string unexpected(const std::string& key) const {
    std::vector<std::string> positional_only;
    for (std::size_t index = 0; index < positional_; ++index) {
      const auto named = [&](const auto& keyword) { return keyword.first == name(index); };
      if (kind(index) == ParameterKind::PositionalOnly && std::ranges::any_of(arguments_.keywords, named))
        positional_only.push_back(name(index));
    }
    if (positional_only.empty()) return fmt::format("got an unexpected keyword argument '{}'", key);
    return fmt::format("got some positional-only arguments passed as keyword arguments: '{}'",
                       fmt::join(positional_only, ", "));
  }

  [[nodiscard]] std::string too_many() const {
    std::size_t keyword_only = 0;
    for (std::size_t index = 0; index < values_.size(); ++index)
      if (kind(index) == ParameterKind::KeywordOnly && values_[index].bound()) ++keyword_only;
    const std::size_t given = arguments_.positional.size();
    const std::size_t defaults = signature_.defaults.size();
    const std::string takes = defaults == 0
                                  ? fmt::format("{}", positional_)
                                  : fmt::format("from {} to {}", positional_ - defaults, positional_);
    std::string also;
    if (keyword_only > 0)
      also = fmt::format(" positional argument{} (and {} keyword-only argument{})", given == 1 ? "" : "s",
                         keyword_only, keyword_only == 1 ? "" : "s");
    return fmt::format("takes {} positional argument{} but {}{} {} given", takes,
                       defaults == 0 && positional_ == 1 ? "" : "s", given, also,
                       given == 1 && keyword_only == 0 ? "was" : "were");
  }

  [[nodiscard]] static std::string missing(const std::vector<std::string>& names, const char* which) {
    return fmt::format("missing {} required {} argument{}: {}", names.size(), which,
                       names.size() == 1 ? "" : "s", listing(names));
  }

  std::string fill_positional() {
    const std::size_t required = positional_ - std::min(positional_, signature_.defaults.size());
    std::vector<std::string> absent;
    for (std::size_t index = 0; index < positional_; ++index) {
      if (values_[index].bound()) continue;
      if (index < required) {
        absent.push_back(name(index));
      } else {
        values_[index] = signature_.defaults[index - required];
      }
    }
    return absent.empty() ? std::string() : missing(absent, "positional");
  }

  std::string fill_keyword_only() {
    std::vector<std::string> absent;
    for (std::size_t index = 0; index < values_.size(); ++index) {
      if (kind(index) != ParameterKind::KeywordOnly || values_[index].bound()) continue;
      const auto found = signature_.keyword_defaults.find(name(index));
      if (found == signature_.keyword_defaults.end()) {
        absent.push_back(name(index));
      } else {
        values_[index] = found->second;
      }
    }
    return absent.empty() ? std::string() : missing(absent, "keyword-only");
  }

  Machine& machine_;
  State& state_;
  const Signature& signature_;
  Arguments& arguments_;
  std::vector<AbstractValue> values_;
  std::size_t positional_ = 0;  // parameters that take positional arguments
  std::optional<std::size_t> star_, double_star_;
};

}  // namespace

BindSource source_of(const nb::object& live_function) {
  BindSource source;
  source.name = text_or_empty(live_function, "__qualname__");
  source.globals = live_function.attr("__globals__");
  const nb::object defaults = live_function.attr("__defaults__");
  if (!defaults.is_none())
    for (const nb::handle value : nb::borrow<nb::tuple>(defaults))
      source.defaults.push_back(known(nb::borrow(value)));
  const nb::object keyword_defaults = live_function.attr("__kwdefaults__");
  if (!keyword_defaults.is_none())
    for (const auto& [name, value] : nb::borrow<nb::dict>(keyword_defaults))
      source.keyword_defaults.emplace(nb::cast<std::string>(name), known(nb::borrow(value)));
  const nb::object closure = live_function.attr("__closure__");
  if (!closure.is_none())
    for (const nb::handle cell : nb::borrow<nb::tuple>(closure))
      source.closure.push_back(known(nb::borrow(cell)));
  return source;
}

BindSource source_of(const FunctionObject& function) {
  const auto renamed = function.attributes.find("__qualname__");
  const nb::object* name = renamed == function.attributes.end() ? nullptr : renamed->second.constant();
  return {name != nullptr ? nb::cast<std::string>(*name) : function.code->ir.qualified_name, function.globals,
          function.defaults, function.keyword_defaults, function.closure};
}

std::variant<std::vector<AbstractValue>, Raised> bind_parameters(Machine& machine, State& state,
                                                                 const Signature& signature,
                                                                 Arguments arguments) {
  return Binding(machine, state, signature, arguments).run();
}

std::variant<Frame, Raised> bind(Machine& machine, State& state, const LoweredRef& code, BindSource source,
                                 Arguments arguments) {
  const program::Function& ir = code->ir;
  if (source.closure.size() != ir.free_variables.size()) internal_error("a closure does not fit its code");
  const Signature signature{std::move(source.name), ir.parameters, std::move(source.defaults),
                            std::move(source.keyword_defaults)};
  auto bound = bind_parameters(machine, state, signature, std::move(arguments));
  if (auto* raised = std::get_if<Raised>(&bound)) return std::move(*raised);
  Frame frame;
  frame.function = code;
  frame.globals = std::move(source.globals);
  frame.registers.resize(ir.registers.size());
  auto& values = std::get<std::vector<AbstractValue>>(bound);
  for (std::size_t index = 0; index < values.size(); ++index)
    frame.registers[ir.parameters[index].register_id.index()] = std::move(values[index]);
  for (std::size_t index = 0; index < ir.registers.size(); ++index)
    if (ir.registers[index].kind == program::RegisterKind::Cell)
      frame.registers[index] = state.make(CellObject{std::move(frame.registers[index])});
  for (std::size_t index = 0; index < ir.free_variables.size(); ++index)
    frame.registers[ir.free_variables[index].index()] = std::move(source.closure[index]);
  return frame;
}

}  // namespace dycl::partial_eval

// SPDX-License-Identifier: Apache-2.0
#include "emit/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/overloaded.h"
#include "base/result.h"
#include "emit/names.h"
#include "emit/slots.h"

namespace dycl::emit {
namespace {

struct Leaf {
  std::string path;
  ResultSource source;
  Type type;
  bool is_shown = true;  // None has no field
  bool has_zero = false;
};

Leaf leaf_of(const ResultConstant& constant) {
  return std::visit(
      Overloaded{
          [](std::monostate) { return Leaf{{}, {}, StringType{}, false}; },
          [](bool truth) {
            return Leaf{{}, {false, 0, truth ? "true" : "false"}, ScalarType{ScalarKind::Bool}};
          },
          [](std::int64_t number) {
            return Leaf{{}, {false, 0, literal(number)}, ScalarType{ScalarKind::I64}};
          },
          [](double number) { return Leaf{{}, {false, 0, literal(number)}, ScalarType{ScalarKind::F64}}; },
          [](const std::string& text) {
            Leaf leaf{{}, {false, 0, quoted(text)}, StringType{}};
            leaf.has_zero = text.find('\0') != std::string::npos;
            return leaf;
          },
      },
      static_cast<const std::variant<std::monostate, bool, std::int64_t, double, std::string>&>(constant));
}

std::vector<Leaf> leaves_of_return(const HostPlan& plan, const PlanReturn& result) {
  std::vector<Leaf> leaves;
  if (result.tree == nullptr) {
    for (std::size_t index = 0; index < plan.outputs.size(); ++index) {
      const SlotIndex slot = result.values[index];
      leaves.push_back({plan.outputs[index].name, {true, slot, ""}, plan.slots[slot]});
    }
    return leaves;
  }
  for (const ResultLeaf& known : leaves_of(*result.tree)) {
    Leaf leaf;
    if (const auto* value = std::get_if<ResultValue>(&known.content)) {
      const SlotIndex slot = result.values[value->index];
      leaf = {{}, {true, slot, ""}, plan.slots[slot]};
    } else {
      leaf = leaf_of(std::get<ResultConstant>(known.content));
    }
    leaf.path = known.path.empty() ? "result" : known.path;
    leaf.has_zero = leaf.has_zero || leaf.path.find('\0') != std::string::npos;
    leaves.push_back(std::move(leaf));
  }
  return leaves;
}

ReturnSite site_of(const std::vector<Leaf>& leaves, const std::string& view,
                   std::vector<ResultStruct>& structs) {
  ResultStruct wanted;
  ReturnSite site;
  std::set<std::string> taken;
  for (const Leaf& leaf : leaves) {
    if (!leaf.is_shown) continue;
    std::string name = as_word(leaf.path);
    for (std::size_t next = 2; !taken.insert(name).second; ++next)
      name = as_word(leaf.path) + "_" + std::to_string(next);
    const bool is_plain = !leaf.source.is_slot || leaf.type.scalar() != nullptr || has_known_sizes(leaf.type);
    wanted.fields.push_back({name, leaf.path, is_plain ? c_type_of(leaf.type) : view, leaf.type});
    site.sources.push_back(leaf.source);
  }
  const auto found = std::ranges::find(structs, wanted);
  site.which = static_cast<std::size_t>(found - structs.begin());
  if (found == structs.end()) structs.push_back(std::move(wanted));
  return site;
}

}  // namespace

Result<Results> results_of(const HostPlan& plan, const std::string& view) {
  Results results;
  for (std::uint32_t at = 0; at < plan.code.size(); ++at) {
    const auto* result = std::get_if<PlanReturn>(&plan.code[at].operation);
    if (result == nullptr) continue;
    if (result->tree != nullptr && holds_argument(*result->tree))
      return unsupported("write a return that gives back an object of the caller's", plan.code[at].source,
                         "return a new tensor or number");
    const std::vector<Leaf> leaves = leaves_of_return(plan, *result);
    if (std::ranges::any_of(leaves, [](const Leaf& leaf) { return leaf.has_zero; }))
      return unsupported("write a text with a zero character, where texts of C end", plan.code[at].source,
                         "return another text");
    results.sites.emplace(at, site_of(leaves, view, results.structs));
  }
  if (results.structs.empty()) results.structs.emplace_back();  // every path raises or goes on for ever
  return results;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\')
      result += std::string("\\") + character;
    else if (byte >= 0x20 && byte < 0x7f && character != '?')
      result += character;
    else
      result += fmt::format("\\{:03o}", byte);
  }
  return result + "\"";
}

std::string exception_name(const std::string& type) { return type.substr(0, type.find('(')); }

std::string literal(double number) {
  if (std::isnan(number)) return "std::numeric_limits<double>::quiet_NaN()";
  if (std::isinf(number))
    return number < 0 ? "-std::numeric_limits<double>::infinity()"
                      : "std::numeric_limits<double>::infinity()";
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string literal(std::int64_t number) {
  if (number == std::numeric_limits<std::int64_t>::min()) return "(-INT64_C(9223372036854775807) - 1)";
  constexpr std::int64_t kPlain = 1'000'000'000;  // an int of C++, which becomes an int64_t where it is used
  if (number > -kPlain && number < kPlain) return fmt::format("{}", number);
  return fmt::format("INT64_C({})", number);
}

std::string c_type_of(const Type& type) {
  if (const TensorType* tensor = type.tensor()) return fmt::format("const {}*", element_type(tensor->dtype));
  if (type.scalar() == nullptr) return "const char*";
  return number_type(type.scalar()->kind);
}

}  // namespace dycl::emit

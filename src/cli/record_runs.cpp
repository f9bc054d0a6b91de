// SPDX-License-Identifier: Apache-2.0
#include "cli/record_runs.h"

#include <cstring>
#include <optional>

#include "base/overloaded.h"
#include "base/result_tree.h"

namespace dycl::cli {
namespace {

using runtime::NoValue;
using runtime::RuntimeTensor;
using runtime::RuntimeValue;
using runtime::SequenceRef;

constexpr std::int32_t kNothing = 0;
constexpr std::int32_t kList = -1;

class Recorder {
 public:
  template <class T>
  void number(T value) {
    const auto* bytes = reinterpret_cast<const char*>(&value);
    text_.append(bytes, sizeof value);
  }

  void text(const std::string& value) {
    number(static_cast<std::uint64_t>(value.size()));
    text_ += value;
  }

  void value(const RuntimeValue& value) {
    std::visit(
        Overloaded{
            [&](const NoValue&) { number(kNothing); },
            [&](const RuntimeTensor& tensor) {
              write_tensor(tensor.dtype, tensor.dims.span(), tensor.data, tensor.byte_size);
            },
            [&](const Scalar& scalar) { write_scalar(scalar); },
            [&](const SequenceRef& sequence) { write_list(sequence->items); },
            [&](const std::string& characters) {
              write_tensor(DType::String, {}, characters.data(), characters.size());
            },
        },
        static_cast<const std::variant<NoValue, RuntimeTensor, Scalar, SequenceRef, std::string>&>(value));
  }

  std::string take() { return std::move(text_); }

 private:
  void write_tensor(DType dtype, std::span<const std::int64_t> dims, const void* data, std::size_t bytes) {
    number(static_cast<std::int32_t>(dtype));
    number(static_cast<std::int32_t>(dims.size()));
    for (const std::int64_t size : dims) number(size);
    number(static_cast<std::uint64_t>(bytes));
    if (bytes > 0) text_.append(static_cast<const char*>(data), bytes);
  }

  void write_scalar(const Scalar& scalar) {
    std::visit(Overloaded{
                   [&](bool truth) {
                     const auto byte = static_cast<char>(truth);
                     write_tensor(DType::Bool, {}, &byte, 1);
                   },
                   [&](std::int64_t integer) { write_tensor(DType::I64, {}, &integer, sizeof integer); },
                   [&](double real) { write_tensor(DType::F64, {}, &real, sizeof real); },
               },
               scalar);
  }

  void write_list(const std::vector<RuntimeValue>& items) {
    number(kList);
    number(static_cast<std::uint64_t>(items.size()));
    for (const RuntimeValue& item : items) value(item);
  }

  std::string text_;
};

RuntimeValue value_of(const ResultConstant& constant) {
  return std::visit(
      Overloaded{
          [](std::monostate) { return RuntimeValue(); },
          [](bool truth) { return RuntimeValue(Scalar(truth)); },
          [](std::int64_t number) { return RuntimeValue(Scalar(number)); },
          [](double number) { return RuntimeValue(Scalar(number)); },
          [](const std::string& text) { return RuntimeValue(text); },
      },
      static_cast<const std::variant<std::monostate, bool, std::int64_t, double, std::string>&>(constant));
}

// The leaves that an emitted program has fields for: a None that was known has none.
std::vector<std::pair<std::string, RuntimeValue>> fields_of(const HostPlan& plan, const PlanReturn& taken,
                                                            const std::vector<RuntimeValue>& outputs) {
  std::vector<std::pair<std::string, RuntimeValue>> fields;
  if (taken.tree == nullptr) {
    for (std::size_t index = 0; index < plan.outputs.size(); ++index)
      fields.emplace_back(plan.outputs[index].name, outputs[index]);
    return fields;
  }
  for (const ResultLeaf& leaf : leaves_of(*taken.tree)) {
    const std::string name = leaf.path.empty() ? "result" : leaf.path;
    if (const auto* value = std::get_if<ResultValue>(&leaf.content))
      fields.emplace_back(name, outputs[value->index]);
    else if (RuntimeValue constant = value_of(std::get<ResultConstant>(leaf.content)); constant.has_value())
      fields.emplace_back(name, std::move(constant));
  }
  return fields;
}

}  // namespace

Result<std::string> record_runs(runtime::RunSession& session,
                                const std::vector<std::vector<RuntimeValue>>& inputs) {
  Recorder runs;
  std::uint64_t count = 0;
  std::optional<Diagnostic> problem;
  for (const std::vector<RuntimeValue>& values : inputs) {
    auto outputs = session.run(values);
    if (!outputs && outputs.error().blame != Blame::Model) {
      problem = std::move(outputs.error());
      continue;
    }
    ++count;
    runs.number(static_cast<std::uint64_t>(values.size()));
    for (const RuntimeValue& value : values) runs.value(value);
    runs.number(static_cast<std::int32_t>(outputs ? 0 : 1));
    if (!outputs) {
      runs.text(outputs.error().exception_type.substr(0, outputs.error().exception_type.find('(')));
      runs.text(outputs.error().message);
      continue;
    }
    const auto fields = fields_of(session.program().artifact().plan, *session.last_return(), *outputs);
    runs.number(static_cast<std::uint64_t>(fields.size()));
    for (const auto& [name, value] : fields) {
      runs.text(name);
      runs.value(value);
    }
  }
  if (count == 0 && problem) return Failure(std::move(*problem));
  Recorder file;
  file.number(count);
  return file.take() + runs.take();
}

}  // namespace dycl::cli

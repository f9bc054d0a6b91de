// SPDX-License-Identifier: Apache-2.0
// Small host programs on the fake backend, written in a test.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/program.h"
#include "runtime/session.h"

namespace dycl::runtime::testing {

using Slots = std::vector<SlotIndex>;

// Types are text ("f32[n,3]", "seq<i64[*]>", "int"); equal symbols in them are one symbol.
class PlanBuilder {
 public:
  SlotIndex input(const std::string& name, const std::string& type, bool optional = false);
  SlotIndex slot(const std::string& type);
  SlotIndex constant(const std::string& name, TensorData data);
  void output(const std::string& name, const std::string& type);

  // Each appends an instruction and returns its index.
  std::uint32_t call(const std::string& kernel, Slots inputs, Slots outputs, Slots dead = {},
                     std::vector<PlanGuard> guards = {}, std::vector<std::string> weights = {});
  std::uint32_t host(HostOp op, Slots inputs, SlotIndex output, Slots dead = {}, Attributes attributes = {});
  std::uint32_t add(PlanOperation operation, Slots dead = {});
  // A return of these slots; declares outputs of the slots' types when none are declared yet.
  std::uint32_t ret(Slots values);
  // host(…) into a new slot of this type.
  SlotIndex value(HostOp op, Slots inputs, const std::string& type, Attributes attributes = {});

  [[nodiscard]] std::uint32_t next() const { return static_cast<std::uint32_t>(artifact.plan.code.size()); }
  void source(std::uint32_t instruction, const std::string& file, std::uint32_t line);

  Artifact artifact;

 private:
  Type parse(const std::string& type);
};

Result<std::shared_ptr<const LoadedProgram>> load(const Artifact& artifact, const LoadOptions& options = {});
std::shared_ptr<const LoadedProgram> load_or_die(const PlanBuilder& builder, const LoadOptions& options = {});

// Loads and runs once.
Result<std::vector<RuntimeValue>> run(const PlanBuilder& builder, std::span<const RuntimeValue> inputs = {},
                                      const LoadOptions& options = {});
Result<std::vector<RuntimeValue>> run(const PlanBuilder& builder, std::initializer_list<RuntimeValue> inputs);

RuntimeValue f32(std::vector<std::int64_t> dims, std::vector<float> values);
RuntimeValue i64(std::vector<std::int64_t> dims, std::vector<std::int64_t> values);
RuntimeValue strings(std::vector<std::int64_t> dims, std::vector<std::string> values);
RuntimeValue of(DType dtype, std::vector<std::int64_t> dims, std::vector<unsigned char> bytes);

std::vector<float> f32s(const RuntimeValue& value);
std::vector<std::int64_t> i64s(const RuntimeValue& value);
std::vector<std::string> texts(const RuntimeValue& value);
std::vector<std::int64_t> dims(const RuntimeValue& value);

}  // namespace dycl::runtime::testing

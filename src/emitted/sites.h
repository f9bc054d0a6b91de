// SPDX-License-Identifier: Apache-2.0
// Calls the sub-DNNs of an emitted program: what goes in, where results lie, and what is checked of them.
#pragma once

#include <dycl/kernels.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "emitted/dims.h"
#include "emitted/failures.h"
#include "emitted/loaded_kernels.h"
#include "emitted/offers.h"
#include "emitted/operands.h"
#include "emitted/places.h"
#include "emitted/tables.h"
#include "emitted/tensor.h"

namespace dycl::emitted {

// The calls of the program's sub-DNNs.
class Sites : protected Places {
 protected:
  explicit Sites(const LoadedKernels& kernels) : Places(kernels.tables()) {
    dycl_kernel_set* set = nullptr;
    check(dycl_kernel_set_create(kernels.get(), &set), Code::Load);
    set_.reset(set);
    table_ = dycl_kernel_set_table(set);
    make_sites();
  }

  // Calls a sub-DNN, whose results lie in the buffers then: they are those of the arena, whoever names them.
  void run_site(std::size_t index, std::initializer_list<const void*> inputs,
                std::initializer_list<const void*> buffers) {
    Site& site = sites_[index];
    dycl_kernel_input* input = site.inputs.data();
    for (const void* data : inputs) (input++)->data = data;
    dycl_kernel_output* output = site.outputs.data();
    for (const void* buffer : buffers) offer(*output++, const_cast<void*>(buffer));
    run_kernel(index, site);
    for (std::size_t made = 0; made < buffers.size(); ++made) accept(site, made);
    check_guards(site);
  }

  // The same for a sub-DNN with one result, which it returns.
  template <class T>
  const T* call(std::size_t index, std::initializer_list<const void*> inputs, void* buffer) {
    run_site(index, inputs, {buffer});
    return static_cast<const T*>(buffer);
  }

  // Calls a sub-DNN some of whose tensors are values. What it makes of those, result_of() gives.
  void run_site_of_values(std::size_t index, std::initializer_list<Operand> operands,
                          std::initializer_list<Wanted> wanted) {
    Site& site = sites_[index];
    dycl_kernel_input* input = site.inputs.data();
    for (const Operand& operand : operands) read_from(*input++, operand);
    std::size_t place = 0;
    for (const Wanted& one : wanted) offer_for(site, place++, one);
    run_kernel(index, site);
    place = 0;
    for (const Wanted& one : wanted) {
      if (one.memory != nullptr)
        accept(site, place++);
      else
        accept_value(site, place++, one);
    }
    check_guards(site);
  }

  Tensor result_of(std::size_t index, std::size_t output) { return std::move(sites_[index].values[output]); }

  // The memory of values.
  Pool& memory() { return pool_; }

 private:
  // What a call passes to the backend; all but the addresses stays as it is.
  struct Site {
    const SiteType* type = nullptr;
    std::vector<dycl_kernel_input> inputs;
    std::vector<dycl_kernel_output> outputs;  // those of the guards, too
    std::vector<std::uint8_t> guards;
    std::vector<Tensor> values;  // results that are values, until result_of() gives them
  };

  void make_sites() {
    sites_.resize(tables_.site_count);
    for (std::size_t index = 0; index < tables_.site_count; ++index) {
      Site& site = sites_[index];
      site.type = &tables_.sites[index];
      for (std::uint32_t input = 0; input < site.type->inputs; ++input) {
        const TensorType& type = tables_.types[site.type->types[input]];
        site.inputs.push_back({type.dtype, type.rank, type.dims, nullptr, type.bytes, 1, 0});
      }
      site.outputs.resize(site.type->outputs + site.type->guard_count);
      site.guards.resize(site.type->guard_count);
      site.values.resize(site.type->outputs);
      for (std::size_t output = 0; output < site.outputs.size(); ++output) describe(site, output);
    }
  }

  const TensorType& output_type(const Site& site, std::size_t output) const {
    static constexpr TensorType kGuard{DYCL_BOOL, 0, nullptr, 1};
    if (output >= site.type->outputs) return kGuard;
    return tables_.types[site.type->types[site.type->inputs + output]];
  }

  void describe(Site& site, std::size_t index) const {
    const TensorType& type = output_type(site, index);
    dycl_kernel_output& output = site.outputs[index];
    output.capacity = type.bytes;
    output.dtype = type.dtype;
    output.rank = std::max(type.rank, 0);
    std::copy_n(type.dims, output.rank, output.dims);
  }

  // Offers memory of the pool if every size is known; otherwise the backend provides it.
  void offer_for(Site& site, std::size_t index, const Wanted& wanted) {
    dycl_kernel_output& output = site.outputs[index];
    if (wanted.memory != nullptr) return offer(output, wanted.memory);
    const std::int32_t dtype = output_type(site, index).dtype;
    output.dtype = dtype;
    output.rank = static_cast<std::int32_t>(wanted.dims.size());
    std::copy_n(wanted.dims.data(), wanted.dims.size(), output.dims);
    const bool is_known =
        wanted.has_rank && std::all_of(wanted.dims.data(), wanted.dims.data() + wanted.dims.size(),
                                       [](std::int64_t size) { return size >= 0; });
    site.values[index] = Tensor();
    if (!is_known) {
      output.capacity = 0;
      return offer(output, nullptr);
    }
    std::byte* data = nullptr;
    site.values[index] = new_tensor(pool_, dtype, wanted.dims, data);
    output.capacity = site.values[index].block.get()->capacity;
    offer(output, data);
  }

  // Takes a result over: it lies in the memory that was offered, or in the backend's.
  void accept_value(Site& site, std::size_t index, const Wanted& wanted) {
    dycl_kernel_output& output = site.outputs[index];
    const bool has_rank = output.rank >= 0 && output.rank <= DYCL_MAX_RANK;
    Tensor& value = site.values[index];
    const bool was_offered = output.buffer != nullptr && output.data == output.buffer;
    if (!was_offered) {
      value.block = BlockRef(new Block{nullptr, 0, 0, nullptr, output.owner, output.release, nullptr});
      output.owner = nullptr;
    }
    bool fits = has_rank && output.dtype == output_type(site, index).dtype &&
                (!wanted.has_rank || wanted.dims.size() == static_cast<std::size_t>(output.rank));
    for (std::size_t axis = 0; fits && axis < wanted.dims.size(); ++axis)
      fits = output.dims[axis] >= 0 && (wanted.dims[axis] < 0 || wanted.dims[axis] == output.dims[axis]);
    if (!fits) break_contract(site);
    value.dtype = output.dtype;
    value.dims = Dims(output.dims, static_cast<std::size_t>(output.rank));
    value.bytes = bytes_of(value.dtype, value.dims);
    value.data = output.data == nullptr ? no_elements() : static_cast<const std::byte*>(output.data);
    value.is_borrowed = false;
    if (value.bytes != output.byte_size || (output.data == nullptr && value.bytes > 0)) break_contract(site);
  }

  // A backend may give memory of its own: its contents are copied, and the memory is given back.
  void accept(Site& site, std::size_t index) {
    dycl_kernel_output& output = site.outputs[index];
    const bool fits = is_as_offered(output, output_type(site, index));
    if (fits && output.data == output.buffer) return;
    if (fits && output.byte_size > 0) std::memcpy(output.buffer, output.data, output.byte_size);
    give_back(output);
    describe(site, index);
    if (!fits) break_contract(site);
  }

  [[noreturn]] void break_contract(Site& site) {
    for (dycl_kernel_output& output : site.outputs) give_back(output);
    fail_here(Code::Internal, "run.output_contract",
              std::string("sub-DNN '") + site.type->name + "' gave a tensor of another type than promised");
  }

  void run_kernel(std::size_t index, Site& site) {
    for (std::size_t guard = 0; guard < site.type->guard_count; ++guard)
      offer(site.outputs[site.type->outputs + guard], &site.guards[guard]);
    const dycl_kernel& kernel = table_[index];
    void* error = kernel.run(kernel.call, site.inputs.data(), site.inputs.size(), site.outputs.data(),
                             site.outputs.size());
    if (error != nullptr) fail_site(index, error);
  }

  void check_guards(Site& site) {
    for (std::size_t guard = 0; guard < site.type->guard_count; ++guard) check_guard(site, guard);
  }

  void check_guard(Site& site, std::size_t guard) {
    const std::size_t index = site.type->outputs + guard;
    dycl_kernel_output& output = site.outputs[index];
    if (output.dtype != DYCL_BOOL) break_contract(site);
    const auto* flags = static_cast<const std::uint8_t*>(output.data);
    const bool is_true =
        std::any_of(flags, flags + output.byte_size, [](std::uint8_t flag) { return flag != 0; });
    give_back(output);
    describe(site, index);
    if (is_true) raise_guard(site, site.type->guards[guard]);
  }

  [[noreturn]] void raise_guard(Site& site, const Guard& guard) {
    for (dycl_kernel_output& output : site.outputs) give_back(output);
    const char* line = guard.place[0] == '\0' ? place() : guard.place;
    if (guard.exception[0] == '\0') throw Failed{Code::Backend, "backend.limit", {}, guard.message, line};
    throw Failed{Code::Raised, "model.raised", guard.exception, guard.message, line};
  }

  [[noreturn]] void fail_site(std::size_t index, void* error) {
    for (dycl_kernel_output& output : sites_[index].outputs) give_back(output);
    try {
      check(dycl_kernel_failure(set_.get(), index, error), Code::Backend);
    } catch (Failed& failure) {
      failure.place = place();
      throw;
    }
    fail_here(Code::Backend, "run.backend", "a sub-DNN failed");
  }

  Pool pool_;  // before everything that lies in it
  Handle<dycl_kernel_set, dycl_kernel_set_free> set_;
  const dycl_kernel* table_ = nullptr;
  std::vector<Site> sites_;
};

}  // namespace dycl::emitted

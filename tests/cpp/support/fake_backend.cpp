// SPDX-License-Identifier: Apache-2.0
#include "support/fake_backend.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/tensor_data.h"

namespace {

using Dims = std::span<const std::int64_t>;
using Inputs = std::span<const DyclTensor>;
using Outputs = std::span<DyclOutput>;
using Weights = std::span<const DyclTensor>;
// NULL, or what went wrong.
using Kernel = const char* (*)(Inputs inputs, Outputs outputs, Weights weights);

std::atomic<std::int64_t> results_alive{0};
std::atomic<std::int64_t> executables_loaded{0};
std::atomic<std::int64_t> calls_alive{0};

}  // namespace

struct DyclBackend {};
struct DyclExecutable {
  Kernel kernel;
  std::vector<DyclTensor> weights;
};
struct DyclCall {
  const DyclExecutable* executable;
};

namespace {

Dims dims_of(const DyclTensor& tensor) { return {tensor.dims, static_cast<std::size_t>(tensor.rank)}; }

void release_result(void* owner) {
  const std::unique_ptr<std::vector<std::byte>> freed(static_cast<std::vector<std::byte>*>(owner));
  --results_alive;
}

bool is_offered(const DyclOutput& output, std::int32_t dtype, Dims dims, std::size_t bytes) {
  return output.buffer != nullptr && output.capacity >= bytes && output.dtype == dtype &&
         std::ranges::equal(Dims{output.dims, static_cast<std::size_t>(output.rank)}, dims);
}

// Where to write a result of this type: into the offer if it fits, else into memory of our own.
std::byte* result(DyclOutput& output, std::int32_t dtype, Dims dims, std::size_t bytes) {
  if (is_offered(output, dtype, dims, bytes)) {
    output.data = output.buffer;
    output.byte_size = bytes;
    return static_cast<std::byte*>(output.buffer);
  }
  auto memory = std::make_unique<std::vector<std::byte>>(bytes);
  std::byte* data = memory->data();
  output.data = data;
  output.byte_size = bytes;
  output.dtype = dtype;
  output.rank = static_cast<std::int32_t>(dims.size());
  std::ranges::copy(dims, output.dims);
  output.owner = memory.release();
  output.release = release_result;
  ++results_alive;
  return data;
}

template <class T>
T element(const DyclTensor& tensor, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(tensor.data) + index * sizeof value, sizeof value);
  return value;
}

template <class T>
void set_element(std::byte* data, std::size_t index, T value) {
  std::memcpy(data + index * sizeof value, &value, sizeof value);
}

std::size_t count_of(const DyclTensor& tensor) {
  return static_cast<std::size_t>(*dycl::element_count(dims_of(tensor)));
}

bool is_f32(const DyclTensor& tensor) { return tensor.dtype == static_cast<std::int32_t>(dycl::DType::F32); }

template <class T, class Function>
const char* binary(const DyclTensor& left, const DyclTensor& right, DyclOutput& output, std::int32_t dtype,
                   Function function) {
  using Out = decltype(function(T{}, T{}));
  if (!std::ranges::equal(dims_of(left), dims_of(right))) return "the shapes differ";
  const std::size_t count = count_of(left);
  std::byte* data = result(output, dtype, dims_of(left), count * sizeof(Out));
  for (std::size_t index = 0; index < count; ++index)
    set_element(data, index, function(element<T>(left, index), element<T>(right, index)));
  return nullptr;
}

const char* add(Inputs inputs, Outputs outputs, Weights) {
  const auto plus = [](auto a, auto b) { return a + b; };
  return is_f32(inputs[0]) ? binary<float>(inputs[0], inputs[1], outputs[0], inputs[0].dtype, plus)
                           : binary<std::int64_t>(inputs[0], inputs[1], outputs[0], inputs[0].dtype, plus);
}

const char* less(Inputs inputs, Outputs outputs, Weights) {
  const auto is_less = [](auto a, auto b) { return a < b; };
  const auto dtype = static_cast<std::int32_t>(dycl::DType::Bool);
  return is_f32(inputs[0]) ? binary<float>(inputs[0], inputs[1], outputs[0], dtype, is_less)
                           : binary<std::int64_t>(inputs[0], inputs[1], outputs[0], dtype, is_less);
}

const char* add_one(Inputs inputs, Outputs outputs, Weights) {
  const auto plus_one = [](auto a, auto) { return static_cast<decltype(a)>(a + 1); };
  return is_f32(inputs[0])
             ? binary<float>(inputs[0], inputs[0], outputs[0], inputs[0].dtype, plus_one)
             : binary<std::int64_t>(inputs[0], inputs[0], outputs[0], inputs[0].dtype, plus_one);
}

const char* add_weight(Inputs inputs, Outputs outputs, Weights weights) {
  if (weights.empty()) return "there is no weight";
  return binary<float>(inputs[0], weights[0], outputs[0], inputs[0].dtype,
                       [](float a, float b) { return a + b; });
}

const char* identity(Inputs inputs, Outputs outputs, Weights) {
  std::byte* data = result(outputs[0], inputs[0].dtype, dims_of(inputs[0]), inputs[0].byte_size);
  if (inputs[0].byte_size > 0) std::memcpy(data, inputs[0].data, inputs[0].byte_size);
  return nullptr;
}

const char* twice(Inputs inputs, Outputs outputs, Weights) {
  std::vector<std::int64_t> dims(dims_of(inputs[0]).begin(), dims_of(inputs[0]).end());
  dims[0] *= 2;
  const std::size_t bytes = inputs[0].byte_size;
  std::byte* data = result(outputs[0], inputs[0].dtype, dims, 2 * bytes);
  if (bytes == 0) return nullptr;
  std::memcpy(data, inputs[0].data, bytes);
  std::memcpy(data + bytes, inputs[0].data, bytes);
  return nullptr;
}

const char* sum(Inputs inputs, Outputs outputs, Weights) {
  std::int64_t total = 0;
  for (std::size_t index = 0; index < count_of(inputs[0]); ++index)
    total += element<std::int64_t>(inputs[0], index);
  set_element(result(outputs[0], inputs[0].dtype, {}, sizeof total), 0, total);
  return nullptr;
}

const char* negative_guard(Inputs inputs, Outputs outputs, Weights weights) {
  bool negative = false;
  for (std::size_t index = 0; index < count_of(inputs[0]); ++index)
    negative = negative || element<float>(inputs[0], index) < 0;
  set_element(result(outputs[1], static_cast<std::int32_t>(dycl::DType::Bool), {}, 1), 0, negative);
  return identity(inputs, outputs, weights);
}

const char* fail(Inputs, Outputs, Weights) { return "the kernel fails on purpose"; }

const char* wrong_size(Inputs inputs, Outputs outputs, Weights) {
  const std::int64_t size = inputs[0].dims[0] + 1;
  result(outputs[0], inputs[0].dtype, Dims{&size, 1}, static_cast<std::size_t>(size) * sizeof(float));
  return nullptr;
}

const char* wrong_dtype(Inputs inputs, Outputs outputs, Weights) {
  result(outputs[0], static_cast<std::int32_t>(dycl::DType::I8), dims_of(inputs[0]), count_of(inputs[0]));
  return nullptr;
}

const char* wrong_bytes(Inputs inputs, Outputs outputs, Weights) {
  outputs[0].buffer = nullptr;
  result(outputs[0], inputs[0].dtype, dims_of(inputs[0]), 1);
  return nullptr;
}

const std::map<std::string, Kernel, std::less<>>& kernels() {
  static const std::map<std::string, Kernel, std::less<>> all{{"identity", identity},
                                                              {"add", add},
                                                              {"less", less},
                                                              {"add_one", add_one},
                                                              {"add_weight", add_weight},
                                                              {"twice", twice},
                                                              {"sum", sum},
                                                              {"negative_guard", negative_guard},
                                                              {"fail", fail},
                                                              {"wrong_size", wrong_size},
                                                              {"wrong_dtype", wrong_dtype},
                                                              {"wrong_bytes", wrong_bytes}};
  return all;
}

void set_text(DyclText& text, std::string_view contents) {
  auto data = std::make_unique<char[]>(contents.size() + 1);
  std::ranges::copy(contents, data.get());
  text = {data.release(), contents.size()};
}

// The struct of an error is the thread's own, so that free_text has only characters to free.
DyclText* error(std::string_view message) {
  thread_local DyclText text{nullptr, 0};
  set_text(text, message);
  return &text;
}

void free_text(DyclText* text) {
  const std::unique_ptr<char[]> data(text->data);
  *text = {nullptr, 0};
}

DyclText* open(const char*, DyclBackend** backend) {
  *backend = std::make_unique<DyclBackend>().release();
  return nullptr;
}

void close(DyclBackend* backend) { const std::unique_ptr<DyclBackend> freed(backend); }

DyclText* describe(DyclBackend*, DyclText* json) {
  set_text(*json, R"({"name": "fake", "version": "1", "library": "", "opset": 20, "ir_version": 9,
                      "dtypes": {"f32": "yes"}, "notes": [], "rewrites": [], "checks": [],
                      "deterministic_blob": true})");
  return nullptr;
}

template <class Answer>
DyclText* refuse(DyclBackend*, const DyclGraph*, Answer*) {
  return error("the fake backend only runs");
}

DyclText* load(DyclBackend*, const DyclGraph* graph, DyclBytes, DyclExecutable** executable) {
  const std::string_view name(static_cast<const char*>(graph->onnx.data), graph->onnx.size);
  const auto found = kernels().find(name);
  if (found == kernels().end()) return error("there is no such kernel");
  ++executables_loaded;
  *executable = std::make_unique<DyclExecutable>(
                    DyclExecutable{found->second, {graph->weights, graph->weights + graph->weight_count}})
                    .release();
  return nullptr;
}

void unload(DyclExecutable* executable) { const std::unique_ptr<DyclExecutable> freed(executable); }

DyclText* create_call(DyclExecutable* executable, DyclCall** call) {
  ++calls_alive;
  *call = std::make_unique<DyclCall>(DyclCall{executable}).release();
  return nullptr;
}

void destroy_call(DyclCall* call) {
  --calls_alive;
  const std::unique_ptr<DyclCall> freed(call);
}

DyclText* run(DyclCall* call, const DyclTensor* inputs, size_t input_count, DyclOutput* outputs,
              size_t output_count) {
  const char* problem =
      call->executable->kernel({inputs, input_count}, {outputs, output_count}, call->executable->weights);
  return problem == nullptr ? nullptr : error(problem);
}

}  // namespace

namespace dycl::fake {

const DyclBackendApi& api() {
  static const DyclBackendApi table{DYCL_BACKEND_ABI,
                                    sizeof(DyclBackendApi),
                                    "fake",
                                    R"({"blob": "none"})",
                                    free_text,
                                    open,
                                    close,
                                    describe,
                                    refuse<DyclRefusal>,
                                    refuse<DyclText>,
                                    refuse<DyclText>,
                                    load,
                                    unload,
                                    create_call,
                                    destroy_call,
                                    run};
  return table;
}

std::int64_t live_results() { return results_alive; }
std::int64_t loads() { return executables_loaded; }
std::int64_t live_calls() { return calls_alive; }

}  // namespace dycl::fake

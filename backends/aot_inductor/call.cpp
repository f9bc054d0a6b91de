// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "aot_inductor/executable.h"
#include "base/dtype.h"
#include "base/tensor_data.h"
#include "common/tensors.h"

namespace dycl::aot_inductor {
namespace {

Failure failed(const ModelLibrary& library, std::string_view what) {
  return fail(Blame::Backend, "aot_inductor.error", fmt::format("{}: {}", what, library.why()));
}

// torch's own kernels (convolutions, products) run in as many threads as OpenMP would take; a sub-DNN has
// one.
class OneThread {
 public:
  explicit OneThread(const TorchApi& torch) : torch_(torch), before_(torch.omp_get_max_threads()) {
    if (before_ != 1) torch_.omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) torch_.omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const TorchApi& torch_;
  int before_;  // of this thread: the process may use torch itself
};

void release_tensor(void* owner) { const std::unique_ptr<Tensor> ends_here(static_cast<Tensor*>(owner)); }
void release_bytes(void* owner) {
  const std::unique_ptr<std::vector<std::byte>> ends_here(static_cast<std::vector<std::byte>*>(owner));
}

bool contains(std::span<const std::byte> memory, const void* data) {
  const auto* at = static_cast<const std::byte*>(data);
  return !memory.empty() && std::less_equal<>{}(memory.data(), at) &&
         std::less<>{}(at, memory.data() + memory.size());
}

using Bytes = std::vector<std::byte>;

// The elements in the order of their indices.
std::unique_ptr<Bytes> gathered(const DyclOutput& output, const std::int64_t* strides) {
  auto bytes = std::make_unique<Bytes>(output.byte_size);
  if (bytes->empty()) return bytes;
  const auto rank = static_cast<std::size_t>(output.rank);
  const std::size_t count = element_count({output.dims, rank}).value_or(1);
  const std::size_t width = bytes->size() / count;
  std::vector<std::int64_t> index(rank, 0);
  std::int64_t place = 0;
  for (std::size_t element = 0; element < count; ++element) {
    std::memcpy(bytes->data() + element * width,
                static_cast<const std::byte*>(output.data) + place * static_cast<std::int64_t>(width), width);
    for (std::size_t axis = rank; axis-- > 0;) {
      place += strides[axis];
      if (++index[axis] < output.dims[axis]) break;
      place -= strides[axis] * output.dims[axis];
      index[axis] = 0;
    }
  }
  return bytes;
}

// `strides` is null where the elements lie in the order of their indices.
Status describe(const Tensor& result, DyclOutput& output, std::int64_t*& strides) {
  const TorchApi& torch = result.torch();
  std::int32_t number = 0;
  std::int64_t rank = 0;
  std::int64_t* sizes = nullptr;
  bool contiguous = false;
  void* data = nullptr;
  if (torch.get_dtype(result.get(), &number) != 0 || torch.get_dim(result.get(), &rank) != 0 ||
      torch.get_sizes(result.get(), &sizes) != 0 || torch.is_contiguous(result.get(), &contiguous) != 0 ||
      torch.get_strides(result.get(), &strides) != 0 || torch.get_data_ptr(result.get(), &data) != 0)
    return fail(Blame::Backend, "aot_inductor.error", "torch does not describe a result");
  const auto dtype = from_torch(number);
  if (!dtype || rank > DYCL_MAX_RANK)
    return fail(Blame::Backend, "aot_inductor.bad_result",
                "a result has an element type or a rank that cannot be handed on");
  if (contiguous) strides = nullptr;
  output.dtype = static_cast<std::int32_t>(*dtype);
  output.rank = static_cast<std::int32_t>(rank);
  std::copy_n(sizes, rank, output.dims);
  const auto count = element_count({output.dims, static_cast<std::size_t>(rank)});
  output.byte_size = count ? byte_size(*dtype, *count).value_or(0) : 0;
  output.data = data;
  return {};
}

}  // namespace

Result<std::unique_ptr<Call>> Call::create(std::shared_ptr<const Executable> executable) {
  const ModelLibrary& library = *executable->library;
  ContainerHandle container = nullptr;
  if (library.create(&container, 1, "cpu", nullptr) != 0)
    return failed(library, "a compiled sub-DNN cannot be made ready");
  auto call = std::make_unique<Call>(OnlyCreate{}, std::move(executable), container);
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  if (library.input_count(container, &inputs) != 0 || library.output_count(container, &outputs) != 0)
    return failed(library, "a compiled sub-DNN does not say what it takes");
  if (inputs != call->fed_.size() || outputs != call->results_.size())
    return fail(Blame::Backend, "aot_inductor.bad_blob",
                fmt::format("the compiled sub-DNN takes {} and gives {} tensors, not {} and {}", inputs,
                            outputs, call->fed_.size(), call->results_.size()));
  return call;
}

Call::Call(OnlyCreate, std::shared_ptr<const Executable> executable, ContainerHandle container)
    : executable_(std::move(executable)), container_(container) {
  symbols_.resize(executable_->payload.symbols);
  fed_.resize(executable_->payload.inputs.size() + executable_->fixed.size());
  results_.resize(executable_->payload.output_count);
}

Call::~Call() { executable_->library->destroy(container_); }

Status Call::run(std::span<const DyclTensor> inputs, std::span<DyclOutput> outputs) {
  if (outputs.size() != results_.size())
    return fail(Blame::Usage, "aot_inductor.outputs",
                fmt::format("{} outputs asked for, the graph has {}", outputs.size(), results_.size()));
  if (Status sound = check_inputs(inputs); !sound) return sound;
  if (Status ready = feed(inputs); !ready) return ready;
  std::ranges::fill(results_, nullptr);
  int outcome = 0;
  {
    const OneThread one(*executable_->torch);
    outcome = executable_->library->run(container_, fed_.data(), fed_.size(), results_.data(),
                                        results_.size(), nullptr, nullptr);
  }
  if (outcome != 0) return failed(*executable_->library, "a sub-DNN failed");
  Status done;
  for (std::size_t index = 0; index < results_.size(); ++index) {
    Tensor result(*executable_->torch, results_[index]);
    if (!done) continue;  // each result is freed
    done = hand_over(std::move(result), inputs, outputs[index]);
    if (!done) plugin::give_back(outputs.first(index));
  }
  return done;
}

Status Call::check_inputs(std::span<const DyclTensor> inputs) {
  const auto& ports = executable_->payload.inputs;
  if (inputs.size() != ports.size())
    return fail(Blame::Usage, "aot_inductor.inputs",
                fmt::format("{} inputs given, the graph takes {}", inputs.size(), ports.size()));
  std::ranges::fill(symbols_, -1);
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    const DyclTensor& tensor = inputs[index];
    const Port& port = ports[index];
    if (Status safe = plugin::check_tensor(tensor, port.name); !safe) return safe;
    if (tensor.dtype != static_cast<std::int32_t>(port.dtype) ||
        tensor.rank != static_cast<std::int32_t>(port.sizes.size()))
      return fail(Blame::Usage, "aot_inductor.dtype",
                  fmt::format("input '{}' is {}, the graph takes {} of rank {}", port.name,
                              plugin::describe_tensor(tensor.dtype, plugin::dims_of(tensor)),
                              name_of(port.dtype), port.sizes.size()));
    for (std::size_t axis = 0; axis < port.sizes.size(); ++axis)
      if (Status fits = check_size(port, axis, tensor.dims[axis]); !fits) return fits;
  }
  return {};
}

Status Call::check_size(const Port& port, std::size_t axis, std::int64_t size) {
  const PortSize& wanted = port.sizes[axis];
  std::int64_t expected = wanted.fixed;
  if (expected < 0) {
    std::int64_t& bound = symbols_[wanted.symbol];
    if (bound < 0) bound = size;
    expected = bound;
    if (size < executable_->smallest)
      return fail(Blame::Backend, "aot_inductor.small_size",
                  fmt::format("dimension {} of input '{}' has size {}: what Inductor compiled is right from "
                              "{} on only",
                              axis, port.name, size, executable_->smallest),
                  {}, "compile for another backend, or with this size fixed");
  }
  if (size == expected) return {};
  return fail(Blame::Usage, "aot_inductor.shape",
              fmt::format("dimension {} of input '{}' has size {}, not {}", axis, port.name, size, expected));
}

// The library takes the handles away, whether it fails or not.
Status Call::feed(std::span<const DyclTensor> inputs) {
  const TorchApi& torch = *executable_->torch;
  std::size_t next = 0;
  Status done;
  for (const DyclTensor& tensor : inputs) {
    auto made = Tensor::over(torch, tensor);
    if (!made) {
      done = failure_of(std::move(made));
      break;
    }
    fed_[next++] = made->release();
  }
  for (std::size_t index = 0; done && index < executable_->fixed.size(); ++index) {
    if (torch.new_tensor_handle(executable_->fixed[index].get(), &fed_[next]) == 0)
      ++next;
    else
      done = fail(Blame::Backend, "aot_inductor.error", "torch does not take a weight");
  }
  if (!done)
    for (std::size_t index = 0; index < next; ++index) torch.delete_tensor_object(fed_[index]);
  return done;
}

bool Call::lies_in_foreign_memory(const void* data, std::span<const DyclTensor> inputs) const {
  return std::ranges::any_of(executable_->fixed_memory,
                             [&](auto memory) { return contains(memory, data); }) ||
         std::ranges::any_of(inputs, [&](const DyclTensor& tensor) {
           return contains({static_cast<const std::byte*>(tensor.data), tensor.byte_size}, data);
         });
}

Status Call::hand_over(Tensor result, std::span<const DyclTensor> inputs, DyclOutput& output) const {
  DyclOutput made = output;
  made.owner = nullptr;
  made.release = nullptr;
  std::int64_t* strides = nullptr;
  if (Status described = describe(result, made, strides); !described) return described;
  // Inductor may leave a result permuted whose sizes only the run knows.
  std::unique_ptr<Bytes> copy = strides == nullptr ? nullptr : gathered(made, strides);
  if (copy) made.data = copy->data();
  const std::span<const std::int64_t> dims{made.dims, static_cast<std::size_t>(made.rank)};
  if (plugin::offers(output, made.dtype, dims, made.byte_size)) {
    if (made.byte_size > 0) std::memmove(output.buffer, made.data, made.byte_size);
    made.data = output.buffer;
  } else if (copy || lies_in_foreign_memory(made.data, inputs)) {
    const auto* bytes = static_cast<const std::byte*>(made.data);
    if (!copy) copy = std::make_unique<Bytes>(bytes, bytes + made.byte_size);
    made.data = copy->data();
    made.owner = copy.release();
    made.release = release_bytes;
  } else {
    made.owner = std::make_unique<Tensor>(std::move(result)).release();
    made.release = release_tensor;
  }
  output = made;
  return {};
}

}  // namespace dycl::aot_inductor

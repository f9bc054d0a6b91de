// SPDX-License-Identifier: Apache-2.0
#include "backend.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "capabilities.h"
#include "element_type.h"

namespace dycl::openvino {
namespace {

constexpr const char* kDevice = "CPU";
constexpr const char* kPrecisionKey = "INFERENCE_PRECISION_HINT";
constexpr std::int64_t kNewestOpset = 28;  // its reader takes any number; this is what was tested
constexpr std::int64_t kNewestIrVersion = 14;

// The sentence of a message that spans many lines of source positions.
std::string shorten(std::string_view message) {
  std::string text(message.substr(0, 2000));
  std::ranges::replace(text, '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text.empty() ? "no reason given" : text;
}

Result<std::string> read_all(int file) {
  struct stat status{};
  if (fstat(file, &status) != 0)
    return fail(Blame::Backend, "openvino.export", "the compiled blob cannot be read back");
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (count <= 0) return fail(Blame::Backend, "openvino.export", "the compiled blob cannot be read back");
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

std::atomic<bool> is_ending = false;

// After the library is loaded: handlers run in reverse order, so this one comes before its destructors.
void watch_for_the_end() {
  static const int registered = std::atexit([] { is_ending = true; });
  static_cast<void>(registered);
}

}  // namespace

bool process_is_ending() { return is_ending; }

Status to_status(const OvApi& api, OvStatus status, std::string_view doing) {
  if (status == 0) return {};
  const char* message = api.get_last_error();
  std::string reason = shorten(message == nullptr ? "" : message);
  if (message != nullptr) api.free_text(message);
  return fail(Blame::Backend, "openvino.failed", fmt::format("openvino cannot {}: {}", doing, reason));
}

Result<std::unique_ptr<OvBackend>> OvBackend::open(const plugin::OpenOptions& options) {
  if (options.precision != "f32")
    return fail(Blame::Usage, "openvino.precision",
                fmt::format("precision {} is not offered", options.precision), {}, "use f32");
  Result<OvApi> api = open_library(options.library);
  if (!api) return failure_of(std::move(api));
  OvCore* core = nullptr;
  if (Status status = to_status(*api, api->core_create(&core), "start"); !status)
    return failure_of(std::move(status));
  auto backend =
      std::unique_ptr<OvBackend>(new OvBackend(*api, options, {core, api->core_free}));  // NOLINT: private
  if (Status status = backend->configure(); !status) return failure_of(std::move(status));
  if (Status status = backend->check_element_types(); !status) return failure_of(std::move(status));
  watch_for_the_end();
  return backend;
}

// Set on the core, not per call: the C interface's import takes no settings, and a blob imported with
// the default ones runs in bf16 on CPUs that have it.
Status OvBackend::configure() {
  OvVersion version{};
  if (api_.get_version(&version) == 0) {
    version_ = version.build == nullptr ? "" : version.build;
    api_.version_free(&version);
  }
  char* precision = nullptr;
  if (api_.core_get_property(core_.get(), kDevice, kPrecisionKey, &precision) == 0 && precision != nullptr) {
    default_precision_ = precision;
    api_.free_text(precision);
  }
  const std::string threads = std::to_string(options_.threads);
  // No stream at all: the model runs in the calling thread, and no thread is made for it.
  const char* streams = options_.threads == 1 ? "0" : "1";
  const OvProperty properties[] = {{kPrecisionKey, "f32"},
                                   {"PERFORMANCE_HINT", "LATENCY"},
                                   {"NUM_STREAMS", streams},
                                   {"INFERENCE_NUM_THREADS", threads.c_str()},
                                   {"ENABLE_CPU_PINNING", "NO"}};
  return to_status(api_, api_.core_set_properties(core_.get(), kDevice, std::size(properties), properties),
                   "take its settings");
}

// The numbers of element types are not in the library; a release that renumbers them is caught here.
Status OvBackend::check_element_types() const {
  for (int number = 1; number <= 26; ++number) {
    const auto dtype = dtype_from_number(number);
    const auto type = dtype ? to_openvino(*dtype) : std::nullopt;
    if (!type) continue;
    std::int64_t size = 8;
    OvTensor* tensor = nullptr;
    if (Status status = to_status(api_, api_.tensor_create(*type, {1, &size}, &tensor), "make a tensor");
        !status)
      return status;
    const ScopedHandle<OvTensor> owner(tensor, api_.tensor_free);
    std::size_t bytes = 0;
    if (api_.tensor_byte_size(tensor, &bytes) != 0 || bytes != bit_width(*dtype))
      return fail(Blame::Backend, "openvino.element_types",
                  "this release of openvino numbers its element types anew");
  }
  return {};
}

plugin::Description OvBackend::describe() const {
  plugin::Description description;
  description.name = "openvino";
  description.version = version_;
  description.library = options_.library;
  description.opset = kNewestOpset;
  description.ir_version = kNewestIrVersion;
  description.dtypes = dtype_table();
  description.rewrites = {"log_softmax_loses_nan", "log_sum_exp_loses_nan", "where_of_bools", "clip_of_i16"};
  if (default_precision_ != "f32" && !default_precision_.empty())
    description.notes.push_back(
        fmt::format("{} would be the default precision on this CPU; f32 is pinned", default_precision_));
  description.notes.emplace_back(
      "64-bit integers are computed in 32 bits: larger values are an error at run time");
  description.notes.emplace_back(
      "f16 and bf16 are computed in f32 and rounded where they leave a sub-DNN: a sub-DNN that computes with "
      "an f16 or bf16 result is refused");
  description.notes.emplace_back(
      "every executable keeps two copies of its weights beside those of the package");
  description.notes.emplace_back("denormal f32 numbers (below 1.2e-38) are taken as zero");
  description.notes.emplace_back("ArgMax, ArgMin, Hardmax and TopK order NaN arbitrarily");
  description.deterministic_blob = false;
  description.weight_copies = 2;  // in the model that it keeps for export, and in its kernels
  return description;
}

Result<ScopedHandle<OvModel>> OvBackend::read(const std::string& onnx) const {
  OvModel* model = nullptr;
  const OvStatus status = api_.core_read_model(core_.get(), onnx.data(), onnx.size(), nullptr, &model);
  if (Status checked = to_status(api_, status, "read the graph"); !checked)
    return failure_of(std::move(checked));
  return ScopedHandle<OvModel>(model, api_.model_free);
}

Result<ScopedHandle<OvCompiledModel>> OvBackend::compile(const std::string& onnx) const {
  {
    const std::lock_guard lock(mutex_);
    std::optional<Tried> tried = std::exchange(tried_, std::nullopt);
    if (tried && tried->onnx == onnx) return std::move(tried->compiled);
  }
  return compile_anew(onnx);
}

Status OvBackend::try_compile(const std::string& onnx) const {
  Result<ScopedHandle<OvCompiledModel>> compiled = compile_anew(onnx);
  if (!compiled) return failure_of(std::move(compiled));
  const std::lock_guard lock(mutex_);
  tried_.emplace(Tried{onnx, std::move(*compiled)});
  return {};
}

Result<ScopedHandle<OvCompiledModel>> OvBackend::compile_anew(const std::string& onnx) const {
  Result<ScopedHandle<OvModel>> model = read(onnx);
  if (!model) return failure_of(std::move(model));
  OvCompiledModel* compiled = nullptr;
  const OvProperty precision{kPrecisionKey, "f32"};
  const OvStatus status =
      api_.core_compile_model(core_.get(), model->get(), kDevice, 1, &precision, &compiled);
  if (Status checked = to_status(api_, status, "compile the graph"); !checked)
    return failure_of(std::move(checked));
  ScopedHandle<OvCompiledModel> owner(compiled, api_.compiled_free);
  if (Status checked = check_precision(*compiled); !checked) return failure_of(std::move(checked));
  return owner;
}

Result<ScopedHandle<OvCompiledModel>> OvBackend::import(std::string_view blob) const {
  OvCompiledModel* compiled = nullptr;
  const OvStatus status = api_.core_import_model(core_.get(), blob.data(), blob.size(), kDevice, &compiled);
  if (Status checked = to_status(api_, status, "load the compiled blob"); !checked)
    return failure_of(std::move(checked));
  ScopedHandle<OvCompiledModel> owner(compiled, api_.compiled_free);
  if (Status checked = check_precision(*compiled); !checked) return failure_of(std::move(checked));
  return owner;
}

Status OvBackend::check_precision(const OvCompiledModel& compiled) const {
  char* value = nullptr;
  const OvStatus status = api_.compiled_get_property(&compiled, kPrecisionKey, &value);
  if (Status checked = to_status(api_, status, "tell its precision"); !checked) return checked;
  const std::string precision = value == nullptr ? "" : value;
  if (value != nullptr) api_.free_text(value);
  if (precision == "f32") return {};
  return fail(Blame::Backend, "openvino.precision",
              fmt::format("openvino chose precision {} instead of f32", precision));
}

// The C interface exports to a path only; the path is a file in memory.
Result<std::string> OvBackend::export_blob(const OvCompiledModel& compiled) const {
  const int file = memfd_create("dycl-openvino-blob", MFD_CLOEXEC);
  if (file < 0) return fail(Blame::Backend, "openvino.export", "no memory for the compiled blob");
  const OvStatus status = api_.compiled_export(&compiled, fmt::format("/proc/self/fd/{}", file).c_str());
  Status exported = to_status(api_, status, "export the compiled graph");
  Result<std::string> blob = exported ? read_all(file) : Result<std::string>(failure_of(std::move(exported)));
  close(file);
  return blob;
}

}  // namespace dycl::openvino

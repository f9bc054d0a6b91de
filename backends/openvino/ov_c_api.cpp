// SPDX-License-Identifier: Apache-2.0
#include "ov_c_api.h"

#include <filesystem>
#include <optional>
#include <string>

#include "common/vendor_library.h"

namespace dycl::openvino {
namespace {

class SymbolFinder {
 public:
  explicit SymbolFinder(const plugin::VendorLibrary& library) : library_(&library) {}

  template <class Function>
  void find(Function& function, const char* name) {
    Result<Function> found = library_->function<Function>(name);
    if (found)
      function = *found;
    else if (!failure_)
      failure_ = found.error();
  }
  [[nodiscard]] const std::optional<Diagnostic>& failure() const { return failure_; }

 private:
  const plugin::VendorLibrary* library_;
  std::optional<Diagnostic> failure_;
};

void find_core_functions(SymbolFinder& symbols, OvApi& api) {
  symbols.find(api.get_version, "ov_get_openvino_version");
  symbols.find(api.version_free, "ov_version_free");
  symbols.find(api.get_last_error, "ov_get_last_err_msg");
  symbols.find(api.free_text, "ov_free");
  symbols.find(api.core_create, "ov_core_create");
  symbols.find(api.core_free, "ov_core_free");
  symbols.find(api.core_set_properties, "ov_core_set_properties");
  symbols.find(api.core_get_property, "ov_core_get_property");
  symbols.find(api.core_read_model, "ov_core_read_model_from_memory_buffer");
  symbols.find(api.core_compile_model, "ov_core_compile_model_props");
  symbols.find(api.core_import_model, "ov_core_import_model");
  symbols.find(api.model_free, "ov_model_free");
  symbols.find(api.model_outputs_size, "ov_model_outputs_size");
  symbols.find(api.model_output, "ov_model_const_output_by_index");
}

void find_compiled_model_functions(SymbolFinder& symbols, OvApi& api) {
  symbols.find(api.compiled_export, "ov_compiled_model_export_model");
  symbols.find(api.compiled_get_property, "ov_compiled_model_get_property");
  symbols.find(api.compiled_input, "ov_compiled_model_input_by_index");
  symbols.find(api.compiled_inputs_size, "ov_compiled_model_inputs_size");
  symbols.find(api.compiled_input_by_name, "ov_compiled_model_input_by_name");
  symbols.find(api.compiled_outputs_size, "ov_compiled_model_outputs_size");
  symbols.find(api.compiled_output, "ov_compiled_model_output_by_index");
  symbols.find(api.compiled_create_request, "ov_compiled_model_create_infer_request");
  symbols.find(api.compiled_free, "ov_compiled_model_free");
  symbols.find(api.port_element_type, "ov_port_get_element_type");
  symbols.find(api.port_partial_shape, "ov_port_get_partial_shape");
  symbols.find(api.port_free, "ov_output_const_port_free");
  symbols.find(api.partial_shape_free, "ov_partial_shape_free");
}

void find_run_functions(SymbolFinder& symbols, OvApi& api) {
  symbols.find(api.request_set_tensor, "ov_infer_request_set_tensor_by_const_port");
  symbols.find(api.request_set_output, "ov_infer_request_set_output_tensor_by_index");
  symbols.find(api.request_get_output, "ov_infer_request_get_output_tensor_by_index");
  symbols.find(api.request_infer, "ov_infer_request_infer");
  symbols.find(api.request_free, "ov_infer_request_free");
  symbols.find(api.tensor_over_memory, "ov_tensor_create_from_host_ptr");
  symbols.find(api.tensor_create, "ov_tensor_create");
  symbols.find(api.tensor_shape, "ov_tensor_get_shape");
  symbols.find(api.tensor_element_type, "ov_tensor_get_element_type");
  symbols.find(api.tensor_byte_size, "ov_tensor_get_byte_size");
  symbols.find(api.tensor_data, "ov_tensor_data");
  symbols.find(api.tensor_free, "ov_tensor_free");
  symbols.find(api.shape_free, "ov_shape_free");
}

}  // namespace

Result<OvApi> open_library(const std::string& path) {
  // Without them, OpenVINO looks for the processor's cores for ever while it is loaded.
  if (!std::filesystem::exists("/proc/cpuinfo") && !std::filesystem::exists("/sys/devices/system/cpu"))
    return fail(Blame::Backend, "openvino.unknown_processor", "what processor this is, is not known", {},
                "mount /proc or /sys: OpenVINO reads there how many cores there are");
  Result<plugin::VendorLibrary> library = plugin::VendorLibrary::open(path);
  if (!library) return failure_of(std::move(library));
  OvApi api{};
  SymbolFinder symbols(*library);
  find_core_functions(symbols, api);
  find_compiled_model_functions(symbols, api);
  find_run_functions(symbols, api);
  if (symbols.failure()) {
    Diagnostic failure = *symbols.failure();
    failure.hint = "install openvino 2026.4 or newer";
    return Failure(std::move(failure));
  }
  return api;
}

}  // namespace dycl::openvino

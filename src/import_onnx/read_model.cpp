// SPDX-License-Identifier: Apache-2.0
#include "import_onnx/read_model.h"

#include <fcntl.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <unistd.h>

#include <limits>

namespace dycl {
namespace {

// A graph inside a graph is four messages deeper; this allows about 250 nested subgraphs.
constexpr int kRecursionLimit = 1000;

Result<std::unique_ptr<onnx::ModelProto>> parse(google::protobuf::io::ZeroCopyInputStream& stream,
                                                const std::string& file) {
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(std::numeric_limits<int>::max());
  coded.SetRecursionLimit(kRecursionLimit);
  auto model = std::make_unique<onnx::ModelProto>();
  const bool read = model->ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
  if (!read || !model->has_graph())
    return fail(Blame::Usage, "onnx.not_a_model", "this is not an ONNX model, or it is cut off",
                SourceSpan{file, 0, 0, {}}, "check the file with onnx.checker, or export it again");
  return model;
}

}  // namespace

Result<std::unique_ptr<onnx::ModelProto>> read_model_bytes(std::string_view bytes, const std::string& file) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return fail(Blame::Usage, "onnx.too_large", "an ONNX message is limited to 2 GiB",
                SourceSpan{file, 0, 0, {}}, "save the model with its weights as external data");
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  return parse(stream, file);
}

Result<std::unique_ptr<onnx::ModelProto>> read_model_file(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::error_code error;
  if (descriptor < 0 || !std::filesystem::is_regular_file(path, error)) {
    if (descriptor >= 0) close(descriptor);
    return fail(Blame::Usage, "onnx.no_such_file", "there is no readable file '" + path.string() + "'");
  }
  google::protobuf::io::FileInputStream stream(descriptor);
  stream.SetCloseOnDelete(true);
  return parse(stream, path.filename().string());
}

}  // namespace dycl

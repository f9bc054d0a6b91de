// SPDX-License-Identifier: Apache-2.0
#include "import_onnx/read_model.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <unistd.h>

#include <limits>

#include "base/sha256.h"
#include "import_onnx/limits.h"

namespace dycl::import_onnx {
namespace {

// A graph inside a graph is three messages deeper (graph, node, attribute); this leaves room for the messages
// inside the deepest.
constexpr int kRecursionLimit = 5 * kDeepestNesting;

// Hands a file on and hashes what was taken from it, so that it is read once.
class HashingStream final : public google::protobuf::io::ZeroCopyInputStream {
 public:
  explicit HashingStream(ZeroCopyInputStream& inner) : inner_(inner) {}

  bool Next(const void** data, int* size) override {
    hash_taken();
    if (!inner_.Next(data, size)) return false;
    taken_ = {static_cast<const char*>(*data), static_cast<std::size_t>(*size)};
    return true;
  }
  void BackUp(int count) override {
    taken_.remove_suffix(static_cast<std::size_t>(count));
    inner_.BackUp(count);
  }
  bool Skip(int count) override {
    const void* data = nullptr;
    for (int size = 0; count > 0; count -= size) {
      if (!Next(&data, &size)) return false;
      if (size > count) BackUp(size - count);
    }
    return true;
  }
  [[nodiscard]] std::int64_t ByteCount() const override { return inner_.ByteCount(); }

  std::string sha256() {
    hash_taken();
    return hash_.hex();
  }

 private:
  void hash_taken() {
    hash_.update(taken_);
    taken_ = {};
  }

  ZeroCopyInputStream& inner_;
  std::string_view taken_;  // given out, not hashed yet: some of it may come back
  Sha256 hash_;
};

Result<std::unique_ptr<onnx::ModelProto>> parse(google::protobuf::io::ZeroCopyInputStream& stream,
                                                const std::string& file) {
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(std::numeric_limits<int>::max());
  coded.SetRecursionLimit(kRecursionLimit);
  auto model = std::make_unique<onnx::ModelProto>();
  const bool read = model->ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
  if (!read || !model->has_graph())
    return fail(Blame::Usage, "onnx.not_a_model",
                fmt::format("this is not an ONNX model, it is cut off, or it is nested more than {} deep",
                            kDeepestNesting),
                SourceSpan{file, 0, 0, {}},
                file.ends_with(".py") ? "name the model in it: " + file + ":Name"
                                      : "check the file with onnx.checker, or export it again");
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

Result<ModelFile> read_model_file(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::error_code error;
  if (descriptor < 0 || !std::filesystem::is_regular_file(path, error)) {
    if (descriptor >= 0) close(descriptor);
    return fail(Blame::Usage, "onnx.no_such_file", "there is no readable file '" + path.string() + "'");
  }
  google::protobuf::io::FileInputStream file(descriptor);
  file.SetCloseOnDelete(true);
  HashingStream stream(file);
  auto model = parse(stream, path.filename().string());
  if (!model) return failure_of(std::move(model));
  return ModelFile{std::move(*model), stream.sha256()};
}

}  // namespace dycl::import_onnx

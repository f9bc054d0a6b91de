// SPDX-License-Identifier: Apache-2.0
#include "tvm/compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <set>

#include "base/disk_cache.h"
#include "base/machine.h"
#include "base/sha256.h"
#include "common/compile_options.h"
#include "common/inline_weights.h"
#include "common/onnx_model.h"
#include "onnx_wire/write_model.h"
#include "tvm/blob.h"

namespace dycl::tvm {
namespace {

using Json = nlohmann::json;

constexpr const char* kPackage = "dycl_tvm";
constexpr std::size_t small_weight = 1024;  // bytes: shapes and axes, which TVM's importer must see

// The state of the databases of tuning (backends/tvm/dycl_tvm/database.py).
std::string tuned() {
  std::set<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(user_cache_folder() / "tvm", error), end;
       !error && entry != end; entry.increment(error))
    found.insert(identity_of(entry->path() / "records.json"));
  return fmt::format("{}", fmt::join(found, "; "));
}

plugin::WorkerSettings settings_of(const std::string& library) {
  plugin::WorkerSettings settings{"tvm", kPackage, library};
  settings.processes = 2;
  settings.environment = {"TVM_NUM_THREADS=1"};
  return settings;
}

// Read once, by the first compilation: running needs no package.
const std::string& recipe() {
  static const std::string made = plugin::recipe_of(kPackage);
  return made;
}

// The worker's answer to "check".
std::optional<plugin::Refusal> refusal_in(const Json& answer) {
  plugin::Refusal refusal{answer.value("reason", std::string("TVM gives no reason"))};
  if (refusal.reason.empty()) return std::nullopt;
  if (const auto node = answer.find("node"); node != answer.end() && node->is_number_unsigned())
    refusal.node = node->get<std::size_t>();
  return refusal;
}

}  // namespace

// A graph as the worker is asked about it: its large weights as inputs, or, when TVM wants to see them,
// inside.
struct Compiler::Question {
  std::string onnx;
  std::vector<std::string> weights;
  std::vector<std::string_view> contents;  // empty: they are inputs
  std::filesystem::path cache;             // empty: nothing is remembered

  static Result<Question> about(const DyclGraph& graph) {
    auto model = plugin::read_model(graph);
    if (!model) return failure_of(std::move(model));
    auto options = plugin::parse_compile_options(graph.compile_options);
    if (!options) return failure_of(std::move(options));
    plugin::inline_weights(*model, graph, small_weight);
    Question question{write_model(*model), {}, {}, options->cache};
    for (std::size_t index = 0; index < graph.weight_count; ++index)
      if (!plugin::is_small(graph.weights[index], small_weight))
        question.weights.emplace_back(graph.weight_names[index]);
    return question;
  }

  [[nodiscard]] Question with_contents(const DyclGraph& graph) const {
    Question question{onnx, weights, {}, cache};
    for (std::size_t index = 0; index < graph.weight_count; ++index)
      if (!plugin::is_small(graph.weights[index], small_weight))
        question.contents.emplace_back(static_cast<const char*>(graph.weights[index].data),
                                       graph.weights[index].byte_size);
    return question;
  }

  [[nodiscard]] std::string key() const {
    Sha256 hash;
    hash.update(onnx);
    for (const std::string& name : weights) hash.update(name + "\n");
    for (const std::string_view data : contents) hash.update(sha256_hex(data));
    return hash.hex();
  }
};

std::optional<std::string> Compiler::recalled(const Question& about, const std::string& key) {
  if (about.cache.empty()) return std::nullopt;
  return DiskCache(about.cache).find("tvm", key);
}

Compiler::Compiler(const std::string& library, std::string version)
    : library_(library), version_(std::move(version)), workers_(settings_of(library)) {}

Result<plugin::WorkerAnswer> Compiler::ask(const char* question, const Question& about) const {
  std::vector<std::string_view> parts{about.onnx};
  parts.insert(parts.end(), about.contents.begin(), about.contents.end());
  return workers_.ask(question, {{"weights", about.weights}}, parts);
}

Result<std::optional<plugin::Refusal>> Compiler::refusal_of(const Question& about) const {
  const std::string key = cache_key(about);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = refusals_.find(key); known != refusals_.end()) return known->second;
  }
  if (auto blob = recalled(about, key)) {
    const std::lock_guard lock(mutex_);
    blobs_.emplace(key, std::move(*blob));  // `compile` is asked next
    return std::nullopt;
  }
  auto answer = ask("check", about);
  if (!answer) return failure_of(std::move(answer));
  std::optional<plugin::Refusal> refusal = refusal_in(answer->json);
  const std::lock_guard lock(mutex_);
  return refusals_.emplace(key, std::move(refusal)).first->second;
}

Result<std::optional<plugin::Refusal>> Compiler::check(const DyclGraph& graph) const {
  auto question = Question::about(graph);
  if (!question) return failure_of(std::move(question));
  auto refusal = refusal_of(*question);
  if (!refusal || !*refusal || question->weights.empty()) return refusal;
  return refusal_of(question->with_contents(graph));
}

Result<std::string> Compiler::infer_types(const DyclGraph& graph) const {
  auto question = Question::about(graph);
  if (!question) return failure_of(std::move(question));
  auto answer = ask("infer_types", *question);
  if (!answer && !question->weights.empty()) answer = ask("infer_types", question->with_contents(graph));
  if (!answer) return failure_of(std::move(answer));
  return answer->json.value("types", Json::array()).dump();
}

Result<std::string> Compiler::compile(const DyclGraph& graph) const {
  auto question = Question::about(graph);
  if (!question) return failure_of(std::move(question));
  auto refusal = refusal_of(*question);
  if (!refusal) return failure_of(std::move(refusal));
  if (!*refusal) return compile(*question);
  if (question->weights.empty()) return fail(Blame::Backend, "tvm.refused", (*refusal)->reason);
  return compile(question->with_contents(graph));
}

// What a library depends on: with what it was tuned, too.
std::string Compiler::cache_key(const Question& about) const {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", DYCL_VERSION, version_, identity_of(library_), recipe(),
                     fmt::join(processor_features(), " "), tuned(), about.key());
}

Result<std::string> Compiler::compile(const Question& about) const {
  const std::string key = cache_key(about);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = blobs_.find(key); known != blobs_.end()) return known->second;
  }
  Result<std::string> blob = made(about, key);
  if (!blob) return blob;
  const std::lock_guard lock(mutex_);
  return blobs_.emplace(key, std::move(*blob)).first->second;
}

Result<std::string> Compiler::made(const Question& about, const std::string& key) const {
  if (auto blob = recalled(about, key)) return std::move(*blob);
  auto answer = ask("compile", about);
  if (!answer) return failure_of(std::move(answer));
  const Json& features = answer->json["features"];
  const Json& weights = answer->json["weights"];
  if (answer->parts.size() != 1 || !features.is_array() || !weights.is_array())
    return fail(Blame::Backend, "worker.bad_answer", "the process in which tvm compiles sent no library");
  const Blob blob{version_, features.get<std::vector<std::string>>(), weights.get<std::vector<std::string>>(),
                  answer->parts.front()};
  std::string bytes = write_blob(blob);
  if (!about.cache.empty()) DiskCache(about.cache).keep("tvm", key, bytes);
  return bytes;
}

}  // namespace dycl::tvm

// SPDX-License-Identifier: Apache-2.0
// DyCL for C++17 and later: owning types over the C interface of dycl.h, header only.
//
//   dycl::Runtime runtime;
//   dycl::Program program = runtime.load("net.dycl");
//   dycl::Session session(program);                          // one per thread
//   std::vector<dycl::Value> inputs;
//   inputs.push_back(dycl::Value::borrow(x.data(), {1, 3}));
//   std::vector<dycl::Value> outputs = session.run(inputs);
//   const float* y = outputs[0].data<float>();
//
// A function that fails throws dycl::Error. The rules about threads are those of dycl.h.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <dycl/error.hpp>
#include <dycl/value.hpp>

namespace dycl {

inline std::string version() { return dycl_version(); }

// A loaded package. It is immutable, and sessions of any thread may share it.
class Program {
 public:
  std::size_t input_count() const { return dycl_program_input_count(get()); }
  std::size_t output_count() const { return dycl_program_output_count(get()); }
  const dycl_port& input(std::size_t index) const { return port(dycl_program_input(get(), index)); }
  const dycl_port& output(std::size_t index) const { return port(dycl_program_output(get(), index)); }

  const dycl_program* get() const { return handle_.get(); }

 private:
  friend class Runtime;
  explicit Program(dycl_program* handle) : handle_(handle) {}

  static const dycl_port& port(const dycl_port* found) {
    if (found == nullptr) throw std::out_of_range("the program has fewer inputs or outputs");
    return *found;
  }

  detail::Handle<dycl_program, dycl_program_free> handle_;
};

struct RuntimeOptions {
  int threads = 0;                          // that all backends share; 0: as many as there are cores
  std::vector<std::string> plugin_folders;  // are searched before the folders beside the library
  std::vector<std::string> vendor_folders;  // folders with vendor libraries, e.g. a site-packages
};

struct LoadOptions {
  std::uint64_t step_limit = 100000000;  // a run stops after so many instructions; 0: no limit
  bool allow_native = false;             // whether the package may contain machine code
};

// Holds the opened backends and their thread pools. A process usually has one.
class Runtime {
 public:
  explicit Runtime(const RuntimeOptions& options = {}) {
    const std::vector<const char*> plugins = pointers(options.plugin_folders);
    const std::vector<const char*> vendors = pointers(options.vendor_folders);
    dycl_runtime_options c_options{};
    c_options.struct_size = sizeof c_options;
    c_options.threads = options.threads;
    c_options.plugin_folders = plugins.data();
    c_options.plugin_folder_count = plugins.size();
    c_options.vendor_folders = vendors.data();
    c_options.vendor_folder_count = vendors.size();
    dycl_runtime* handle = nullptr;
    detail::check(dycl_runtime_create(&c_options, &handle));
    handle_.reset(handle);
  }

  // Names the vendor library of a backend; call it before the first load.
  void set_library(const std::string& backend, const std::string& path) {
    detail::check(dycl_runtime_set_library(handle_.get(), backend.c_str(), path.c_str()));
  }

  Program load(const std::string& path, const LoadOptions& options = {}) {
    dycl_load_options c_options{};
    c_options.struct_size = sizeof c_options;
    c_options.step_limit = options.step_limit;
    c_options.allow_native = options.allow_native ? 1 : 0;
    dycl_program* program = nullptr;
    detail::check(dycl_program_load(handle_.get(), path.c_str(), &c_options, &program));
    return Program(program);
  }

 private:
  static std::vector<const char*> pointers(const std::vector<std::string>& texts) {
    std::vector<const char*> starts;
    for (const std::string& text : texts) starts.push_back(text.c_str());
    return starts;
  }

  detail::Handle<dycl_runtime, dycl_runtime_free> handle_;
};

// One output of a run, with its place in the result.
struct Output {
  std::string name;  // "logits", "0", "1.x"; "result" if it is the whole result
  std::string type;  // "f32[batch,3]"
  Value value;
};

// The new contents of an input to which the program writes, as the model does.
struct WrittenInput {
  std::size_t input;  // the number of the input
  Value value;
};

// What one thread needs to run a program. The Program may be destroyed before its sessions.
class Session {
 public:
  explicit Session(const Program& program) : output_count_(program.output_count()) {
    dycl_session* handle = nullptr;
    detail::check(dycl_session_create(program.get(), &handle));
    handle_.reset(handle);
  }

  // Takes one value per input, in the program's order; an empty Value leaves an optional input out.
  std::vector<Value> run(const std::vector<Value>& inputs) {
    std::vector<Value> outputs;
    run(inputs, outputs);
    return outputs;
  }

  // Does the same, but reuses the given values: a warmed-up run with static shapes allocates nothing.
  void run(const std::vector<Value>& inputs, std::vector<Value>& outputs) {
    inputs_.clear();
    outputs_.clear();
    outputs.resize(output_count_);
    for (const Value& input : inputs) inputs_.push_back(input.has_value() ? input.get() : nullptr);
    for (Value& output : outputs) {
      if (output.get() == nullptr) output = Value();  // the caller moved it away
      outputs_.push_back(output.get());
    }
    detail::check(dycl_session_run_into(handle_.get(), inputs_.data(), inputs_.size(), outputs_.data(),
                                        outputs_.size()));
  }

  // Runs any program, also one that returns a different structure at each of its returns.
  std::vector<Output> run_named(const std::vector<Value>& inputs) {
    inputs_.clear();
    for (const Value& input : inputs) inputs_.push_back(input.has_value() ? input.get() : nullptr);
    detail::check(dycl_session_run_kept(handle_.get(), inputs_.data(), inputs_.size()));
    std::vector<Output> outputs;
    for (std::size_t index = 0; index < dycl_session_output_count(handle_.get()); ++index) {
      dycl_value* value = nullptr;
      detail::check(dycl_session_output(handle_.get(), index, &value));
      outputs.push_back({dycl_session_output_name(handle_.get(), index),
                         dycl_session_output_type(handle_.get(), index), Value::adopt(value)});
    }
    return outputs;
  }

  // Returns the structure of the last run_named as JSON (see dycl.h), "" if there was none.
  std::string structure() const { return dycl_session_structure(handle_.get()); }

  // Returns what the last run wrote to inputs. Inputs are never changed in place; the caller copies it.
  std::vector<WrittenInput> written() const {
    std::vector<WrittenInput> inputs;
    for (std::size_t index = 0; index < dycl_session_written_count(handle_.get()); ++index) {
      dycl_value* value = nullptr;
      detail::check(dycl_session_written(handle_.get(), index, &value));
      inputs.push_back({dycl_session_written_input(handle_.get(), index), Value::adopt(value)});
    }
    return inputs;
  }

  // Sets the state that is kept from run to run back to what it was at first.
  void reset() { detail::check(dycl_session_reset(handle_.get())); }

 private:
  std::size_t output_count_;
  detail::Handle<dycl_session, dycl_session_free> handle_;
  std::vector<const dycl_value*> inputs_;  // members, so that runs reuse their memory
  std::vector<dycl_value*> outputs_;
};

}  // namespace dycl

// SPDX-License-Identifier: Apache-2.0
// dycl.h and dycl.hpp through libdycl itself; tests/install runs whole programs.
#include <dycl/kernels.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <dycl/dycl.hpp>

#include <filesystem>
#include <string>

#include "runtime/structured_package.h"

namespace {

using ::testing::HasSubstr;

std::string code_of(dycl_status* status) {
  if (status == nullptr) return "";
  std::string code = dycl_status_code(status);
  dycl_status_free(status);
  return code;
}

void count_release(void* context) { ++*static_cast<int*>(context); }

TEST(CValues, tensors_are_seen_as_they_were_given) {
  const float data[6] = {1, 2, 3, 4, 5, 6};
  const dycl::Value value = dycl::Value::borrow(data, {2, 3});
  EXPECT_EQ(value.kind(), DYCL_TENSOR);
  EXPECT_EQ(value.dims(), (dycl::Dims{2, 3}));
  EXPECT_EQ(value.data<float>(), data);
  EXPECT_EQ(value.tensor().byte_size, sizeof data);
  EXPECT_THROW(value.data<double>(), std::invalid_argument);
  EXPECT_THROW(value.as_int(), dycl::Error);
}

TEST(CValues, shared_memory_is_released_once_even_when_making_fails) {
  int released = 0;
  const std::int64_t data[2] = {1, 2};
  const std::int64_t dims[1] = {2};
  dycl_value* value = nullptr;
  ASSERT_EQ(dycl_value_share(DYCL_I64, dims, 1, data, sizeof data, count_release, &released, &value),
            nullptr);
  dycl_value* items[1] = {value};
  dycl_value* sequence = nullptr;
  ASSERT_EQ(dycl_value_sequence(items, 1, &sequence), nullptr);
  dycl_value_free(value);
  EXPECT_EQ(released, 0) << "the sequence still holds it";
  dycl_value_free(sequence);
  EXPECT_EQ(released, 1);
  EXPECT_EQ(code_of(dycl_value_share(DYCL_I64, dims, 1, data, 3, count_release, &released, &value)),
            "run.input_bytes");
  EXPECT_EQ(released, 2);
}

TEST(CValues, strings_and_sequences_are_read_by_index) {
  const dycl::Value words = dycl::Value::strings({"ab", "", "c"}, {3});
  EXPECT_EQ(words.string_at(0), "ab");
  EXPECT_EQ(words.string_at(1), "");
  EXPECT_THROW(words.string_at(3), dycl::Error);
  std::vector<dycl::Value> items;
  items.push_back(dycl::Value::own(std::vector<std::int32_t>{7}, {1}));
  items.push_back(dycl::Value::of_int(5));
  const dycl::Value sequence = dycl::Value::sequence(items);
  items.clear();
  ASSERT_EQ(sequence.size(), 2U);
  EXPECT_EQ(*sequence.at(0).data<std::int32_t>(), 7);
  EXPECT_EQ(sequence.at(1).as_int(), 5);
  EXPECT_THROW(sequence.at(2), dycl::Error);
}

TEST(CValues, scalars_are_exact_about_their_kind) {
  EXPECT_TRUE(dycl::Value::of_bool(true).as_bool());
  EXPECT_EQ(dycl::Value::of_float(0.5).as_float(), 0.5);
  EXPECT_THROW(dycl::Value::of_float(0.5).as_int(), dycl::Error);
  EXPECT_FALSE(dycl::Value().has_value());
}

TEST(CValues, null_arguments_and_unknown_dtypes_are_errors) {
  dycl_value* value = nullptr;
  const std::int64_t dims[1] = {1};
  EXPECT_EQ(code_of(dycl_value_borrow(DYCL_F32, nullptr, 1, dims, 4, &value)), "run.null_argument");
  EXPECT_EQ(code_of(dycl_value_borrow(DYCL_F32, dims, 1, nullptr, 4, &value)), "run.input_bytes");
  EXPECT_EQ(code_of(dycl_value_borrow(static_cast<dycl_dtype>(31), dims, 1, dims, 4, &value)),
            "run.unknown_dtype");
  EXPECT_EQ(code_of(dycl_value_tensor(nullptr, nullptr)), "run.null_argument");
  EXPECT_EQ(code_of(dycl_runtime_create(nullptr, nullptr)), "run.null_argument");
  EXPECT_EQ(code_of(dycl_session_create(nullptr, nullptr)), "run.null_argument");
  EXPECT_EQ(code_of(dycl_session_run(nullptr, nullptr, 0, nullptr, 0)), "run.null_argument");
  dycl_value_free(nullptr);
  dycl_status_free(nullptr);
}

// The published layout of DLPack 0.x, as a user's dlpack.h declares it.
struct Managed {
  void* data;
  std::int32_t device_type;
  std::int32_t device_id;
  std::int32_t ndim;
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
  void* context;
  void (*deleter)(Managed*);
};

void count_deletion(Managed* managed) { ++*static_cast<int*>(managed->context); }

TEST(CDlpack, tensors_go_in_and_out_without_a_copy) {
  float data[4] = {0, 1, 2, 3};
  std::int64_t shape[2] = {1, 3};
  int deleted = 0;
  Managed managed{data, 1, 0, 2, 2, 32, 1, shape, nullptr, 4, &deleted, count_deletion};
  dycl_value* value = nullptr;
  ASSERT_EQ(dycl_value_from_dlpack(reinterpret_cast<DLManagedTensor*>(&managed), &value), nullptr);
  dycl_tensor_view view{};
  ASSERT_EQ(dycl_value_tensor(value, &view), nullptr);
  EXPECT_EQ(view.data, data + 1);
  EXPECT_EQ(view.rank, 2);
  DLManagedTensor* exported = nullptr;
  ASSERT_EQ(dycl_value_to_dlpack(value, &exported), nullptr);
  auto* out = reinterpret_cast<Managed*>(exported);
  EXPECT_EQ(out->data, data + 1);
  EXPECT_EQ(out->shape[1], 3);
  EXPECT_EQ(out->bits, 32);
  dycl_value_free(value);
  EXPECT_EQ(deleted, 0) << "the exported tensor still reads it";
  out->deleter(out);
  EXPECT_EQ(deleted, 1);
}

TEST(CDlpack, what_is_not_contiguous_or_not_known_is_refused_and_deleted) {
  float data[6] = {};
  std::int64_t shape[2] = {2, 3};
  std::int64_t transposed[2] = {1, 2};
  int deleted = 0;
  dycl_value* value = nullptr;
  Managed strided{data, 1, 0, 2, 2, 32, 1, shape, transposed, 0, &deleted, count_deletion};
  EXPECT_EQ(code_of(dycl_value_from_dlpack(reinterpret_cast<DLManagedTensor*>(&strided), &value)),
            "run.dlpack");
  Managed odd{data, 1, 0, 2, 2, 24, 1, shape, nullptr, 0, &deleted, count_deletion};
  EXPECT_EQ(code_of(dycl_value_from_dlpack(reinterpret_cast<DLManagedTensor*>(&odd), &value)), "run.dlpack");
  Managed device{data, 2, 0, 2, 2, 32, 1, shape, nullptr, 0, &deleted, count_deletion};
  EXPECT_EQ(code_of(dycl_value_from_dlpack(reinterpret_cast<DLManagedTensor*>(&device), &value)),
            "run.dlpack");
  EXPECT_EQ(deleted, 3);
  EXPECT_EQ(value, nullptr);
}

TEST(CRuntime, reports_files_that_cannot_be_loaded) {
  dycl::Runtime runtime;
  try {
    runtime.load("no/such/file.dycl");
    FAIL() << "nothing was thrown";
  } catch (const dycl::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no/such/file.dycl"));
  }
  dycl_runtime_options wrong{};
  dycl_runtime* handle = nullptr;
  EXPECT_EQ(code_of(dycl_runtime_create(&wrong, &handle)), "run.options_size");
}

TEST(CKernels, what_is_null_or_of_another_version_is_refused) {
  dycl_runtime* runtime = nullptr;
  ASSERT_EQ(dycl_runtime_create(nullptr, &runtime), nullptr);
  dycl_kernels* kernels = nullptr;
  dycl_kernel_request request{sizeof request, DYCL_KERNELS_ABI, nullptr, 0};
  const auto load = [&] {
    return code_of(dycl_kernels_load(runtime, "none.dycl", nullptr, &request, &kernels));
  };
  EXPECT_EQ(load(), "package.not_found");
  request.abi = DYCL_KERNELS_ABI + 1;
  EXPECT_EQ(load(), "run.kernels_abi");
  request.abi = DYCL_KERNELS_ABI;
  request.struct_size = 3;
  EXPECT_EQ(load(), "run.options_size");
  request.struct_size = sizeof request;
  request.name_count = 1;
  EXPECT_EQ(load(), "run.null_argument");
  EXPECT_EQ(code_of(dycl_kernels_load(runtime, nullptr, nullptr, &request, &kernels)), "run.null_argument");
  EXPECT_EQ(code_of(dycl_kernels_load(runtime, "none.dycl", nullptr, nullptr, &kernels)),
            "run.null_argument");
  alignas(64) const char bytes[65] = {};
  request.name_count = 0;
  EXPECT_EQ(code_of(dycl_kernels_load_bytes(runtime, bytes + 1, 64, nullptr, &request, &kernels)),
            "run.package_alignment");
  EXPECT_THAT(code_of(dycl_kernels_load_bytes(runtime, bytes, 64, nullptr, &request, &kernels)),
              HasSubstr("package."));
  EXPECT_EQ(code_of(dycl_kernels_weight(nullptr, "w", nullptr)), "run.null_argument");
  EXPECT_EQ(code_of(dycl_kernel_set_create(nullptr, nullptr)), "run.null_argument");
  EXPECT_EQ(kernels, nullptr);
  dycl_kernels_free(nullptr);
  dycl_kernel_set_free(nullptr);
  dycl_runtime_free(runtime);
}

class StructuredPackage : public ::testing::Test {
 protected:
  StructuredPackage()
      : path_(std::filesystem::path(::testing::TempDir()) /
              // Tests run at the same time, each in a process of its own.
              ("structured_c_api_" + std::to_string(getpid()) + ".dycl")),
        program_(load(path_.string())) {}
  ~StructuredPackage() override { std::filesystem::remove(path_); }

  static dycl::Program load(const std::string& path) {
    EXPECT_EQ(dycl::runtime::testing::write_structured_package(path), "");
    return dycl::Runtime().load(path);
  }

  static std::vector<dycl::Value> inputs(bool flag) {
    std::vector<dycl::Value> values;
    values.push_back(dycl::Value::own(std::vector<float>{1, 2, 3}, {3}));
    values.push_back(dycl::Value::of_bool(flag));
    return values;
  }

  std::filesystem::path path_;
  dycl::Program program_;
};

TEST_F(StructuredPackage, names_outputs_by_the_return_that_was_taken) {
  dycl::Session session(program_);
  EXPECT_EQ(session.structure(), "");
  const std::vector<dycl::Output> outputs = session.run_named(inputs(true));
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[0].name, "logits");
  EXPECT_EQ(outputs[0].type, "f32[batch]");
  EXPECT_EQ(outputs[0].value.data<float>()[2], 3);
  EXPECT_EQ(outputs[1].name, "deep.0");
  EXPECT_TRUE(outputs[1].value.as_bool());
  EXPECT_EQ(session.structure(),
            R"({"dict":[["logits",{"value":0}],["deep",{"tuple":[{"value":1},{"value":0},null]}]]})");
  const std::vector<dycl::Output> other = session.run_named(inputs(false));
  ASSERT_EQ(other.size(), 1U);
  EXPECT_EQ(other[0].name, "result");
  EXPECT_EQ(session.structure(), R"({"value":0})");
  EXPECT_EQ(outputs[0].value.data<float>()[1], 2) << "what was handed out outlives the next run";
}

TEST_F(StructuredPackage, keeps_nothing_of_a_run_that_failed) {
  dycl::Session session(program_);
  session.run_named(inputs(true));
  EXPECT_THROW(session.run_named({}), dycl::Error);
  EXPECT_EQ(session.structure(), "");
}

TEST_F(StructuredPackage, has_no_fixed_room_for_outputs) {
  EXPECT_EQ(program_.output_count(), 0U);
  dycl::Session session(program_);
  try {
    session.run(inputs(true));
    FAIL() << "nothing was thrown";
  } catch (const dycl::Error& error) {
    EXPECT_EQ(error.code(), "run.structured_outputs");
  }
}

TEST_F(StructuredPackage, refuses_what_the_session_does_not_keep) {
  dycl_session* session = nullptr;
  ASSERT_EQ(dycl_session_create(program_.get(), &session), nullptr);
  dycl_value* value = nullptr;
  EXPECT_EQ(code_of(dycl_session_output(session, 0, &value)), "run.value_index");
  EXPECT_EQ(dycl_session_output_count(session), 0U);
  EXPECT_EQ(dycl_session_output_name(session, 0), nullptr);
  EXPECT_EQ(dycl_session_output_type(session, 0), nullptr);
  EXPECT_EQ(code_of(dycl_session_run_kept(session, nullptr, 0)), "run.input_count");
  EXPECT_EQ(code_of(dycl_session_run_kept(nullptr, nullptr, 0)), "run.null_argument");
  dycl_session_free(session);
}

TEST(PackageWithState, remembers_until_it_is_reset_and_tells_what_it_wrote) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("remembering_" + std::to_string(getpid()) + ".dycl"))
          .string();
  ASSERT_EQ(dycl::runtime::testing::write_remembering_package(path), "");
  dycl::Runtime runtime;
  const dycl::Program program = runtime.load(path);
  std::filesystem::remove(path);
  ASSERT_EQ(program.input_count(), 1U) << "state is not given by the caller";
  EXPECT_EQ(dycl_program_writes_input(program.get(), 0), 1);
  dycl::Session session(program);
  const auto result_of = [&](const float* data) {
    std::vector<dycl::Value> inputs;
    inputs.push_back(dycl::Value::borrow(data, {2}));
    return session.run_named(inputs)[0].value.data<float>()[0];
  };
  const float first[2] = {1, 2}, second[2] = {3, 4};
  EXPECT_EQ(result_of(first), 5);
  EXPECT_EQ(result_of(second), 1);
  const std::vector<dycl::WrittenInput> written = session.written();
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].input, 0U);
  EXPECT_EQ(written[0].value.data<float>()[1], 2);
  EXPECT_EQ(second[0], 3) << "the caller's memory is his own";
  session.reset();
  EXPECT_EQ(result_of(second), 5);
  dycl_value* value = nullptr;
  EXPECT_EQ(code_of(dycl_session_written(nullptr, 0, &value)), "run.null_argument");
  EXPECT_EQ(code_of(dycl_session_reset(nullptr)), "run.null_argument");
}

}  // namespace

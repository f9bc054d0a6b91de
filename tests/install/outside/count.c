/* SPDX-License-Identifier: Apache-2.0 */
/* The same package from C. */
#include <dycl/dycl.h>
#include <stdio.h>
#include <string.h>

static int failed(dycl_status* status, const char* what) {
  if (status == NULL) return 0;
  fprintf(stderr, "%s: %s\n", what, dycl_status_text(status));
  dycl_status_free(status);
  return 1;
}

static int run(const dycl_program* program) {
  const int64_t x = 0, step = 7, limit = 20, dims[1] = {1};
  dycl_session* session = NULL;
  dycl_value* inputs[3] = {NULL, NULL, NULL};
  dycl_value* outputs[2] = {NULL, NULL};
  dycl_tensor_view view;
  size_t length = 0;
  int bad = failed(dycl_session_create(program, &session), "session");
  bad |= failed(dycl_value_borrow(DYCL_I64, dims, 1, &x, sizeof x, &inputs[0]), "x");
  bad |= failed(dycl_value_borrow(DYCL_I64, dims, 1, &step, sizeof step, &inputs[1]), "step");
  bad |= failed(dycl_value_borrow(DYCL_I64, dims, 1, &limit, sizeof limit, &inputs[2]), "limit");
  if (bad) return 1;
  if (failed(dycl_session_run(session, (const dycl_value* const*)inputs, 3, outputs, 2), "run")) return 1;
  if (failed(dycl_value_tensor(outputs[0], &view), "result")) return 1;
  if (failed(dycl_value_size(outputs[1], &length), "history")) return 1;
  if (*(const int64_t*)view.data != 21 || length != 3) {
    fprintf(stderr, "got %lld after %zu steps\n", (long long)*(const int64_t*)view.data, length);
    return 1;
  }
  /* Two inputs instead of three: a clear error, and no outputs. */
  dycl_value* nothing[2] = {NULL, NULL};
  dycl_status* refused = dycl_session_run(session, (const dycl_value* const*)inputs, 2, nothing, 2);
  if (refused == NULL || strcmp(dycl_status_code(refused), "run.input_count") != 0 || nothing[0] != NULL)
    return 1;
  dycl_status_free(refused);
  dycl_session_free(session);
  for (int index = 0; index < 3; ++index) dycl_value_free(inputs[index]);
  for (int index = 0; index < 2; ++index) dycl_value_free(outputs[index]);
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* folders[1] = {argv[2]};
  dycl_runtime_options options = {0};
  options.struct_size = sizeof options;
  options.plugin_folders = folders;
  options.plugin_folder_count = 1;
  dycl_runtime* runtime = NULL;
  dycl_program* program = NULL;
  if (failed(dycl_runtime_create(&options, &runtime), "runtime")) return 1;
  if (failed(dycl_program_load(runtime, argv[1], NULL, &program), "load")) return 1;
  const int result = run(program);
  dycl_program_free(program);
  dycl_runtime_free(runtime);
  return result;
}

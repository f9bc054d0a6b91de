/* SPDX-License-Identifier: Apache-2.0 */
/* Runs equilibrium.dycl on the numbers of the command line. */
#include <dycl/dycl.h>
#include <stdio.h>
#include <stdlib.h>

/* A function that can fail returns NULL if it succeeds, or else a status that says why it failed. */
static void check(dycl_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s\n", dycl_status_text(status)); /* what is wrong, where, and a hint */
  dycl_status_free(status);
  exit(1);
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: equilibrium FOLDER_OF_ONNX_RUNTIME NUMBER...\n");
    return 2;
  }
  const char* vendor_folders[] = {argv[1]};
  dycl_runtime_options options = {
      .struct_size = sizeof options, .vendor_folders = vendor_folders, .vendor_folder_count = 1};
  dycl_runtime* runtime = NULL;
  dycl_program* program = NULL;
  dycl_session* session = NULL;
  check(dycl_runtime_create(&options, &runtime));
  check(dycl_program_load(runtime, "equilibrium.dycl", NULL, &program));
  check(dycl_session_create(program, &session));

  /* All numbers are passed on: if the program takes another number of them, it says so. */
  const int64_t dims[] = {1, argc - 2};
  float* x = malloc((size_t)dims[1] * sizeof *x);
  for (int index = 2; index < argc; ++index) x[index - 2] = strtof(argv[index], NULL);

  dycl_value* input = NULL;
  dycl_value* outputs[2] = {NULL, NULL};
  check(dycl_value_borrow(DYCL_F32, dims, 2, x, (size_t)dims[1] * sizeof *x, &input)); /* x is not copied */
  check(dycl_session_run(session, (const dycl_value* const*)&input, 1, outputs, 2));

  dycl_tensor_view y, trips; /* these views are valid as long as the outputs */
  check(dycl_value_tensor(outputs[0], &y));
  check(dycl_value_tensor(outputs[1], &trips));
  printf("%lld trips:", (long long)*(const int64_t*)trips.data);
  for (int64_t index = 0; index < y.dims[1]; ++index) printf(" %.4f", ((const float*)y.data)[index]);
  printf("\n");

  for (int index = 0; index < 2; ++index) dycl_value_free(outputs[index]);
  dycl_value_free(input);
  free(x);
  dycl_session_free(session);
  dycl_program_free(program);
  dycl_runtime_free(runtime);
  return 0;
}

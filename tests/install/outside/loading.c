/* SPDX-License-Identifier: Apache-2.0 */
/* loading LIBRARY PACKAGE PLUGINS: the library is loaded at run time, twice at once, with its symbols hidden
 * from others, unloaded, and loaded again; a program runs each time. */
#include <dlfcn.h>
#include <dycl/dycl.h>
#include <stdio.h>

#define FIND(name) name##_function name = (name##_function)(uintptr_t)dlsym(library, #name)
typedef dycl_status* (*dycl_runtime_create_function)(const dycl_runtime_options*, dycl_runtime**);
typedef dycl_status* (*dycl_program_load_function)(dycl_runtime*, const char*, const dycl_load_options*,
                                                   dycl_program**);
typedef dycl_status* (*dycl_session_create_function)(const dycl_program*, dycl_session**);
typedef dycl_status* (*dycl_session_run_function)(dycl_session*, const dycl_value* const*, size_t,
                                                  dycl_value**, size_t);
typedef dycl_status* (*dycl_value_borrow_function)(dycl_dtype, const int64_t*, size_t, const void*, size_t,
                                                   dycl_value**);
typedef dycl_status* (*dycl_value_tensor_function)(const dycl_value*, dycl_tensor_view*);
typedef void (*dycl_runtime_free_function)(dycl_runtime*);
typedef void (*dycl_program_free_function)(dycl_program*);
typedef void (*dycl_session_free_function)(dycl_session*);
typedef void (*dycl_value_free_function)(dycl_value*);

static int run(void* library, const char* package, const char* plugins) {
  FIND(dycl_runtime_create);
  FIND(dycl_program_load);
  FIND(dycl_session_create);
  FIND(dycl_session_run);
  FIND(dycl_value_borrow);
  FIND(dycl_value_tensor);
  FIND(dycl_runtime_free);
  FIND(dycl_program_free);
  FIND(dycl_session_free);
  FIND(dycl_value_free);
  const int64_t numbers[3] = {0, 7, 20}, dims[1] = {1};
  const char* folders[1] = {plugins};
  dycl_runtime_options options = {0};
  dycl_runtime* runtime = NULL;
  dycl_program* program = NULL;
  dycl_session* session = NULL;
  dycl_value* inputs[3] = {NULL, NULL, NULL};
  dycl_value* outputs[2] = {NULL, NULL};
  dycl_tensor_view view;
  options.struct_size = sizeof options;
  options.plugin_folders = folders;
  options.plugin_folder_count = 1;
  if (dycl_runtime_create(&options, &runtime) || dycl_program_load(runtime, package, NULL, &program) ||
      dycl_session_create(program, &session))
    return 1;
  for (int index = 0; index < 3; ++index)
    if (dycl_value_borrow(DYCL_I64, dims, 1, &numbers[index], sizeof numbers[index], &inputs[index]))
      return 1;
  if (dycl_session_run(session, (const dycl_value* const*)inputs, 3, outputs, 2)) return 1;
  if (dycl_value_tensor(outputs[0], &view) || *(const int64_t*)view.data != 21) return 1;
  for (int index = 0; index < 3; ++index) dycl_value_free(inputs[index]);
  for (int index = 0; index < 2; ++index) dycl_value_free(outputs[index]);
  dycl_session_free(session);
  dycl_program_free(program);
  dycl_runtime_free(runtime);
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  for (int round = 0; round < 3; ++round) {
    void* one = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    void* other = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (one == NULL || other == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    if (dlsym(RTLD_DEFAULT, "dycl_runtime_create") != NULL) return 3; /* its symbols are seen from outside */
    if (run(one, argv[2], argv[3]) != 0 || run(other, argv[2], argv[3]) != 0) return 1;
    dlclose(one);
    if (run(other, argv[2], argv[3]) != 0) return 1;
    dlclose(other);
  }
  return 0;
}

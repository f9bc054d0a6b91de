/* SPDX-License-Identifier: Apache-2.0 */
/* A program that returns structures, another one at each return, from C. */
#include <dycl/dycl.h>
#include <stdio.h>
#include <string.h>

static int failed(dycl_status* status, const char* what) {
  if (status == NULL) return 0;
  fprintf(stderr, "%s: %s\n", what, dycl_status_text(status));
  dycl_status_free(status);
  return 1;
}

/* Expects the outputs to be named so, and the structure to be this; all else is printed. */
static int expect(dycl_session* session, int flag, const char* names, const char* structure) {
  const int64_t x = 3, dims[1] = {1};
  dycl_value* inputs[2] = {NULL, NULL};
  char seen[64] = "";
  int bad = failed(dycl_value_borrow(DYCL_I64, dims, 1, &x, sizeof x, &inputs[0]), "x");
  bad |= failed(dycl_value_bool(flag, &inputs[1]), "flag");
  bad |= failed(dycl_session_run_kept(session, (const dycl_value* const*)inputs, 2), "run");
  for (size_t index = 0; index < dycl_session_output_count(session) && !bad; ++index) {
    dycl_value* value = NULL;
    bad |= failed(dycl_session_output(session, index, &value), "output");
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s %s kind %d;",
             dycl_session_output_name(session, index), dycl_session_output_type(session, index),
             (int)dycl_value_kind(value));
    dycl_value_free(value);
  }
  for (int index = 0; index < 2; ++index) dycl_value_free(inputs[index]);
  if (!bad && strcmp(seen, names) == 0 && strcmp(dycl_session_structure(session), structure) == 0) return 0;
  fprintf(stderr, "got %s as %s\n", seen, dycl_session_structure(session));
  return 1;
}

int main(int argc, char** argv) {
  dycl_runtime* runtime = NULL;
  dycl_program* program = NULL;
  dycl_session* session = NULL;
  if (argc != 2) return 2;
  if (failed(dycl_runtime_create(NULL, &runtime), "runtime")) return 1;
  if (failed(dycl_program_load(runtime, argv[1], NULL, &program), "load")) return 1;
  if (failed(dycl_session_create(program, &session), "session")) return 1;
  int bad = expect(session, 1, "x i64[1] kind 1;deep.1 bool kind 2;",
                   "{\"dict\":[[\"x\",{\"value\":0}],[\"deep\",{\"tuple\":[5,{\"value\":1}]}]]}");
  bad |= expect(session, 0, "result i64[1] kind 1;", "{\"value\":0}");
  dycl_session_free(session);
  dycl_program_free(program);
  dycl_runtime_free(runtime);
  return bad;
}

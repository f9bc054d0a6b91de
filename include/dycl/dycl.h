/* SPDX-License-Identifier: Apache-2.0 */
/* DyCL's C interface loads a .dycl package and runs it, without Python and without a compiler.
 *
 *   dycl_runtime* runtime;   dycl_runtime_create(NULL, &runtime);
 *   dycl_program* program;   dycl_program_load(runtime, "net.dycl", NULL, &program);
 *   dycl_session* session;   dycl_session_create(program, &session);
 *   dycl_value* in[1];       dycl_value_borrow(DYCL_F32, dims, 2, x, sizeof x, &in[0]);
 *   dycl_value* out[1];      dycl_session_run(session, (const dycl_value* const*)in, 1, out, 1);
 *
 * Errors: a function that can fail returns NULL if it succeeds, or else a status, which the caller reads
 *   and frees. No function throws.
 * Ownership: the caller owns what a function hands out through a `**` argument and frees it with the type's
 *   _free function, which accepts NULL. A `const char*` or view lives as long as the handle that gave it.
 * Threads: a runtime and a program may be used by many threads at once. A session belongs to one
 *   thread at a time. Distinct values may be used and freed by any thread, one value by one thread.
 *   The caller may free a handle while others made from it live on: they keep what they need. */
#ifndef DYCL_DYCL_H
#define DYCL_DYCL_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define DYCL_API __attribute__((visibility("default")))
#else
#define DYCL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dycl_status dycl_status;   /* why something failed */
typedef struct dycl_runtime dycl_runtime; /* opened backends and their thread pools */
typedef struct dycl_program dycl_program; /* a loaded package; immutable, shared */
typedef struct dycl_session dycl_session; /* what one thread needs to run a program */
typedef struct dycl_value dycl_value;     /* tensor, scalar, sequence, string or none */

DYCL_API const char* dycl_version(void); /* "0.1.0" */

/* ---- status ------------------------------------------------------------------------------- */

/* Whose fault an error is, and so who can correct it. */
typedef enum dycl_blame {
  DYCL_BLAME_USAGE = 0,
  DYCL_BLAME_UNSUPPORTED = 1,
  DYCL_BLAME_BACKEND = 2,
  DYCL_BLAME_PACKAGE = 3,
  DYCL_BLAME_MODEL = 4, /* the model raised: see dycl_status_exception_type */
  DYCL_BLAME_INTERNAL = 5
} dycl_blame;

DYCL_API dycl_blame dycl_status_blame(const dycl_status* status);
DYCL_API const char* dycl_status_code(const dycl_status* status);    /* "run.input_dtype" */
DYCL_API const char* dycl_status_message(const dycl_status* status); /* one sentence */
DYCL_API const char* dycl_status_text(const dycl_status* status);    /* message, position, notes, hint */
/* Returns the type of the exception that the model raised ("IndexError"), "" if it raised none. */
DYCL_API const char* dycl_status_exception_type(const dycl_status* status);
DYCL_API void dycl_status_free(dycl_status* status);

/* ---- runtime ------------------------------------------------------------------------------ */

typedef struct dycl_runtime_options {
  size_t struct_size; /* sizeof(dycl_runtime_options) */
  int32_t threads;    /* that all backends share, the caller's own included; 0: as many as there are cores */
  const char* const* plugin_folders; /* are searched before the folders beside this library */
  size_t plugin_folder_count;
  const char* const* vendor_folders; /* folders with vendor libraries, e.g. a site-packages */
  size_t vendor_folder_count;
} dycl_runtime_options;

/* If options is NULL, the defaults hold. A backend is opened when a program needs it. */
DYCL_API dycl_status* dycl_runtime_create(const dycl_runtime_options* options, dycl_runtime** runtime);
/* Names the vendor library of a backend; call it before loading the first program that needs the backend. */
DYCL_API dycl_status* dycl_runtime_set_library(dycl_runtime* runtime, const char* backend, const char* path);
DYCL_API void dycl_runtime_free(dycl_runtime* runtime);

/* ---- program ------------------------------------------------------------------------------ */

typedef struct dycl_load_options {
  size_t struct_size;   /* sizeof(dycl_load_options) */
  uint64_t step_limit;  /* a run stops after so many instructions, in case a loop never ends; 0: no limit */
  int32_t allow_native; /* non-zero: the package may contain machine code */
} dycl_load_options;

/* If options is NULL, the limit is 100 million instructions, and machine code is refused. */
DYCL_API dycl_status* dycl_program_load(dycl_runtime* runtime, const char* path,
                                        const dycl_load_options* options, dycl_program** program);
DYCL_API void dycl_program_free(dycl_program* program);

/* Element types have the numbers of ONNX's TensorProto.DataType. */
typedef enum dycl_dtype {
  DYCL_F32 = 1,
  DYCL_U8 = 2,
  DYCL_I8 = 3,
  DYCL_U16 = 4,
  DYCL_I16 = 5,
  DYCL_I32 = 6,
  DYCL_I64 = 7,
  DYCL_STRING = 8,
  DYCL_BOOL = 9,
  DYCL_F16 = 10,
  DYCL_F64 = 11,
  DYCL_U32 = 12,
  DYCL_U64 = 13,
  DYCL_C64 = 14,
  DYCL_C128 = 15,
  DYCL_BF16 = 16,
  DYCL_F8E4M3FN = 17,
  DYCL_F8E4M3FNUZ = 18,
  DYCL_F8E5M2 = 19,
  DYCL_F8E5M2FNUZ = 20,
  DYCL_U4 = 21,
  DYCL_I4 = 22,
  DYCL_F4E2M1 = 23,
  DYCL_F8E8M0 = 24,
  DYCL_U2 = 25,
  DYCL_I2 = 26
} dycl_dtype;

typedef enum dycl_kind {
  DYCL_NONE = 0, /* an empty optional, or an input that is left out */
  DYCL_TENSOR = 1,
  DYCL_SCALAR_BOOL = 2,
  DYCL_SCALAR_INT = 3,
  DYCL_SCALAR_FLOAT = 4,
  DYCL_SEQUENCE = 5,
  DYCL_TEXT = 6
} dycl_kind;

/* One input or output of a program. */
typedef struct dycl_port {
  const char* name;
  const char* type;           /* "f32[batch,3]", "f32[batch=1..8,3]", "seq<i64[*]>", "optional<…>" */
  dycl_kind kind;             /* the kind of the value; for an optional, of what it holds */
  dycl_dtype dtype;           /* tensors only */
  int32_t rank;               /* tensors only; -1: any */
  const int64_t* dims;        /* one size per axis; -1: not fixed */
  const char* const* symbols; /* one name per axis, or ""; axes with equal names must have equal sizes */
  int32_t optional;           /* non-zero: the input may be left out, the value may be DYCL_NONE */
  const int64_t* smallest;    /* the smallest size that each axis may have */
  const int64_t* largest;     /* the largest size that each axis may have; -1: no limit */
} dycl_port;

DYCL_API size_t dycl_program_input_count(const dycl_program* program);
DYCL_API size_t dycl_program_output_count(const dycl_program* program);
/* Returns non-zero if a run may give this input new contents (see dycl_session_written). */
DYCL_API int32_t dycl_program_writes_input(const dycl_program* program, size_t index);
/* Both return NULL if the index is out of range. */
DYCL_API const dycl_port* dycl_program_input(const dycl_program* program, size_t index);
DYCL_API const dycl_port* dycl_program_output(const dycl_program* program, size_t index);

/* ---- values ------------------------------------------------------------------------------- */

/* A tensor's contents, row-major and contiguous. A string tensor of n elements has n+1 int64 offsets, the
 * first 0, followed by the characters. */
typedef struct dycl_tensor_view {
  dycl_dtype dtype;
  int32_t rank;
  const int64_t* dims;
  const void* data;
  size_t byte_size;
  int32_t device_kind; /* DLPack's numbers: 1 is the CPU */
  int32_t device_index;
} dycl_tensor_view;

/* Makes a tensor over the caller's memory, which must stay alive and unchanged until the runs that use it
 * have returned. The memory is not copied, and outputs never alias it. */
DYCL_API dycl_status* dycl_value_borrow(dycl_dtype dtype, const int64_t* dims, size_t rank, const void* data,
                                        size_t byte_size, dycl_value** value);
/* Does the same, but takes the memory over: release(context) is called once, from any thread, when nothing
 * refers to the memory any more (also if this function fails). */
DYCL_API dycl_status* dycl_value_share(dycl_dtype dtype, const int64_t* dims, size_t rank, const void* data,
                                       size_t byte_size, void (*release)(void* context), void* context,
                                       dycl_value** value);
/* Makes a tensor of strings, which are copied. */
DYCL_API dycl_status* dycl_value_strings(const int64_t* dims, size_t rank, const char* const* texts,
                                         const size_t* lengths, size_t count, dycl_value** value);
DYCL_API dycl_status* dycl_value_none(dycl_value** value);
DYCL_API dycl_status* dycl_value_bool(int32_t scalar, dycl_value** value);
DYCL_API dycl_status* dycl_value_int(int64_t scalar, dycl_value** value);
DYCL_API dycl_status* dycl_value_float(double scalar, dycl_value** value);
/* Makes a sequence of the given values, which the caller still owns (tensors are shared, not copied). */
DYCL_API dycl_status* dycl_value_sequence(const dycl_value* const* items, size_t count, dycl_value** value);

DYCL_API dycl_kind dycl_value_kind(const dycl_value* value);
/* Each of these fails (run.value_kind) if the value is of another kind. */
DYCL_API dycl_status* dycl_value_tensor(const dycl_value* value, dycl_tensor_view* view);
DYCL_API dycl_status* dycl_value_get_bool(const dycl_value* value, int32_t* scalar);
DYCL_API dycl_status* dycl_value_get_int(const dycl_value* value, int64_t* scalar);
DYCL_API dycl_status* dycl_value_get_float(const dycl_value* value, double* scalar);
DYCL_API dycl_status* dycl_value_get_text(const dycl_value* value, const char** text, size_t* length);
/* Gives element `index` of a string tensor, in row-major order; the text does not end with a zero. */
DYCL_API dycl_status* dycl_value_string_at(const dycl_value* value, size_t index, const char** text,
                                           size_t* length);
DYCL_API dycl_status* dycl_value_size(const dycl_value* value, size_t* count); /* items of a sequence */
DYCL_API dycl_status* dycl_value_at(const dycl_value* sequence, size_t index, dycl_value** item);
DYCL_API void dycl_value_free(dycl_value* value);

/* These convert from and to DLPack (version 0.x DLManagedTensor). Cast the pointer to the struct of your
 * dlpack.h: the layout is the published one. Import takes ownership and calls the tensor's deleter; export
 * shares the value's memory and keeps it alive. Strings and types that DLPack cannot name are refused. */
struct DLManagedTensor;
DYCL_API dycl_status* dycl_value_from_dlpack(struct DLManagedTensor* managed, dycl_value** value);
DYCL_API dycl_status* dycl_value_to_dlpack(const dycl_value* value, struct DLManagedTensor** managed);

/* ---- session ------------------------------------------------------------------------------ */

DYCL_API dycl_status* dycl_session_create(const dycl_program* program, dycl_session** session);
/* Takes one value per input, in the program's order; NULL leaves an optional input out. It fills `outputs`
 * with new values, one per output; on failure they are all NULL. */
DYCL_API dycl_status* dycl_session_run(dycl_session* session, const dycl_value* const* inputs,
                                       size_t input_count, dycl_value** outputs, size_t output_count);
/* Does the same, but gives new contents to the handles in `outputs` (values of the caller, of any kind), so
 * that a warmed-up run with static shapes allocates nothing. On failure they become none. */
DYCL_API dycl_status* dycl_session_run_into(dycl_session* session, const dycl_value* const* inputs,
                                            size_t input_count, dycl_value* const* outputs,
                                            size_t output_count);
/* Does the same, but the session keeps the outputs until its next run; the functions below give them. Use it
 * for a program from a Python model, which may return a different structure at each of its returns and so
 * lists no outputs (the two functions above fail with run.structured_outputs). */
DYCL_API dycl_status* dycl_session_run_kept(dycl_session* session, const dycl_value* const* inputs,
                                            size_t input_count);
/* Counts the outputs of the last dycl_session_run_kept, 0 after a failure. Texts live until the next run. */
DYCL_API size_t dycl_session_output_count(const dycl_session* session);
/* Returns the output's name, or its place in the structure: "logits", "0", "1.x", or "result" if it is the
 * whole result. Returns NULL if the index is out of range. */
DYCL_API const char* dycl_session_output_name(const dycl_session* session, size_t index);
DYCL_API const char* dycl_session_output_type(const dycl_session* session, size_t index); /* "f32[batch,3]" */
/* Gives a new handle, which shares the memory. */
DYCL_API dycl_status* dycl_session_output(const dycl_session* session, size_t index, dycl_value** value);
/* Returns the structure as JSON, "" if there is none. {"value":0} is output 0; null, true, 3, "text" and
 * {"float":"0.5"} are constants; {"tuple":[...]}, {"list":[...]}, {"set":[...]}; {"dict":[[key,value],...]};
 * {"record":"module:Name","kind":"dataclass","fields":{"x":...}}; {"same":3} is what has "number":3. */
DYCL_API const char* dycl_session_structure(const dycl_session* session);
/* A program may write to its inputs, as the model does. After a run, also one in which the model raised, the
 * session has the new contents to copy. Such an input shares memory with no other (run.inputs_overlap). */
DYCL_API size_t dycl_session_written_count(const dycl_session* session); /* of the last run, of any kind */
DYCL_API size_t dycl_session_written_input(const dycl_session* session, size_t index); /* its number */
/* Gives a new handle, which shares the memory. */
DYCL_API dycl_status* dycl_session_written(const dycl_session* session, size_t index, dycl_value** value);
/* Sets the state that a session keeps from run to run back to the first one. A failed run leaves it. */
DYCL_API dycl_status* dycl_session_reset(dycl_session* session);
DYCL_API void dycl_session_free(dycl_session* session);

#ifdef __cplusplus
}
#endif

#endif /* DYCL_DYCL_H */

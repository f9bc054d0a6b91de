/* SPDX-License-Identifier: Apache-2.0 */
/* What a program that `dycl emit` wrote needs of libdycl: the compiled sub-DNNs of its package, and its
 * weights. Control flow, scalars and memory are the program's own; nothing here interprets anything.
 *
 *   dycl_kernels_load(runtime, "net.dycl", NULL, &request, &kernels);  once per process
 *   dycl_kernel_set_create(kernels, &set);                             once per thread
 *   dycl_kernel* table = dycl_kernel_set_table(set);
 *   void* error = table[0].run(table[0].call, inputs, 1, outputs, 1);  as often as the program likes
 *
 * Errors, ownership and threads are as in dycl.h: a set belongs to one thread at a time. */
#ifndef DYCL_KERNELS_H
#define DYCL_KERNELS_H

#include <dycl/dycl.h>
#include <dycl/tensors.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with the structs below and in tensors.h. A library that serves another number refuses to load
 * (run.kernels_abi). */
enum { DYCL_KERNELS_ABI = 1 };

typedef struct dycl_kernels dycl_kernels;       /* loaded sub-DNNs and weights; immutable, shared */
typedef struct dycl_kernel_set dycl_kernel_set; /* what one thread needs to call them */

/* One sub-DNN, ready to be called. `run` returns null, or an error for dycl_kernel_failure. */
typedef struct dycl_kernel {
  void* (*run)(void* call, const dycl_kernel_input* inputs, size_t input_count, dycl_kernel_output* outputs,
               size_t output_count);
  void* call;
} dycl_kernel;

/* A sub-DNN by its contents: the same hash is the same graph with the same weights. */
typedef struct dycl_kernel_name {
  const char* name; /* for messages: "s3" */
  const char* hash;
  const char* backend;
} dycl_kernel_name;

typedef struct dycl_kernel_request {
  size_t struct_size; /* sizeof(dycl_kernel_request) */
  uint32_t abi;       /* DYCL_KERNELS_ABI */
  const dycl_kernel_name* names;
  size_t name_count;
} dycl_kernel_request;

/* Reads the package and loads the sub-DNNs that are asked for. Fails with package.other_program if it lacks
 * one of them. */
DYCL_API dycl_status* dycl_kernels_load(dycl_runtime* runtime, const char* path,
                                        const dycl_load_options* options, const dycl_kernel_request* request,
                                        dycl_kernels** kernels);
/* Does the same with a package in memory, which starts at a multiple of 64 and stays there, unchanged, until
 * `kernels` and all sets made from it are freed. */
DYCL_API dycl_status* dycl_kernels_load_bytes(dycl_runtime* runtime, const void* package, size_t byte_size,
                                              const dycl_load_options* options,
                                              const dycl_kernel_request* request, dycl_kernels** kernels);
/* Gives a weight by its name in the package. The view lives as long as `kernels`. */
DYCL_API dycl_status* dycl_kernels_weight(const dycl_kernels* kernels, const char* name,
                                          dycl_tensor_view* view);
DYCL_API void dycl_kernels_free(dycl_kernels* kernels);

DYCL_API dycl_status* dycl_kernel_set_create(const dycl_kernels* kernels, dycl_kernel_set** set);
/* Returns one kernel per name of the request, in its order. The table belongs to the set, which makes a
 * kernel ready at its first run: read `run` and `call` from the table each time. */
DYCL_API const dycl_kernel* dycl_kernel_set_table(const dycl_kernel_set* set);
/* Makes a status of an error that run() of the kernel `index` returned, and frees the error. */
DYCL_API dycl_status* dycl_kernel_failure(const dycl_kernel_set* set, size_t index, void* error);
DYCL_API void dycl_kernel_set_free(dycl_kernel_set* set);

#ifdef __cplusplus
}
#endif

#endif /* DYCL_KERNELS_H */

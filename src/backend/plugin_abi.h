/* SPDX-License-Identifier: Apache-2.0 */
/* The border between DyCL and a backend: one versioned C struct of functions.
 *
 * A backend is a shared object `libdycl_backend_<name>.so` that exports
 * `const DyclBackendApi* dycl_backend_entry(void)`. It opens its vendor library itself, by the path
 * it is given, and never unloads it. It holds no control flow: every graph it sees is
 * conditional-free. Rich, rare data (descriptions, options, inferred types) crosses as JSON text;
 * the calls of a running program cross as plain structs.
 *
 * Threads: a backend and an executable may be used by many threads at once; a call object belongs to
 * one thread. No function throws. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DYCL_BACKEND_ABI = 3, DYCL_MAX_RANK = 16 };

typedef struct DyclBackend DyclBackend;       /* one opened vendor library with its thread pool */
typedef struct DyclExecutable DyclExecutable; /* one compiled sub-DNN; immutable, shared */
typedef struct DyclCall DyclCall;             /* one thread's bound state of an executable */

/* A string owned by the plugin, whether returned as an error or written into the caller's struct;
 * free_text frees what `data` points at. An error's own struct lies in the same block as its
 * characters, so one call frees both. NULL as a returned error means success. */
typedef struct DyclText {
  char* data;
  size_t size;
} DyclText;

typedef struct DyclBytes {
  const void* data;
  size_t size;
} DyclBytes;

/* A tensor that the callee may read. dtype: ONNX TensorProto.DataType. device: DLPack's numbers.
 * A string tensor of n elements is n+1 int64 offsets followed by the characters. */
typedef struct DyclTensor {
  int32_t dtype;
  int32_t rank;
  const int64_t* dims;
  const void* data;
  size_t byte_size;
  int32_t device_kind;
  int32_t device_index;
} DyclTensor;

/* An output. The caller may offer memory (`buffer`, `capacity`, together with the exact `dtype`,
 * `rank`, `dims` it expects); then the backend writes there and leaves `owner` NULL. If no memory is
 * offered (buffer NULL), the backend provides it: it fills every field, and the caller calls
 * release(owner) when the last reader is done, from any thread. A result whose type differs from the
 * offer is handed back as backend memory (data != buffer), never written past `capacity`. */
typedef struct DyclOutput {
  void* buffer;
  size_t capacity;
  int32_t dtype;
  int32_t rank;
  int64_t dims[DYCL_MAX_RANK];
  const void* data;
  size_t byte_size;
  void* owner;
  void (*release)(void* owner);
} DyclOutput;

/* A conditional-free graph: ONNX ModelProto bytes whose large initializers are external and named in
 * `weight_names`; their contents are passed beside it and stay alive as long as the executable. */
typedef struct DyclGraph {
  DyclBytes onnx;
  const char* const* weight_names;
  const DyclTensor* weights;
  size_t weight_count;
  /* The same calls as functional ATen graphs (docs/package.md, aten.json): empty unless all of the sub-DNN
   * was born in torch. Inputs and weights are those of the ONNX graph; of its outputs, guards are left out.
   */
  DyclBytes aten;
  /* For `compile` alone, JSON: {"cache": a folder to remember results in, "jobs": how many processes may
   * compile at once}; a missing field, or NULL, leaves the choice to the plugin. */
  const char* compile_options;
} DyclGraph;

/* Why a graph must not run on a backend. An empty reason: it may. */
typedef struct DyclRefusal {
  int64_t node; /* the place in the graph's list of nodes; -1 when it is about none, or not known */
  DyclText reason;
} DyclRefusal;

typedef struct DyclBackendApi {
  uint32_t abi_version; /* DYCL_BACKEND_ABI */
  uint32_t struct_size; /* sizeof(DyclBackendApi) of the plugin */
  const char* name;

  /* What is known before the vendor library is opened, JSON:
   * {"vendor": {"library": its file name up to the version, "folder": where a wheel has it, below
   *  site-packages, "install": the command that installs it}; left out when there is none,
   *  "blob": "none" | "data" | "native": what `compile` makes. The library checks and interprets "data" when
   *  it is loaded; "native" may be machine code, which a package may carry only to those who allow it,
   *  "preference": `auto`, lists and the default take backends in this order, the smallest first; left out:
   *  the backend is taken by its name only,
   *  "reference": true for the one that infers types, computes constants and is the judge of verification;
   *  false when left out} */
  const char* traits;

  /* Every function that can fail returns NULL or an error text to be freed by free_text: a sentence, or
   * {"message": what happened, "code": the plugin's own stable code, "hint": what to do about it}. */
  void (*free_text)(DyclText* text);

  /* Opens the vendor library. options: {"library": path, "threads": n, "precision": "f32"}. */
  DyclText* (*open)(const char* options_json, DyclBackend** backend);
  void (*close)(DyclBackend* backend);

  /* {"name", "version", "library", "opset": newest ONNX opset, "ir_version": newest,
   *  "dtypes": {"f32": "yes", "f64": "refused: computed as f32", …},
   *  "notes": [sentences for people], "rewrites": ["…"], "checks": ["…"], "takes_aten": true when it compiles
   *  `aten` and never looks at `onnx`, "deterministic_blob": bool,
   *  "weight_copies": how many copies of its weights each executable keeps; 0 when left out,
   *  "compiles_apart": true when `compile` mostly waits for processes of its own: many are then asked for
   *  at once, "remembers": true when `compile` keeps its results in the cache folder itself, because it knows
   *  better what they depend on; of others DyCL keeps them by the whole graph with its weights}
   *
   * A hazard is something that the backend computes wrongly, or dies of, although the operator is fine on all
   * else. DyCL mends those that are declared before it compiles: `rewrites` by another form with the same
   * value, `checks` by an exception. src/legalize/rule_list.cpp lists the hazards that are served; any other
   * is an error of the plugin, and so is one of a backend that takes ATen graphs, because rules work on
   * ONNX's operators. */
  DyclText* (*describe)(DyclBackend* backend, DyclText* json);

  /* May this graph run here with right answers? The reason against it names operator and dtype ("Add on
   * f64: computed as f32"), the node says which one is meant. */
  DyclText* (*check)(DyclBackend* backend, const DyclGraph* graph, DyclRefusal* refusal);

  /* Output types that follow from the graph's typed inputs:
   * [{"dtype": 1, "dims": [1, "n", null]} | {"dtype": 1, "dims": null}, …]; a string is an input's
   * dim_param that is known to be equal, null a size that is not known, dims null an unknown rank. */
  DyclText* (*infer_types)(DyclBackend* backend, const DyclGraph* graph, DyclText* json);

  /* Compiles to a blob that `load` understands; an empty blob means "load the graph itself". */
  DyclText* (*compile)(DyclBackend* backend, const DyclGraph* graph, DyclText* blob);
  DyclText* (*load)(DyclBackend* backend, const DyclGraph* graph, DyclBytes blob,
                    DyclExecutable** executable);
  void (*unload)(DyclExecutable* executable);

  DyclText* (*create_call)(DyclExecutable* executable, DyclCall** call);
  void (*destroy_call)(DyclCall* call);
  DyclText* (*run)(DyclCall* call, const DyclTensor* inputs, size_t input_count, DyclOutput* outputs,
                   size_t output_count);
} DyclBackendApi;

typedef const DyclBackendApi* (*DyclBackendEntry)(void);

#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The border between DyCL and a backend: one versioned C struct of functions.
 *
 * A backend is a shared object `libdycl_backend_<name>.so` that exports
 * `const DyclBackendApi* dycl_backend_entry(void)`. It opens its vendor library itself, by the path
 * it is given, and never unloads it. It does no control flow: every graph that it gets is
 * conditional-free. Rich, rare data (descriptions, options, inferred types) is passed as JSON text;
 * the data of a running program is passed as plain structs.
 *
 * Threads: a backend and an executable may be used by many threads at once; a call object belongs to
 * one thread. No function throws. */
#pragma once

#include <dycl/tensors.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DYCL_BACKEND_ABI = 3 };

typedef struct DyclBackend DyclBackend;       /* one opened vendor library with its thread pool */
typedef struct DyclExecutable DyclExecutable; /* one compiled sub-DNN; immutable, shared */
typedef struct DyclCall DyclCall;             /* what one thread needs to run an executable */

/* A string that the plugin owns, whether it returns it as an error or writes it into the caller's struct.
 * free_text frees what `data` points at. The struct of an error lies in the same block as its
 * characters, so one call frees both. A function that returns NULL has succeeded. */
typedef struct DyclText {
  char* data;
  size_t size;
} DyclText;

typedef struct DyclBytes {
  const void* data;
  size_t size;
} DyclBytes;

/* Tensors that a graph takes and gives. */
typedef struct dycl_kernel_input DyclTensor;
typedef struct dycl_kernel_output DyclOutput;

/* A conditional-free graph: ONNX ModelProto bytes whose large initializers are external and named in
 * `weight_names`; their contents are passed beside it and stay alive as long as the executable. */
typedef struct DyclGraph {
  DyclBytes onnx;
  const char* const* weight_names;
  const DyclTensor* weights;
  size_t weight_count;
  /* The same sub-DNN as functional ATen graphs (docs/package.md, aten.json); empty unless all of it comes
   * from PyTorch. Inputs and weights are those of the ONNX graph; the outputs are those without its guards.
   */
  DyclBytes aten;
  /* JSON, which only `compile` gets: {"cache": a folder for results, "jobs": how many processes may compile
   * at once}. If a field is missing, or this is NULL, the plugin chooses. */
  const char* compile_options;
} DyclGraph;

/* Why a graph must not run on a backend. If the reason is empty, the graph may run. */
typedef struct DyclRefusal {
  int64_t node; /* the index in the graph's list of nodes; -1 if no node is meant, or if it is not known */
  DyclText reason;
} DyclRefusal;

typedef struct DyclBackendApi {
  uint32_t abi_version; /* DYCL_BACKEND_ABI */
  uint32_t struct_size; /* sizeof(DyclBackendApi) of the plugin */
  const char* name;

  /* JSON that says what DyCL must know before it opens the vendor library:
   * {"vendor": {"library": its file name up to the version, "folder": where a wheel has it, below
   *  site-packages, "install": the command that installs it}; left out if there is no vendor library,
   *  "blob": "none" | "data" | "native": what `compile` makes. The library checks and interprets "data" when
   *  it loads it; "native" may be machine code, which is loaded only if the caller allows it,
   *  "preference": `auto`, lists and the default take backends in this order, the smallest first; if it is
   *  left out, the backend must be asked for by name,
   *  "reference": true for the backend that infers types, computes constants and is the reference of
   *  verification; false if left out} */
  const char* traits;

  /* Every function that can fail returns NULL or an error text, which free_text frees: a sentence, or
   * {"message": what happened, "code": the plugin's own stable code, "hint": what to do about it}. */
  void (*free_text)(DyclText* text);

  /* Opens the vendor library. The options are {"library": path, "threads": n, "precision": "f32"}. */
  DyclText* (*open)(const char* options_json, DyclBackend** backend);
  void (*close)(DyclBackend* backend);

  /* Gives {"name", "version", "library", "opset": newest ONNX opset, "ir_version": newest,
   *  "dtypes": {"f32": "yes", "f64": "refused: computed as f32", …},
   *  "notes": [sentences for people], "rewrites": ["…"], "checks": ["…"], "takes_aten": true if it compiles
   *  `aten` and never looks at `onnx`, "deterministic_blob": bool,
   *  "weight_copies": how many copies of its weights each executable keeps; 0 if left out,
   *  "compiles_apart": true if `compile` mostly waits for worker processes, so that DyCL calls it for many
   *  sub-DNNs at once, "remembers": true if `compile` itself keeps its results in the cache folder, because
   *  it knows better what they depend on; otherwise DyCL keeps them by the whole graph with its weights}
   *
   * A hazard is something that the backend computes wrongly, or crashes on, for some values of an operator
   * that it computes rightly otherwise. DyCL removes declared hazards before it compiles: `rewrites` by
   * another form with the same value, `checks` by an exception. src/legalize/rule_list.cpp lists the hazards
   * that rules serve; any other is an error of the plugin. A backend that takes ATen graphs declares none,
   * because rules work on ONNX's operators. */
  DyclText* (*describe)(DyclBackend* backend, DyclText* json);

  /* Says whether this graph may run here with right answers. The reason against it names operator and dtype
   * ("Add on f64: computed as f32"), and the node says which operator is meant. */
  DyclText* (*check)(DyclBackend* backend, const DyclGraph* graph, DyclRefusal* refusal);

  /* Gives the output types that follow from the graph's typed inputs:
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

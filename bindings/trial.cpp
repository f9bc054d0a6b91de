// SPDX-License-Identifier: Apache-2.0
// Lowered leaf calls, run on made-up values by the reference while a model is rewritten.
#include <nanobind/stl/vector.h>

#include "errors.h"
#include "pipeline/fragment_trial.h"
#include "program.h"
#include "rewrite.h"
#include "values.h"

namespace dycl::python {
namespace {

namespace nb = nanobind;
using pipeline::FragmentTrial;

FragmentTrial open_trial(Runtime& runtime, const partial_eval::protocol::Fragment& fragment) {
  auto reader = value_or_throw(pipeline::FragmentReader::open(runtime.backends()));
  return value_or_throw(
      FragmentTrial::open(runtime.backends(), value_or_throw(read_fragment(reader, fragment))));
}

// Numpy arrays, one per output of the fragment.
nb::list run_trial(const FragmentTrial& trial, const nb::list& tensors) {
  const Fragment& fragment = trial.fragment();
  BoundInputs bound;
  for (std::size_t index = 0; index < fragment.inputs.size(); ++index)
    bound.add(tensors[index], {"x" + std::to_string(index), fragment.type_of(fragment.inputs[index])});
  std::vector<DyclTensor> views;
  for (const runtime::RuntimeValue& value : bound.values())
    views.push_back(runtime::view_of(*value.tensor()));
  nb::list results;
  for (const TensorPtr& result : value_or_throw(trial.run(views)))
    results.append(to_python(value_or_throw(runtime::RuntimeTensor::share(result))));
  return results;
}

}  // namespace

void init_trial(nb::module_& module) {
  nb::class_<FragmentTrial>(module, "FragmentTrial")
      .def(nb::new_(&open_trial), nb::arg("runtime"), nb::arg("fragment"))
      .def("run", &run_trial, nb::arg("tensors"));
}

}  // namespace dycl::python

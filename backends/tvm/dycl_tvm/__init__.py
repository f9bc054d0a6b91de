# SPDX-License-Identifier: Apache-2.0
"""The compile side of the backend `tvm`: from a sub-DNN's ONNX graph to a shared library. Runs in a worker
process of the plugin (backends/tvm), never in the user's process."""

from dycl_tvm import runtime as runtime  # before anything imports tvm

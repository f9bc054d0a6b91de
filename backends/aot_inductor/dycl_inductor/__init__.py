# SPDX-License-Identifier: Apache-2.0
"""The compiling side of the backend aot_inductor: one ATen payload in, one shared library out.

Runs as a worker process of the plugin (`python -m dycl_inductor`, see dycl_worker); nothing here is needed to
run a compiled program.
"""

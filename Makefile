# SPDX-License-Identifier: Apache-2.0
# Every target does its own set-up; `make help` lists them. The work is in scripts/.
.DEFAULT_GOAL := help
.PHONY: help build test test-sanitize test-all demo bench zoo fuzz format lint tidy clean

help:  ## list the targets
	@grep -E '^[a-z-]+: .*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | expand -t 16

build:  ## build the Python package into .venv and the command build/release/dycl
	@scripts/build.sh

test:  ## build once, run all quick tests and lint
	@scripts/test.sh

test-sanitize:  ## run C++ tests under asan+ubsan and tsan, fuzz for a short time
	@scripts/test_sanitize.sh

test-all:  ## run all suites and compare them with tests/floors.toml
	@scripts/test.sh --all

demo: build  ## compile, show, verify and time three dynamic models (two of PyTorch, one of ONNX)
	@.venv/bin/python examples/demo/pytorch/demo.py
	@.venv/bin/python examples/demo/onnx/demo.py

bench:  ## measure dispatch cost, a single sub-DNN beside the backend alone, compile time, emitted programs
	@scripts/build.sh --tests
	@.venv/bin/python benchmarks/run.py $(ARGS)
	@.venv/bin/python benchmarks/emitted.py

zoo: build  ## measure every model of the zoo on every installed backend, and write docs/zoo.md
	@.venv/bin/python -m pip install -q --disable-pip-version-check --no-deps -r scripts/requirements-zoo.txt
	@.venv/bin/python -m zoo table --docs docs/zoo.md --plot docs/zoo.svg --json build/zoo.json $(ARGS)

fuzz: build  ## fuzz every reader (SECONDS_EACH=600), compile random models (PROGRAMS=3000 from SEED=0)
	@scripts/fuzz.sh $(or $(SECONDS_EACH),600)
	@PYTHONPATH=tests .venv/bin/python -m python.torch.random_programs --first $(or $(SEED),0) \
	  --programs $(or $(PROGRAMS),3000) --seconds $(or $(PROGRAM_SECONDS),7200) --jobs $$(nproc)

format:  ## format C++ and Python
	@scripts/lint.sh --fix

lint:  ## check formatting, types, layers, sizes, licence lines
	@scripts/lint.sh

tidy:  ## run clang-tidy on the files changed since BASE (default: HEAD~1)
	@scripts/tidy.sh $(BASE)

clean:  ## remove build/ and .venv
	rm -rf build .venv

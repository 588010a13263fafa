# The commands of the house. Each recipe is one script of scripts/, which says at its top what it does.

.PHONY: help demo demo-ir demo-autograd demo-cpp test test-all test-dist test-long bench docs lint stubs clean
.DEFAULT_GOAL := help

# make demo LOCK=path: the lock file to explore; the project's own unless told
LOCK ?=
# make demo-autograd FOLDER=path: where pictures and weights go
FOLDER ?=
# make test ARGS="rust python@3.14t": only these parts; ARGS="-k word": only tests with such names
ARGS ?=

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 22

demo: ## build everything needed and run examples/lockgraph on a Cargo.lock (LOCK=path)
	@scripts/py scripts/demo.py "$(LOCK)"

demo-ir: ## build pairbond_ir and run examples/stablehlo on a module that JAX made; draws its data flow
	@scripts/py scripts/demo.py --ir

demo-autograd: ## build pairbond_autograd and train examples/digits on handwritten digits (FOLDER=path for its pictures)
	@scripts/py scripts/demo_autograd.py "$(FOLDER)"

demo-cpp: ## build pairbond and a binding of pugixml (C++, needs libpugixml-dev), and walk, edit and drop documents
	@scripts/py scripts/demo.py --cpp

test: ## what a change is judged by: checks, Rust tests, Python tests on one interpreter (ARGS="-k word")
	@scripts/py scripts/test.py $(ARGS)

test-all: ## the same on every CPython found, the tests that take seconds each, loom, embedding, the site (ARGS="python@3.14t" for some parts)
	@scripts/py scripts/test.py --all $(ARGS)

test-dist: ## the published packages, also with packages of others: packages, the release build, PyO3, candle, modules built apart, platforms, other processes
	@scripts/py scripts/test.py --dist $(ARGS)

test-long: ## Miri, ThreadSanitizer (core, C++ and Python), exits, sessions, forks, long random runs, aarch64, MLIR and PyTorch beside ours, fuzzing (LONG_BUDGET=minutes, ARGS="miri" for some parts)
	@scripts/py scripts/test_long.py $(ARGS)

bench: ## compare with peers and print the ratios
	@scripts/bench.sh $(ARGS)

docs: ## build the documentation site from docs/ into target/site (ARGS=--serve to see it while editing)
	@scripts/py scripts/docs.py $(ARGS)

lint: ## formatting and lints of Rust, Python and workflows
	@scripts/py scripts/lint.py

stubs: ## write the type stubs that are committed again
	@scripts/py scripts/check_types.py --write

clean: ## remove what was built, environments included
	@scripts/clean.sh

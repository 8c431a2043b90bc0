# Everything a contributor or a new user runs. Needs Python 3.11 or later, and git.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SHARE ?= 1
PARTS ?=
SESSION ?= compat

# Where it is set, every process of the tests would compile the whole package anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test coverage test-all test-slow test-model test-browser lint torture compat bench notebooks docs ci clean

help: ## Show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

# pip would compile on one core; some packages hold files that no Python compiles.
define install
$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e '.[$(1)]'
@$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
endef

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "thoughtgraph needs Python 3.11 or later; try: make PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: pyproject.toml | $(BIN)/python
	$(call install,local)
	@touch $@

$(VENV)/test.stamp: pyproject.toml | $(BIN)/python
	$(call install,test)
	@touch $@

$(VENV)/dev.stamp: pyproject.toml | $(BIN)/python
	$(call install,dev)
	@touch $(VENV)/demo.stamp $(VENV)/test.stamp $@

demo: $(VENV)/demo.stamp ## Set up, fetch the embedded model, solve real tasks with it, show and save the runs
	@# Exit code 1 says that a task was not solved, which a small model may well do; the demo has still shown its run.
	$(BIN)/thoughtgraph solve --dataset benchmarks/solving/demo.jsonl --save runs/demo-$$(date +%Y%m%d-%H%M%S) || [ $$? -eq 1 ]

test: $(VENV)/test.stamp ## Set up and run the tests
	$(BIN)/python -m pytest -n 2 -m "not model and not browser and not slow" --disable-socket --allow-unix-socket

test-all: test test-slow test-browser test-model notebooks ## Run everything: also crashes, long fuzzing, a browser, the embedded model

coverage: $(VENV)/dev.stamp ## Run the tests with branch coverage, which has a floor
	$(BIN)/python -m pytest -n 2 -m "not model and not browser" --disable-socket --allow-unix-socket --cov --cov-report=term

test-slow: $(VENV)/dev.stamp ## Run the tests of crashes, hostile programs, whole applications, load and long fuzzing
	@# To collect all tests would take half a minute. Many of these wait: for limits, locks and other processes.
	$(BIN)/python -m pytest -n 3 -m "slow and not model and not browser" --disable-socket --allow-unix-socket $$(grep -rl --include='*.py' 'mark\.slow' tests)

test-model: $(VENV)/dev.stamp ## Run the tests that need the embedded model
	$(BIN)/python -m pytest -m model $$(grep -rl --include='*.py' 'mark\.model' tests)

test-browser: $(VENV)/dev.stamp ## Run the tests of pages in headless Chromium, which has to be installed
	$(BIN)/python -m pytest -m browser $$(grep -rl --include='*.py' 'mark\.browser' tests)

lint: $(VENV)/dev.stamp ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@# Type checkers do not follow setuptools' import hook, and the clone's folder may have any name.
	@mkdir -p $(VENV)/link && ln -sfn $(CURDIR) $(VENV)/link/thoughtgraph
	$(BIN)/pyright --pythonpath $(BIN)/python

notebooks: $(VENV)/dev.stamp ## Run every notebook from top to bottom
	@# The notebooks have no network: the weights have to be there.
	$(BIN)/thoughtgraph model pull qwen2.5-coder-0.5b
	$(BIN)/python notebooks/run.py

docs: $(VENV)/dev.stamp ## Build the documentation into docs/_build/html
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@# Readable offline: nothing is loaded from another host.
	@! grep -rlE '<(script|link|img|iframe)[^>]*(src|href)="(https?:)?//' docs/_build/html --include='*.html'

torture: $(VENV)/dev.stamp ## Try to break it: crashes, bad models, hostile programs, load, …; SHARE=0.1 PARTS=… tries less
	$(BIN)/python benchmarks/torture/run.py --share $(SHARE) $(PARTS)

compat: $(VENV)/dev.stamp ## Run a part of the tests on every Python, with the lowest and the latest versions of what is needed
	$(BIN)/nox -f tests/noxfile.py -s '$(SESSION)'

bench: $(VENV)/dev.stamp ## Measure parsers, sandbox, import and engine; those with a model take longer, see docs/benchmarks.md
	$(BIN)/python benchmarks/parsing.py
	$(BIN)/python benchmarks/sandbox.py
	$(BIN)/python benchmarks/importing.py
	$(BIN)/python benchmarks/engine/run.py --quick

ci: ## What CI runs
	bash .ci/run

clean: ## Remove what was set up
	rm -rf $(VENV) .nox .pytest_cache .ruff_cache .coverage build dist *.egg-info

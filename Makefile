# Two commands are enough for a newcomer: make run, make test.
# Every target makes and reuses its own environment with plain pip.

PYTHON ?= python3
VENV := .venv
BENCH_VENV := .venv-bench
AUTOML_VENV := .venv-automl
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
CORES := $(shell $(PYTHON) -c "import os; print(len(os.sched_getaffinity(0)))" 2>/dev/null || echo 2)
LOOPS := CMakeLists.txt pyproject.toml \
	$(wildcard src/corollary/loops/*.[ch]pp src/corollary/loops/*/*.hpp)

.PHONY: run test test-slow fuzz bench bench-automl lint docs sanitize clean

run: $(VENV)/.installed
	@$(BIN)/corollary demo

test: $(VENV)/.test
	@$(BIN)/python -m pytest -n $(CORES) -m "not slow"

test-slow: $(VENV)/.test
	@$(BIN)/python -m pytest -n $(CORES) -m slow

fuzz: $(VENV)/.test
	@$(BIN)/python -m pytest -n $(CORES) -m "hypothesis and not slow" \
		--hypothesis-profile=search

bench: $(BENCH_VENV)/.installed
	@$(BENCH_VENV)/bin/python benchmarks/run.py $(JOB)

bench-automl: $(BENCH_VENV)/.installed $(AUTOML_VENV)/.installed
	@PEERS=$(AUTOML_VENV)/bin/python $(BENCH_VENV)/bin/python benchmarks/workbench.py $(SETS)
	@$(BENCH_VENV)/bin/python benchmarks/planted_faults.py --seed 21 --skore

lint: $(VENV)/.lint
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/clang-format --dry-run --Werror \
		$$(find src/corollary/loops tests/loops -name '*.cpp' -o -name '*.hpp')

docs: $(VENV)/.docs
	@rm -rf docs/api  # pages of names that have gone would stay
	@$(BIN)/python tools/course.py docs/course.md > /dev/null
	@$(BIN)/python -m sphinx -q -W -b html docs docs/_build/html
	@echo "docs: open docs/_build/html/index.html"

sanitize: $(VENV)/.test
	@bash tests/loops/sanitize.sh $(BIN)/python

clean:
	rm -rf $(VENV) $(BENCH_VENV) $(AUTOML_VENV) build docs/_build

$(VENV)/bin/python:
	@echo "corollary: making the environment $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python $(LOOPS)
	@echo "corollary: installing and compiling the loops (two or three minutes, once)"
	@$(PIP) install -e .
	@touch $@

$(VENV)/.test $(VENV)/.lint $(VENV)/.docs: $(VENV)/.%: $(VENV)/.installed
	@echo "corollary: installing what 'make $*' needs (a minute, once)"
	@$(PIP) install "corollary[$*]"
	@touch $@

$(BENCH_VENV)/.installed: $(LOOPS) benchmarks/requirements.txt
	@echo "corollary: making $(BENCH_VENV) with the peers (some minutes, once)"
	@$(PYTHON) -m venv $(BENCH_VENV)
	@$(BENCH_VENV)/bin/python -m pip --disable-pip-version-check -q install -e . \
		-r benchmarks/requirements.txt
	@touch $@

$(AUTOML_VENV)/.installed: benchmarks/requirements-automl.txt
	@echo "corollary: making $(AUTOML_VENV) with FLAML and AutoGluon (some minutes, once)"
	@$(PYTHON) -m venv $(AUTOML_VENV)
	@$(AUTOML_VENV)/bin/python -m pip --disable-pip-version-check -q install \
		-r benchmarks/requirements-automl.txt
	@touch $@

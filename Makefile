# make demo: watch a small model get better at a checked task. make test: everything that CI runs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
THREADS := OMP_NUM_THREADS=1

.PHONY: demo test check smollm2 clean

demo: $(VENV)/installed
	$(BIN)/rlenv demo --out runs/demo

test: check
	$(THREADS) $(BIN)/python -m pytest

check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

smollm2: $(VENV)/installed
	$(BIN)/rlenv smollm2 --out models/smollm2-135m

# torch comes first and pinned, so that no other package draws in another build of it.
$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt torch setuptools
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV)

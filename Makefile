# Every target makes its own environment: a machine needs python3, make and git, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-all lint bench clean

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/python -m compileall -q astedit resolve
	touch $(READY)

demo: $(READY)
	@$(BIN)/python fixtures/demo/run.py

test: $(READY)
	$(BIN)/python -m pytest -q -n 2 --dist worksteal

test-all: $(READY)
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m 'slow or not slow'

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

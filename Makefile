# Every target makes its own environment: a machine needs python3, make and git, nothing else.
# `make test PYTHON=python3.13` takes another interpreter, and gives it an environment of its own.
PYTHON ?= python3
VENV := $(patsubst .venv-3,.venv,.venv-$(patsubst python%,%,$(notdir $(PYTHON))))
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready

.PHONY: demo test test-all lint wheel bench pictures docs release clean agents vsix

# What the project needs to run, and no more: the demo waits for nothing that only tests use,
# nor for bytecode that nobody imports.
$(INSTALLED): pyproject.toml
	.ci/install $(PYTHON) $(VENV) .
	touch $(INSTALLED)

$(READY): $(INSTALLED)
	.ci/install $(PYTHON) $(VENV) '.[dev]'
	touch $(READY)

demo: $(INSTALLED)
	@$(BIN)/python fixtures/demo/run.py

# Compiling the tests anew is two thirds of collecting them, in each process. There is one more
# than cores are: while two wait for what they started, or for a time to pass, it works.
test test-all: export PYTHONDONTWRITEBYTECODE =

test: $(READY)
	$(BIN)/python -m pytest -q -n 3 --dist worksteal

test-all: $(READY)
	$(BIN)/python -m pytest -q -n 3 --dist worksteal -m 'slow or not slow'

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

wheel: $(READY)
	$(BIN)/python .ci/try_wheel.py

agents: $(READY)
	$(BIN)/python -m tests.support.agent_files

pictures: $(READY)
	$(BIN)/python docs/pictures/make.py

# The pages as a site, in build/site; a link that leads nowhere ends it.
docs: $(READY)
	$(BIN)/python -m sphinx -q -W --keep-going -n -d build/doctrees -c docs/site . build/site
	cp build/site/README.html build/site/index.html

# The tools of a release have an environment of their own: no test needs them.
release:
	"$$(.ci/find-python $(PYTHON))" -m venv .venv-release
	.venv-release/bin/python -m pip install -q --disable-pip-version-check \
		'build>=1.2' 'cyclonedx-bom>=7' 'twine>=7' 'uv>=0.13'
	.venv-release/bin/python .ci/release.py

bench: $(READY)
	$(BIN)/python -m benchmarks

vsix:
	cd editors/vscode && npm install --no-audit --no-fund && npx vsce package --allow-missing-repository

clean:
	rm -rf .venv .venv-* .mypy_cache .ruff_cache .pytest_cache .hypothesis

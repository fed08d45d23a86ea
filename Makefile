# Two commands are enough on a machine with Python 3.11 and make: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint docs bench audit clean

demo: .venv/ready
	$(BIN)/headcount demo

# Bytecode is kept, whatever the shell says: hundreds of processes import the package.
test: lint
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses auto --dist worksteal

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: .venv/ready
	$(BIN)/mkdocs build --strict

# Longer than a test run: the figures in docs/evidence.md come from these, and from the two below.
bench: .venv/ready
	$(BIN)/pip install --quiet --editable '.[bench]'
	$(BIN)/python -m benchmarks.noise
	$(BIN)/python -m benchmarks.ledger
	$(BIN)/python -m benchmarks.histogram
	$(BIN)/python -m benchmarks.error
	$(BIN)/python -m benchmarks.weighted
	$(BIN)/python -m benchmarks.choice
	$(BIN)/python -m benchmarks.race
	$(BIN)/python -m benchmarks.found
	$(BIN)/python -m benchmarks.suited
	$(BIN)/python -m benchmarks.sampling
	$(BIN)/python -m benchmarks.federated
	$(BIN)/python -m benchmarks.quantiles
	$(BIN)/python -m benchmarks.shape
	$(BIN)/python -m benchmarks.distribution
	$(BIN)/python -m benchmarks.stream
	$(BIN)/python -m benchmarks.shuffle

# headcount beside OpenDP and SmartNoise-SQL: an hour or more. They need other versions, so environments of their own.
.PHONY: peers
peers: .venv/ready .venv-opendp/ready .venv-smartnoise/ready
	$(BIN)/python -m benchmarks.peers

.venv-opendp/ready:
	$(PYTHON) -m venv .venv-opendp
	.venv-opendp/bin/pip install --quiet 'opendp[polars]==0.16.0'
	touch $@

.venv-smartnoise/ready:
	$(PYTHON) -m venv .venv-smartnoise
	.venv-smartnoise/bin/pip install --quiet smartnoise-sql==1.0.10 pyarrow
	touch $@

audit: .venv/ready
	$(BIN)/headcount audit --runs 100000 --kills 1000

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv site .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Two commands are enough on a machine with Python 3.11 and make: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-all lint docs bench bench-full bench-tpch evidence reproduce peers audit clean

demo: .venv/ready
	$(BIN)/headcount demo

# Bytecode is kept, whatever the shell says: hundreds of processes import the package.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses auto --dist worksteal

# The quick tier, as CI runs it: fewer seeds, runs and examples, and a sample of Spark and of the planted bugs.
test: lint
	$(PYTEST)

# Everything at full effort: about an hour on two processors.
test-all: lint
	$(PYTEST) --all

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Reference pages and shown outputs anew, then the site, into site/.
docs: .venv/ready
	$(BIN)/python -m tests.docs.update
	$(BIN)/mkdocs build --strict

# Time and memory beside the plain query, into docs/scaling.md: under 10 minutes, installing included.
bench: .venv/ready
	$(BIN)/python -m benchmarks.scale

# The same with 100 million events, on Spark, and beside all peers: hours.
bench-full: .venv/ready
	$(BIN)/python -m benchmarks.scale --full

# Sums, means and medians per group on TPC-H, whose data are made first, and sums by two peers: an hour.
bench-tpch: .venv/ready .venv-opendp/ready .venv-smartnoise/ready
	$(BIN)/pip install --quiet --editable '.[tpch]'
	$(BIN)/python -m benchmarks.tpch

# Hours: the figures in docs/evidence.md come from these, and from the two below.
evidence: .venv/ready .venv-opendp/ready
	$(BIN)/pip install --quiet --editable '.[bench]'
	$(BIN)/python -m benchmarks.noise
	$(BIN)/python -m benchmarks.ledger
	$(BIN)/python -m benchmarks.error
	$(BIN)/python -m benchmarks.weighted
	$(BIN)/python -m benchmarks.choice
	$(BIN)/python -m benchmarks.default_time
	$(BIN)/python -m benchmarks.race
	$(BIN)/python -m benchmarks.found
	$(BIN)/python -m benchmarks.missing_mass
	$(BIN)/python -m benchmarks.peers.hindsight
	$(BIN)/python -m benchmarks.suited
	$(BIN)/python -m benchmarks.sampling
	$(BIN)/python -m benchmarks.federated
	$(BIN)/python -m benchmarks.quantiles
	$(BIN)/python -m benchmarks.shape
	$(BIN)/python -m benchmarks.distribution
	$(BIN)/python -m benchmarks.stream
	$(BIN)/python -m benchmarks.shuffle
	$(BIN)/python -m benchmarks.coverage_jobs

# A paper's experiment, run again: make reproduce NAME=bounding-table1 (add MORE="--quick" for a small version).
reproduce: .venv/ready
	$(BIN)/python -m experiments $(NAME) $(MORE)

# headcount beside OpenDP and SmartNoise-SQL: an hour or more. They need other versions, so environments of their own.
peers: .venv/ready .venv-opendp/ready .venv-smartnoise/ready
	$(BIN)/python -m benchmarks.peers
	$(BIN)/python -m benchmarks.peers.hindsight

.venv-%/ready: | .venv/ready
	$(BIN)/python -m benchmarks.peers.environments $*

audit: .venv/ready
	$(BIN)/headcount audit --runs 100000 --kills 1000

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv site .mypy_cache .ruff_cache .pytest_cache .hypothesis

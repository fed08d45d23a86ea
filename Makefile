# Two commands are enough on a machine with Python 3.11 and make: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-changed test-all test-long test-night matrix lint docs bench bench-quick bench-full bench-tpch evidence evidence-quick reproduce peers sanitize audit clean

demo: .venv/ready
	$(BIN)/headcount demo

# Bytecode is kept, whatever the shell says: hundreds of processes import the package.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses auto --dist worksteal

# Five minutes on two processors: the cases of test-all that cost least, and at least one of each file.
test: lint
	$(PYTEST) $(MORE)

# What depends on files that changed since a commit: make test-changed SINCE=main, by default the last commit.
test-changed: lint
	$(BIN)/python -m tests.changed $(or $(SINCE),HEAD) --numprocesses auto --dist worksteal

# The full tier, as CI runs it, some 20 minutes on two processors: fewer seeds, runs and examples, a sample of Spark and of planted bugs.
test-all: lint
	$(PYTEST) --all $(MORE)

# The tests a case of which takes over five seconds: four minutes, before a branch is merged.
test-long: lint
	$(PYTEST) --long

# Every case at full effort, and all planted bugs: hours on two processors.
test-night: lint
	$(PYTEST) --night

# The lowest and the newest versions of everything, on every Python that is here: half an hour, and gigabytes to load.
matrix: .venv/ready
	$(BIN)/pip install --quiet --editable '.[matrix]'
	$(BIN)/python -m tests.matrix $(MORE)

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Reference pages and shown outputs anew, then the site, into site/.
docs: .venv/ready
	$(BIN)/python -m tests.docs.update
	$(BIN)/mkdocs build --strict

# Time and memory beside the plain query, printed: 1 and 10 million events, and the real tables if they are there.
bench: .venv/ready
	$(BIN)/python -m benchmarks.scale

# Half a minute: the default beside DuckDB and Polars, and beside what was recorded; fails if it costs a quarter more CPU.
bench-quick: .venv/ready
	$(BIN)/python -m benchmarks.gate $(MORE)

# The same with 100 million events, on Spark, and beside all peers: hours.
bench-full: .venv/ready
	$(BIN)/python -m benchmarks.scale --full

# Sums, means and medians per group on TPC-H, whose data are made first, and sums by two peers: an hour.
bench-tpch: .venv/ready .venv-opendp/ready .venv-smartnoise/ready
	$(BIN)/pip install --quiet --editable '.[tpch]'
	$(BIN)/python -m benchmarks.tpch

# The figures of README.md and the front page, into docs/evidence and these pages: within an hour on two cores.
evidence-quick: .venv/ready
	$(BIN)/python -m benchmarks.evidence run --quick

# All figures: a night on two cores (nohup make evidence &). What is not stale is not measured again,
# so it may be interrupted; one that fails does not stop the others. `python -m benchmarks.evidence list` shows progress.
evidence: .venv/ready
	-$(BIN)/pip install --quiet --editable '.[bench,tpch]'
	-$(BIN)/python -m benchmarks.peers.environments opendp smartnoise diffprivlib
	$(BIN)/python -m benchmarks.evidence run

# A paper's experiment, run again: make reproduce NAME=bounding-table1 (add MORE="--quick" for a small version).
reproduce: .venv/ready
	$(BIN)/python -m experiments $(NAME) $(MORE)

# OpenDP and SmartNoise-SQL, into docs/evidence: two hours. They need other versions, so environments of their own.
peers: .venv/ready .venv-opendp/ready .venv-smartnoise/ready
	$(BIN)/python -m benchmarks.evidence run peers hindsight comparison

.venv-%/ready: | .venv/ready
	$(BIN)/python -m benchmarks.peers.environments $*

# The compiled kernels under the address and undefined-behaviour sanitizers of GCC.
sanitize: .venv/ready
	CC="gcc -g -fsanitize=address,undefined -fno-sanitize-recover=all" ASAN_OPTIONS=detect_leaks=0 \
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	$(BIN)/python -m pytest tests/source/test_kernels.py --night

# Every mechanism, attacked with 100,000 runs and enumerated on tiny data; kills of the ledger, stops of a release.
audit: .venv/ready
	$(BIN)/python -m audits --runs 100000 --kills 1000

.venv/ready: pyproject.toml hatch_build.py src/headcount/source/kernels/kernels.c
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv site .mypy_cache .ruff_cache .pytest_cache .hypothesis

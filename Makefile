# Each target sets up .venv by itself, once. The plain commands behind them stand in README.md.

PYTHON ?= python3
RUN := .venv/bin/python

.PHONY: site measure test test-all bench check serve zensical book lint clean

site: .venv/.ready
	@$(RUN) scripts/build.py

test: .venv/.tests
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy
	@$(RUN) -m pytest

# What `make test` leaves out: long draws, access to every page in both schemes, every mutant.
test-all: .venv/.tests
	@$(RUN) -m pytest -m thorough
	@$(RUN) tests/mutants.py --all

bench: .venv/.tests
	@$(RUN) -m tests.bench

check: .venv/.ready
	@$(RUN) scripts/build.py --check

measure: .venv/.measures
	@$(RUN) scripts/build.py --measure

serve: .venv/.ready
	@$(RUN) scripts/build.py --no-site
	@PYTHONPATH=. $(RUN) -m scripts.site.preview

zensical: site .venv/.zensical
	@PYTHONPATH=. $(RUN) -m scripts.site.zensical .cache/zensical-venv/bin/zensical

book: site .venv/.prints
	@$(RUN) scripts/book.py

lint: .venv/.tests
	@$(RUN) -m ruff check --fix .
	@$(RUN) -m ruff format .
	@$(RUN) -m mypy

clean:
	rm -rf .venv .cache site

# What a target needs beyond the site: measuring takes torch, printing a browser, testing both and more.
.venv/.tests: .venv/.ready
	$(RUN) -m pip install --quiet --constraint constraints.txt --editable ".[test]"
	@touch $@

.venv/.measures: .venv/.ready
	$(RUN) -m pip install --quiet --constraint constraints.txt --editable ".[measure]"
	@touch $@

.venv/.prints: .venv/.ready
	$(RUN) -m pip install --quiet --constraint constraints.txt --editable ".[book]"
	@touch $@

.venv/.zensical: .venv/.ready
	$(PYTHON) -m venv .cache/zensical-venv
	.cache/zensical-venv/bin/pip install --quiet zensical==0.0.70
	@touch $@

.venv/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(RUN) -m pip install --quiet --constraint constraints.txt --editable .
	@touch $@

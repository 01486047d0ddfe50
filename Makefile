# Each target sets up .venv by itself, once. The plain commands behind them stand in README.md.

PYTHON ?= python3
RUN := .venv/bin/python

.PHONY: site test check serve book lint mutants clean

site: .venv/.ready
	@$(RUN) scripts/build.py

test: .venv/.ready
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy
	@$(RUN) -m pytest -m "not speed"
	@$(RUN) -m pytest -m speed -n 0 tests/browser

check: .venv/.ready
	@$(RUN) scripts/build.py --check

serve: .venv/.ready
	@$(RUN) scripts/build.py --no-site
	@PYTHONPATH=. $(RUN) -m mkdocs serve --livereload

book: site
	@$(RUN) scripts/book.py

lint: .venv/.ready
	@$(RUN) -m ruff check --fix .
	@$(RUN) -m ruff format .
	@$(RUN) -m mypy

mutants: .venv/.ready
	@$(RUN) tests/mutants.py --all

clean:
	rm -rf .venv .cache site

.venv/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(RUN) -m pip install --quiet --constraint constraints.txt --editable ".[test]"
	@touch $@

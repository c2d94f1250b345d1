# Each target sets up what it needs in .venv; PYTHON chooses the interpreter (3.10 or newer).
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip --disable-pip-version-check --no-input install -qq --root-user-action=ignore
WORKERS ?= 2

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test check bench clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile

demo: $(VENV)/.runtime  ## make a healthy and a broken run in two formats, and diagnose both
	@$(RUN) -m rl_diag_plugin.demo build/demo

test: $(VENV)/.dev  ## all tests
	$(RUN) -m pytest -q -n $(WORKERS) --dist loadgroup $(ARGS)

check: $(VENV)/.dev  ## lint, format, types, generated files
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(RUN) scripts/check_generated.py

bench: $(VENV)/.dev  ## time what has a budget
	$(RUN) -m benchmarks

clean:  ## everything that the targets made
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.runtime: pyproject.toml
	@echo "setting up $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) -e .
	@touch $@

$(VENV)/.dev: pyproject.toml
	@echo "setting up $(VENV) with the development tools"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) -e '.[tensorboard,dev]'  # tensorboard is what event files are compared with
	@touch $(VENV)/.runtime $@

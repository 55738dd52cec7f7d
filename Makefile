# make demo      install into .venv, run lesson 06 and show its result
# make test      install into .venv, run the tests
# make slow      the tests too that take minutes
# make lessons   every row of every lesson; TEST=fast the quick ones
# make bench     measure the tools and the simulator
# make lint      ruff and mypy
# make clean     remove what lessons and tests left; .venv stays

PYTHON ?= python3
SHELL := /bin/bash
VENV := $(CURDIR)/.venv
export PATH := $(VENV)/bin:$(PATH)
unexport SYSROOT

.PHONY: install demo test slow lessons bench lint clean
install: $(VENV)/installed

# Modules of the simulator may be compiled, so a change of theirs installs again.
$(VENV)/installed: pyproject.toml setup.py $(wildcard simfabric/mesh/*.py simfabric/mesh/*.pxd)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed; give one with: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "Python's venv module is missing; on Debian and Ubuntu: sudo apt install python3-venv" >&2; exit 1; }
	@echo "Installing into .venv; this takes a minute or two."
	@python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@python -c 'from simfabric.mesh import COMPILED; print("Installed; the simulator is", "compiled." if \
	  COMPILED else "not compiled, so it is slower: there was no working C compiler.")'
	@touch $@

demo: install
	@$(MAKE) --no-print-directory -C tutorial/06-heat check TEST=16x16
	@cat tutorial/06-heat/test-16x16/heat.txt && tail -n 2 tutorial/06-heat/test-16x16/bench-sim.log

test: install
	python -m pytest -n auto

slow: install
	python -m pytest -n auto --slow

lessons: install
	@$(MAKE) --no-print-directory -C tutorial check

bench: install
	python -m benchmarks

lint: install
	ruff check
	mypy

clean:
	@if [[ -e $(VENV)/installed ]]; then $(MAKE) --no-print-directory -C tutorial cleanup; fi
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Every target sets itself up in .venv and is quick the second time. `make` alone lists the targets.
SHELL := /bin/sh
BIN   := .venv/bin

.PHONY: help setup play test check docs pictures bench vm clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1|/p' Makefile | column -t -s '|'

setup: ## everything a developer needs, in .venv
	@.ci/environment dev

play:  ## play a unit in the browser: make play UNIT=triple-play ARGS="--port 8100"
	@.ci/environment panel
	@$(BIN)/pilelight play $(UNIT) $(ARGS)

check: setup  ## style and types
	@$(BIN)/ruff check .
	@$(BIN)/mypy

test: check  ## style, types, all tests, and that they reach 97 % of the branches of firmware
ifdef ARGS
	@$(BIN)/python -m pytest $(ARGS)
else
	@rm -f .coverage .coverage.*
	@$(BIN)/coverage run -m pytest -q -n auto tests/unit tests/property
	@$(BIN)/coverage combine -q
	@$(BIN)/coverage report
	@$(BIN)/python -m pytest -q -n auto tests/conformance tests/contract
	@$(BIN)/python -m pytest -q tests/browser
endif

docs: setup  ## what is drawn or listed from code and tests: charts, wiring sheets, traceability
	@$(BIN)/pilelight charts
	@$(BIN)/pilelight wiring sheets
	@$(BIN)/python tests/traceability.py

pictures: setup ## the pictures of the page for the docs, in chromium
	@$(BIN)/python -m tests.browser.pictures

bench: setup  ## the speed and size budgets, measured: make bench ARGS=--json
	@$(BIN)/python tests/budgets.py $(ARGS)

vm: setup  ## the service on Debian's kernel in a virtual machine (root, minutes): lines, watchdog, kills, power cuts
	@$(BIN)/python -m pytest -s -m vm -n 2 --dist loadscope tests/vm $(ARGS)

clean: ## remove everything that make made
	@rm -rf .venv build dist .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find firmware hal wiring tests docs -name __pycache__ -type d -prune -exec rm -rf {} +

# The one door to everything: `make talk`, `make serve`, `make test`. Each sets up what is missing.
SHELL := /bin/bash
PROMPT ?= Why is the sky blue? Answer in three sentences.
RUN := .venv/bin
MEMBERS := pyproject.toml $(wildcard libs/*/pyproject.toml services/*/pyproject.toml bench/pyproject.toml)
CODE := libs services bench tests

.PHONY: help setup models talk serve lint format types unit slow test test-all clean
.DEFAULT_GOAL := help

help:  ## what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: .venv/.synced  ## the environment with all members

.venv/.synced: $(MEMBERS) tools/uv
	@tools/uv sync --all-packages
	@touch $@

models: setup  ## the weights and voices, into the user's cache
	@$(RUN)/firstword models fetch

talk: models  ## ask the agent and hear it: make talk PROMPT="..."
	@$(RUN)/firstword talk "$(PROMPT)"

serve: models  ## speech server, agent and page: http://127.0.0.1:8000
	@$(RUN)/firstword serve

lint: setup  ## style and names
	@$(RUN)/ruff check $(CODE)
	@$(RUN)/ruff format --check $(CODE)

format: setup  ## mend what can be mended
	@$(RUN)/ruff check --fix $(CODE)
	@$(RUN)/ruff format $(CODE)

types: setup  ## mypy, strict
	@$(RUN)/mypy libs/*/src services/*/src bench/src

unit: setup  ## what needs neither weights nor a browser
	@$(RUN)/pytest -n auto -m "not model and not e2e and not browser"

slow: models  ## real weights, real processes, real browser
	@$(RUN)/pytest -m "model or e2e or browser"

test: lint types unit slow  ## all of it

test-all: test  ## and what needs a Docker engine or the Pulumi CLI

clean:  ## remove the environment (the cached weights stay)
	rm -rf .venv .tools uv.lock test-results

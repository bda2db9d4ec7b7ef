# The one door to everything: `make talk`, `make serve`, `make test`. Each sets up what is missing.
SHELL := /bin/bash
PROMPT ?= Why is the sky blue? Answer in three sentences.
RUN := .venv/bin
MEMBERS := pyproject.toml $(wildcard libs/*/pyproject.toml services/*/pyproject.toml bench/pyproject.toml infra/pyproject.toml)
CODE := libs services bench infra tests

.PHONY: help setup models talk serve lint format types unit slow test test-all clean more gpu audit exports images image-gpu docker-tests pulumi-tests
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
	@$(RUN)/mypy libs/*/src services/*/src bench/src infra/src

unit: setup  ## what needs neither weights nor a browser
	@$(RUN)/pytest -n auto -m "not model and not e2e and not browser and not docker and not pulumi and not gpu and not static"

slow: models  ## real weights, real processes, real browser
	@$(RUN)/pytest -m "(model or e2e or browser or static) and not docker and not pulumi and not gpu"

test: lint types unit slow  ## all of it

test-all: test more  ## and what needs torch, a Docker engine or the Pulumi CLI

more: gpu docker-tests pulumi-tests

gpu: .venv-gpu/.synced models  ## the torch engine's types and tests, in an environment of 6 GB; no card needed
	@.venv-gpu/bin/mypy services/tts/src/firstword/tts/engines/torch bench/src/firstword/bench/gpu*.py
	@.venv-gpu/bin/pytest -m gpu

.venv-gpu/.synced: $(MEMBERS) tools/uv
	@UV_PROJECT_ENVIRONMENT=.venv-gpu tools/uv sync --all-packages --extra gpu --extra espeak
	@touch $@

audit:  ## what is known against the exported packages
	@tools/audit

exports: setup  ## what goes into the images, exact and hashed
	@tools/docker/exports

images:  ## the images of speech server (CPU), agent and page, by the Docker engine at hand
	@tools/docker/build tts cpu
	@tools/docker/build agent agent
	@tools/docker/build console console

image-gpu:  ## the speech server with torch and CUDA's libraries: 6.6 GB
	@tools/docker/build tts gpu

docker-tests: models  ## build the images, run them, let them speak
	@tools/docker/test

pulumi-tests: models  ## the real Pulumi engine against stand-ins of the providers, and a local environment
	@tools/pulumi/test
	@PATH="$$(tools/pulumi/build):$$PATH" tools/docker/test -m "docker and pulumi"

clean:  ## remove the environment (the cached weights stay)
	rm -rf .venv .venv-gpu .tools uv.lock test-results

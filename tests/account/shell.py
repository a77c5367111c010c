"""Commands as a page prints them, run in a copy of the checkout with the stand-in account behind them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.account.docker import install

ROOT = Path(__file__).resolve().parent.parent.parent
ACCOUNT_ID = "111122223333"
BLOCK = re.compile(r"^```bash( account)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TUTORIALS = ("BERT pre-training on EKS", "Llama-2 pre-training on AWS Batch")
"""Titles of README's sections that go from nothing to a running job, and back."""
PROMPTS = {
    ".venv/bin/cdk deploy": "--require-approval never",  # a person confirms changes of permissions
    ".venv/bin/cdk destroy": "--force",  # a person confirms, here and below
    ".venv/bin/trn cancel": "--yes",
    ".venv/bin/trn scale": "--yes",
    ".venv/bin/trn cleanup": "--yes",
}
TIMEOUT_SECONDS = 120


def tutorial(title: str) -> list[list[str]]:
    """Command lines of each block of one of README's sections."""
    section = (ROOT / "README.md").read_text().partition(f"## {title}\n")[2].partition("\n## ")[0]
    return [block.splitlines() for _, block in BLOCK.findall(section)]


def commands(page: Path) -> list[tuple[bool, str]]:
    """(needs an account, command line) of every command on a page."""
    return [
        (bool(account), line.partition(" #")[0].rstrip())
        for account, block in BLOCK.findall(page.read_text())
        for line in block.splitlines()
        if line.strip() and not line.startswith("#")
    ]


def confirmed(command: str) -> str:
    """A command line with what a person would have answered."""
    flag = next((flag for start, flag in PROMPTS.items() if command.startswith(start)), "")
    return f"{command} {flag}".rstrip()


@contextmanager
def account(home: Path) -> Iterator[dict[str, str]]:
    """Variables of a shell with credentials of a stand-in account, and `docker`. `home`: a folder to write into."""
    with (home / "server.log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.account.server"],
            cwd=ROOT,
            env=os.environ | {"MOTO_ACCOUNT_ID": ACCOUNT_ID},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    assert server.stdin is not None
    assert server.stdout is not None
    (home / "bin").mkdir()
    try:
        port = server.stdout.readline().strip()
        yield install(home / "bin") | {
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_REGION": "us-west-2",
            "AWS_DEFAULT_REGION": "us-west-2",
            # Where the CLI remembers which account a key belongs to.
            "CDK_HOME": str(home),
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            # Only shapes the TemplateURL that the CLI sends; moto finds the bucket in it, and nobody opens it.
            "AWS_ENDPOINT_URL_S3_FOR_CLOUDFORMATION": "https://s3.us-west-2.amazonaws.com",
        }
    finally:
        server.stdin.close()
        server.stdout.close()
        server.wait(timeout=30)


def copy_checkout(to: Path) -> None:
    """A copy of the checkout that is set up already, with the folder of a tokenizer."""
    left_out = shutil.ignore_patterns(".git", ".venv*", "node_modules", "cdk.out", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, to, ignore=left_out)
    for name in (".venv", "node_modules"):
        (to / name).symlink_to(ROOT / name)
    # Older than what was made from them: nothing may set the shared virtual environment up for this copy.
    for name in ("pyproject.toml", "uv.lock", "package.json", "package-lock.json"):
        os.utime(to / name, (0, 0))
    (to / "tokenizer").mkdir()
    (to / "tokenizer" / "tokenizer.model").write_bytes(b"tokens")
    (to / "tokenizer" / "tokenizer_config.json").write_text("{}")


def run(command: str, *, cwd: Path, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command line in a shell whose only settings are these; gives what it printed, errors among it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "CDK_", "PYTEST_"))}
    return subprocess.run(
        ["bash", "-ec", command],
        check=False,
        cwd=cwd,
        env=kept | {"AWS_EC2_METADATA_DISABLED": "true"} | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT_SECONDS,
    )

"""What of the repository reaches a build, and the programs in it."""

from __future__ import annotations

import fnmatch
import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT
from tests.images.test_dockerfiles import DOCKERFILES, IMAGES


def copied(text: str) -> list[str]:
    """Paths that a Dockerfile copies from the context."""
    return [source for line in re.findall(r"^COPY (.+) \S+$", text, re.MULTILINE) for source in line.split()]


def in_context(name: str) -> bool:
    """Whether .dockerignore lets a file through."""
    patterns = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert patterns[0] == "*"
    return any(_matches(name, pattern.removeprefix("!")) for pattern in patterns[1:])


def _matches(name: str, pattern: str) -> bool:
    parts, wanted = name.split("/"), pattern.split("/")
    return len(parts) == len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))


def test_the_context_is_what_is_copied() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    context = {name for name in tracked if in_context(name)}
    sources = {source for text in DOCKERFILES.values() for source in copied(text)}
    needed = {name for name in tracked if any(name == source or name.startswith(source) for source in sources)}
    assert needed == context
    assert all((ROOT / source).exists() for source in sources)


def shell_scripts() -> list[Path]:
    return [
        path
        for path in sorted(IMAGES.rglob("*"))
        if path.is_file() and re.match(rb"#!.*\b(ba)?sh\b", path.read_bytes()[:40])
    ]


def test_shell_scripts_pass_shellcheck() -> None:
    assert [path.name for path in shell_scripts()] == ["trn-tokenize"]
    done = subprocess.run(
        [Path(sys.executable).with_name("shellcheck"), "--severity=style", *shell_scripts()],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""
    assert done.returncode == 0


def test_programs_can_be_executed() -> None:
    for name in ("common/trn-job", "llama2/trn-tokenize", "shell/stage_bert.py"):
        assert (IMAGES / name).stat().st_mode & 0o111, name

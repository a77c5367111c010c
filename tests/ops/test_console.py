"""Tables on a narrow terminal."""

from __future__ import annotations

import os
import pty
import sys
from contextlib import suppress

import pytest

from ops.console import show
from ops.progress import bar, spinner
from tests.conftest import ROOT

LONG = "AWSServiceRoleForAmazonEKSNodegroup-and-what-not"


def test_nothing_is_cut_off_on_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    show([{"role": LONG}], as_json=False, empty="")
    out = capsys.readouterr().out
    assert "…" not in out
    assert LONG in "".join(out.split())


def test_brackets_are_shown_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    row = {"key [x]": "network: {training_zone: [a]}", "other": "[/x] [red]"}
    show([row], as_json=False, empty="")
    assert "".join(capsys.readouterr().out.split()) == "".join("key [x] other" + " ".join(row.values())).replace(
        " ", ""
    )


def test_progress_shows_brackets_as_they_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "200"}.items():
        monkeypatch.setenv(name, value)
    with spinner("wait for [/x]") as told:
        told("[/y]")
    with bar("send [/x] {it}", 10) as shown:
        shown(10, 10)
    assert "[/x]" in capsys.readouterr().err


ASK = """
import sys
from ops.console import confirm
from ops.errors import OpsError
try:
    sys.exit(0 if confirm("Do it?", yes=False) else 2)
except OpsError as error:
    print(error)
    sys.exit(error.exit_code)
"""


@pytest.mark.parametrize(
    ("keys", "code", "words"),
    [
        (b"y\n", 0, ""),
        (b"n\n", 2, ""),
        (b"\n", 2, ""),
        (b"\x04", 2, ""),
        (b"\x03", 130, "interrupted at the question; nothing was changed"),
    ],
)
def test_answers_at_a_terminal(keys: bytes, code: int, words: str) -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(ROOT)
        os.execv(sys.executable, [sys.executable, "-c", ASK])
    said = b""
    while b"[y/N]: " not in said:
        said += os.read(terminal, 1024)
    os.write(terminal, keys)
    with suppress(OSError):  # the terminal is gone with its program
        while more := os.read(terminal, 1024):
            said += more
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert (os.waitstatus_to_exitcode(status), words in said.decode()) == (code, True)

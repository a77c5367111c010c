"""The progress bar: for people at a terminal alone."""

from __future__ import annotations

import sys

import pytest

from ops.progress import progress


def test_nothing_is_written_to_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(2) as told:
        told("half", 1)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_sees_what_goes_on_on_standard_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with progress(2) as told:
        told("half", 1)
        told("done", 2)
    out, err = capsys.readouterr()
    assert out == ""
    assert "done" in err
    assert "2/2" in err

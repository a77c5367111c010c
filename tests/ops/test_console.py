"""Tables on a narrow terminal."""

from __future__ import annotations

import sys

import pytest

from ops.console import show

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

"""What commands print and ask: tables for people, JSON for programs, questions at a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from ops.errors import StoppedError

Row = Mapping[str, Any]


def say(text: str) -> None:
    """A line for the person at the terminal; standard error, so that results can be piped."""
    typer.echo(text, err=True)


def show(rows: Sequence[Row], *, as_json: bool, empty: str) -> None:
    """A listing: one JSON array, or a table with the keys of the first row as headings; `empty` where there is none."""
    if as_json:
        show_json(list(rows))
    elif not rows:
        typer.echo(empty)
    else:
        _table(rows)


def _table(rows: Sequence[Row]) -> None:
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    # Folded, never cut off: identifiers and commands are there to be copied. Text: rich would read brackets as markup.
    table = Table(*(Column(Text(str(key)), overflow="fold") for key in rows[0]), box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(Text("" if value is None else str(value)) for value in row.values()))
    # A pipe or a log takes whole lines, whatever the width of the terminal.
    Console(width=None if sys.stdout.isatty() else 400, soft_wrap=not sys.stdout.isatty(), highlight=False).print(table)


def confirm(question: str, *, yes: bool) -> bool:
    """Whether to go on: `--yes`, or an answer at a terminal. Without a terminal, and at Ctrl-D, the answer is no.

    StoppedError at Ctrl-C.
    """
    if yes or not sys.stdin.isatty():
        return yes
    try:
        typer.echo(f"{question} [y/N]: ", err=True, nl=False)
        answer = sys.stdin.readline()
    except KeyboardInterrupt:
        say("")
        raise StoppedError("interrupted at the question; nothing was changed") from None
    if not answer.endswith("\n"):
        say("")
    return answer.strip().lower() in ("y", "yes")


def show_json(value: Any) -> None:
    """One JSON document."""
    typer.echo(json.dumps(value, indent=2, default=str))

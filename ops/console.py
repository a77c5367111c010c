"""What commands print: tables for people, JSON for programs, progress for whoever waits."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import typer

Row = Mapping[str, Any]


def say(text: str) -> None:
    """A line for the person at the terminal; standard error, so that results can be piped."""
    typer.echo(text, err=True)


def show(rows: Sequence[Row], *, as_json: bool, empty: str) -> None:
    """A listing: one JSON array, or a table with the keys of the first row as headings; `empty` where there is none."""
    if as_json:
        typer.echo(json.dumps(list(rows), indent=2, default=str))
    elif not rows:
        typer.echo(empty)
    else:
        _table(rows)


def _table(rows: Sequence[Row]) -> None:
    from rich.console import Console
    from rich.table import Column, Table

    # Folded, never cut off: identifiers and commands are there to be copied.
    table = Table(*(Column(str(key), overflow="fold") for key in rows[0]), box=None, pad_edge=False)
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row.values()))
    # A pipe or a log takes whole lines, whatever the width of the terminal.
    Console(width=None if sys.stdout.isatty() else 400, soft_wrap=not sys.stdout.isatty(), highlight=False).print(table)


def confirm(question: str, *, yes: bool) -> bool:
    """Whether to go on: `--yes`, or an answer at a terminal. Without a terminal the answer is no."""
    return yes or (sys.stdin.isatty() and typer.confirm(question, err=True))


def show_json(value: Any) -> None:
    """One JSON document."""
    typer.echo(json.dumps(value, indent=2, default=str))


@contextmanager
def progress(task: str) -> Iterator[Callable[[str], None]]:
    """A spinner with what is waited for; away from a terminal, a line for each new text."""
    from rich.console import Console

    console = Console(stderr=True)
    if console.is_terminal:
        with console.status(task) as spinner:
            yield lambda text: spinner.update(f"{task}: {text}")
        return
    said: set[str] = set()

    def tell(text: str) -> None:
        if text not in said:
            said.add(text)
            say(f"{task}: {text}")

    yield tell


@contextmanager
def bar(task: str, total: int | None) -> Iterator[Callable[[int, int | None], None]]:
    """A bar over bytes, told (bytes so far, total); away from a terminal, a line for every tenth."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    console = Console(stderr=True)
    if console.is_terminal:
        columns = (TextColumn(task), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console) as shown:
            it = shown.add_task(task, total=total)
            yield lambda done, of: shown.update(it, completed=done, total=of)
        return
    tenths: set[int] = set()

    def tell(done: int, of: int | None) -> None:
        tenth = done * 10 // of if of else 0
        if tenth not in tenths:
            tenths.add(tenth)
            say(f"{task}: {tenth * 10} %")

    yield tell

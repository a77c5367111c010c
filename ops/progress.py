"""What whoever waits at a terminal sees on standard error; away from one, lines, or nothing.

Names and messages are shown as they are: rich would take brackets in them for markup.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ops.console import say

if TYPE_CHECKING:
    from rich.progress import TextColumn


@contextmanager
def progress(total: int) -> Iterator[Callable[[str, int], None]]:
    """A bar over steps: call the function with what goes on and how much is done of `total`. Nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda _text, _done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    columns = (_description(), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=total)
        yield lambda text, done: shown.update(task, description=text, completed=done)


@contextmanager
def spinner(task: str) -> Iterator[Callable[[str], None]]:
    """A spinner with what is waited for; away from a terminal, a line for each new text."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    if console.is_terminal:
        with console.status(Text(task)) as shown:
            yield lambda text: shown.update(Text(f"{task}: {text}"))
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
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    console = Console(stderr=True)
    if console.is_terminal:
        columns = (_description(), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
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


def _description() -> TextColumn:
    from rich.progress import TextColumn

    return TextColumn("{task.description}", markup=False)

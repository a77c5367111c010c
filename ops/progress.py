"""A progress bar for whoever waits at a terminal; nothing where standard error goes to a file or a program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(total: int) -> Iterator[Callable[[str, int], None]]:
    """Call the function with what goes on and how much is done of `total`."""
    if not sys.stderr.isatty():
        yield lambda _text, _done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda text, done: bar.update(task, description=text, completed=done)

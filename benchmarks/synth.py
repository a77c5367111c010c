"""What a synthesis costs: time, memory and template sizes, as tables. `make bench`; a minute and a half on two cores.

cold: nothing compiled, nothing unpacked, as in the first run after set-up. warm: as in every later run that has to
synthesize all teams. unchanged: a run right after, with nothing to do. Of several runs the quickest counts.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Usage, measure
from benchmarks.team_files import write_team_files

APP = Path(__file__).resolve().parent.parent / "app.py"
COUNTS = (1, 3, 20, 50)
REPEATS = 3


def main() -> None:
    console = Console(width=100)
    times = Table("teams", "run", "wall s", "CPU s", "Python MiB", "Node MiB", "processes", title="Synthesis")
    sizes: dict[str, list[tuple[int, int]]] = {}
    for count in COUNTS:
        with TemporaryDirectory() as name:
            base = Path(name)
            (base / "teams").mkdir()
            write_team_files(base / "teams", count)
            _add(times, count, "cold", _synthesize(base, base / "cold.out", cold=True))
            runs = [_synthesize(base, base / f"{repeat}.out") for repeat in range(REPEATS)]
            _add(times, count, "warm", min(runs, key=lambda usage: usage.wall))
            runs = [_synthesize(base, base / "0.out") for _ in range(REPEATS)]
            _add(times, count, "unchanged", min(runs, key=lambda usage: usage.wall))
            sizes = _sizes(base / "0.out")
    console.print(times)
    console.print(_size_table(sizes, COUNTS[-1]))


def _synthesize(base: Path, outdir: Path, *, cold: bool = False) -> Usage:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["CDK_OUTDIR"] = str(outdir)
    if cold:
        environment |= {"HOME": str(base), "XDG_CACHE_HOME": str(base), "PYTHONPYCACHEPREFIX": str(base / "pyc")}
    return measure([sys.executable, str(APP), "-c", f"teams_dir={base / 'teams'}"], environment)


def _add(table: Table, count: int, run: str, usage: Usage) -> None:
    node = usage.peak_mib.get("node")
    python = max(peak for program, peak in usage.peak_mib.items() if program != "node")
    table.add_row(
        str(count),
        run,
        f"{usage.wall:.2f}",
        f"{usage.cpu:.2f}",
        f"{python:.0f}",
        f"{node:.0f}" if node else "-",
        str(sum(usage.processes.values())),
        end_section=run == "unchanged",
    )


def _sizes(outdir: Path) -> dict[str, list[tuple[int, int]]]:
    """(bytes, resources) of each template, by stack without the team."""
    found = defaultdict(list)
    for manifest in outdir.glob("assembly-*/manifest.json"):
        for artifact in json.loads(manifest.read_text())["artifacts"].values():
            if artifact["type"] == "aws:cloudformation:stack":
                template = (manifest.parent / artifact["properties"]["templateFile"]).read_bytes()
                stack = artifact["displayName"].partition("/")[2]
                found[stack].append((len(template), len(json.loads(template)["Resources"])))
    return found


def _size_table(sizes: Mapping[str, list[tuple[int, int]]], teams: int) -> Table:
    table = Table("stack", "templates", "kB", "resources", title=f"Templates of the {teams} teams, smallest to largest")
    for stack, found in sizes.items():
        size, resources = zip(*found, strict=True)
        table.add_row(
            stack,
            str(len(found)),
            f"{min(size) / 1000:.1f} - {max(size) / 1000:.1f}",
            f"{min(resources)} - {max(resources)}",
        )
    return table


if __name__ == "__main__":
    main()

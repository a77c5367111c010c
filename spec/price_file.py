"""The file of `trn cost --prices`: prices that take the place of built-in ones."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from spec.field_errors import close_match, shown
from spec.findings import FILE, Finding, Problem, SpecError
from spec.lustre import THROUGHPUTS
from spec.prices import (
    BUILT_IN,
    EKS_EXTENDED,
    EKS_STANDARD,
    INTERFACE_ENDPOINT,
    NAT_GATEWAY,
    PUBLIC_IPV4,
    PriceTable,
    lustre_key,
    volume_key,
)
from spec.yaml_file import read_document
from spec.yaml_nodes import Document, Node, UnreadableError

KEYS = ("as_of", "prices")
SERVICE_KEYS = (
    EKS_STANDARD,
    EKS_EXTENDED,
    NAT_GATEWAY,
    INTERFACE_ENDPOINT,
    PUBLIC_IPV4,
    *(volume_key(kind) for kind in ("gp3", "gp2", "io1", "io2")),
    *(
        lustre_key(deployment, throughput)
        for deployment, throughputs in THROUGHPUTS.items()
        for throughput in throughputs or (None,)
    ),
)
_INSTANCE_TYPE = re.compile(r"[a-z][a-z0-9-]*\.[a-z0-9-]+")
_PREFIXES = ("eks.", "ebs.", "fsx.")


def load_prices(path: Path) -> PriceTable:
    """The built-in table with a file's prices over it; SpecError with every finding where the file is wrong."""
    file = str(path)
    try:
        document = read_document(path)
    except UnreadableError as error:
        raise SpecError(str(error.problem.in_file(file, error.line))) from None
    problems = [*document.problems, *_problems(document)]
    if problems:
        findings = sorted({problem.in_file(file, line) for line, problem in problems}, key=_order)
        raise SpecError("\n".join(map(str, findings)))
    prices = {str(key): float(node.raw) for key, node in document.root.children["prices"].children.items()}
    return PriceTable(
        date.fromisoformat(document.root.children["as_of"].raw), {**BUILT_IN.prices, **prices}, frozenset(prices)
    )


def _order(finding: Finding) -> tuple[int, str]:
    return finding.line, finding.key


def _problems(document: Document) -> Iterator[tuple[int, Problem]]:
    root = document.root
    if root.kind != "mapping":
        got = "an empty file" if root.kind == "null" else shown(root)
        yield root.line, _error(FILE, got, f"a mapping (keys: {', '.join(KEYS)})")
        return
    for key, node in root.children.items():
        if key not in KEYS:
            yield node.line, _error(str(key), "an unknown key", f"one of {', '.join(KEYS)}{_hint(str(key), KEYS)}")
    day, prices = root.children.get("as_of"), root.children.get("prices")
    if day is None or not _is_date(day.raw):
        yield (day or root).line, _error("as_of", shown(day), "a date such as 2026-11-30, the day of the prices")
    if prices is None or not prices.children or prices.kind != "mapping":
        yield (prices or root).line, _error("prices", shown(prices), "US dollars by key, such as trn1.32xlarge: 21.5")
        return
    for key, node in prices.children.items():
        yield from _price_problems(str(key), node)


def _price_problems(key: str, node: Node) -> Iterator[tuple[int, Problem]]:
    loc = f"prices.{key}"
    if key not in SERVICE_KEYS and (key.startswith(_PREFIXES) or not _INSTANCE_TYPE.fullmatch(key)):
        known = (*SERVICE_KEYS, *BUILT_IN.prices)
        expected = f"an EC2 instance type, or one of {', '.join(SERVICE_KEYS)}{_hint(key, known)}"
        yield node.line, _error(loc, "an unknown key", expected)
    value = node.value
    if node.kind != "number" or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        unit = "a month of a GB" if key.startswith(("ebs.", "fsx.")) else "an hour"
        yield node.line, _error(loc, shown(node), f"US dollars for {unit}, a number from 0 upwards")


def _error(key: str, got: str, expected: str) -> Problem:
    return Problem("error", (key,), got, expected)


def _hint(key: str, choices: tuple[str, ...]) -> str:
    close = close_match(key, choices)
    return f"; did you mean {close}?" if close else ""


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return len(text) == len("2026-11-30")

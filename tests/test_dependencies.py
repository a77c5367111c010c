"""Which package may import what, checked over every import in every file, those inside functions included."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("spec", "constructs_lib", "k8s_charts", "stacks", "ops")

# pydantic comes in three modules: what it is written in, and the constraints of its fields.
PYDANTIC = ("pydantic", "pydantic_core", "annotated_types")
SPEC_FACTS = (
    "spec.hardware",
    "spec.names",
    "spec.versions",
    "spec.capacity",
    "spec.subnets",
    "spec.components",
    "spec.lustre",
)
"""The part of spec/ without the team file: facts, and the words that constructs and charts are told them in."""

MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "spec": ("spec", *PYDANTIC, "yaml"),
    "constructs_lib": ("constructs_lib", *SPEC_FACTS, "aws_cdk", "constructs"),
    "k8s_charts": ("k8s_charts", *SPEC_FACTS, "cdk8s", "cdk8s_plus_27", "constructs"),
    # cdk_nag checks a synthesis that was asked to validate; it is part of no template.
    "stacks": ("stacks", "spec", "constructs_lib", "k8s_charts", "aws_cdk", "cdk8s", "constructs", "cdk_nag"),
    "ops": ("ops", "spec", "boto3", "botocore", "kubernetes", "urllib3", "tenacity", "typer", "rich", "yaml"),
    "app.py": ("spec", "stacks", "aws_cdk"),
}
"""Beside the standard library. An entry stands for the module and all below it."""

TORCHX_FILES = ("ops/torchx_component.py", "ops/launch/torchx_scheduler.py")
"""The only files that import torchx, which is an extra."""


def files() -> Iterator[tuple[str, Path]]:
    """(owner, file) of every file of ours that is not a test."""
    yield "app.py", ROOT / "app.py"
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield package, path


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, dotted module) of every import; `import_module("a.b")` and `from a import b` give `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{'.' * node.level}{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__"):
            yield node.lineno, _beginning(node.args[0])


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _beginning(argument: ast.expr) -> str:
    """The text of a string, or of an f-string up to its first variable; empty for anything else."""
    if isinstance(argument, ast.JoinedStr) and argument.values:
        argument = argument.values[0]
    return argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else ""


def allowed_in(path: Path, owner: str) -> tuple[str, ...]:
    extra = ("torchx",) if str(path.relative_to(ROOT)) in TORCHX_FILES else ()
    return (*MAY_IMPORT[owner], *extra)


def is_allowed(module: str, allowed: tuple[str, ...]) -> bool:
    if module.partition(".")[0] in sys.stdlib_module_names:
        return True
    return any(module == entry or module.startswith(f"{entry}.") for entry in allowed)


def test_every_package_is_in_the_table() -> None:
    ours = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "benchmarks"}
    assert ours | {"app.py"} == set(MAY_IMPORT)


@pytest.mark.parametrize("owner", MAY_IMPORT)
def test_imports_stay_in_the_table(owner: str) -> None:
    forbidden = [
        f"{path.relative_to(ROOT)}:{line}: imports {module}"
        for package, path in files()
        if package == owner
        for line, module in imports(ast.parse(path.read_text()))
        if not is_allowed(module, allowed_in(path, owner))
    ]
    assert forbidden == []


@pytest.mark.parametrize(
    ("code", "module"),
    [
        ("import boto3", "boto3"),
        ("from boto3 import client", "boto3.client"),
        ("def f():\n    from spec.team import Team", "spec.team.Team"),
        ("from spec import team", "spec.team"),
        ("from . import team", ".None.team"),
        ("import_module('boto3.session')", "boto3.session"),
        ("importlib.import_module(f'boto3.{name}')", "boto3."),
        ("import_module(name)", ""),
    ],
)
def test_no_way_to_import_is_overlooked(code: str, module: str) -> None:
    found = [name for _, name in imports(ast.parse(code))]
    assert found == [module]
    assert not is_allowed(module, MAY_IMPORT["constructs_lib"])


def test_facts_do_not_lead_to_the_team_file() -> None:
    """Constructs that import a fact must not get the team's model by the back door."""
    reached: set[str] = set()
    waiting = list(SPEC_FACTS)
    while waiting:
        module = waiting.pop()
        path = ROOT / f"{module.replace('.', '/')}.py"
        if module in reached or not path.exists():
            continue
        reached.add(module)
        found = [name for _, name in imports(ast.parse(path.read_text())) if name.startswith("spec.")]
        waiting += found + [name.rpartition(".")[0] for name in found]
    assert reached >= set(SPEC_FACTS)
    assert not reached & {"spec.team", "spec.team_file", "spec.schema", "spec.fields"}

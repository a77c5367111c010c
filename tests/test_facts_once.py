"""Facts stand once, in spec/: no hardware number, device, resource name, account or version is repeated elsewhere.

Comments and docstrings may say anything.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from spec.hardware import HARDWARE
from spec.lustre import SMALLEST_GIB, STEP_GIB
from spec.names import NODES_PORT, RENDEZVOUS_PORT
from spec.versions import KUBECTL_LAYERS

ROOT = Path(__file__).resolve().parent.parent
OUTSIDE_SPEC = ("constructs_lib", "k8s_charts", "stacks", "ops", "images/common", "images/allreduce")

PATTERNS = {
    "device path": r"/dev/(neuron|infiniband)|uverbs",
    "extended resource": r"aws\.amazon\.com/neuron|vpc\.amazonaws\.com/efa",
    "Trainium instance type": r"\b(trn\d\w*|inf\d)\.\d*\w*(large|metal)",
    "tag that moves": r":latest\b|[-_/]latest\b",
    "version that moves": r"\$(Latest|Default)\b",
    "ARN": r"\barn:aws",
    "account id": r"\b\d{12}\b",
    "Region": r"\b(us|eu|ap|sa|ca|me|af|il)-[a-z]+-\d\b",
    "zone id": r"\b[a-z]{2,5}\d-az\d\b",
    "Kubernetes or AMI release": r"\b1\.(3\d|2\d)\b",
    "image registry": r"\.dkr\.ecr\.|public\.ecr\.aws",
    "Lustre deployment": r"\b(SCRATCH|PERSISTENT)_\d",
    "CSI driver": r"\bcsi\.aws\.com\b",
    "mount option": r"^flock$",
    "cluster domain": r"\bcluster\.local\b",
    "variable of libfabric": r"^FI_[A-Z]",
    "port of a job": r"\b2950[01]\b",
}
NUMBERS = {
    number
    for row in HARDWARE.values()
    for number in (row.neuron_devices, row.efa_interfaces, row.vcpus, row.memory_mib, row.neuron_cores)
    if number > 4
}
"""Numbers of the hardware table; smaller ones mean too many things."""
PORTS = {RENDEZVOUS_PORT, NODES_PORT}
LUSTRE_NUMBERS = {SMALLEST_GIB, STEP_GIB}
"""Sizes of Lustre file systems; their throughputs mean too many things."""

ALLOWED: dict[tuple[str, str], str] = {
    ("stacks/assembly.py", "TEAMS_PER_PROCESS"): "measured on the machine that synthesizes",
}
"""(file, constant) whose value only looks like a fact, with the reason."""


def literals(path: Path) -> Iterator[tuple[int, str | int, str]]:
    """(line, value, constant it belongs to) of every string and whole number in the code, docstrings left out."""
    for statement in ast.parse(path.read_text()).body:
        constant = _constant(statement)
        bare = {id(node.value) for node in ast.walk(statement) if isinstance(node, ast.Expr)}
        for node in ast.walk(statement):
            if not isinstance(node, ast.Constant) or id(node) in bare or isinstance(node.value, bool):
                continue
            if isinstance(node.value, str | int):
                yield node.lineno, node.value, constant


def _constant(statement: ast.stmt) -> str:
    """Name of the module's constant that a statement defines; empty for any other statement."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return targets[0].id if isinstance(targets[0], ast.Name) else ""


def sources() -> list[Path]:
    return [ROOT / "app.py", *(path for package in OUTSIDE_SPEC for path in sorted((ROOT / package).rglob("*.py")))]


def facts(path: Path, name: str) -> Iterator[str]:
    """What stands in a file and belongs in spec/."""
    for line, value, constant in literals(path):
        if (name, constant) in ALLOWED:
            continue
        if isinstance(value, int):
            # In a container 8 are the bits of a byte, and 128 comes before the number of a signal.
            if value in NUMBERS and not name.startswith("images/"):
                yield f"{name}:{line}: {value}, a number of the hardware table"
            if value in PORTS:
                yield f"{name}:{line}: {value}, a port of a job"
            if value in LUSTRE_NUMBERS:
                yield f"{name}:{line}: {value}, a number of Lustre file systems"
            continue
        for what, pattern in PATTERNS.items():
            if found := re.search(pattern, value):
                yield f"{name}:{line}: {found[0]!r}, {what}"


def test_no_fact_stands_outside_spec() -> None:
    assert len(sources()) > 20
    assert [text for path in sources() for text in facts(path, str(path.relative_to(ROOT)))] == []


def test_every_exception_is_still_needed() -> None:
    there = {(str(path.relative_to(ROOT)), constant) for path in sources() for _, _, constant in literals(path)}
    assert [entry for entry in ALLOWED if entry not in there] == []


@pytest.mark.parametrize(
    "code",
    [
        'x = "/dev/neuron0"',
        'x = f"/dev/infiniband/uverbs{n}"',
        'limits = {"aws.amazon.com/neuron": n}',
        'limits = {"vpc.amazonaws.com/efa": n}',
        'def f(t: str = "trn1.32xlarge"): ...',
        'image = "bert:latest"',
        'version = "$Latest"',
        'version = "$Default"',
        'role = f"arn:aws:iam::{account}:role/x"',
        'account = "111122223333"',
        'region = "us-west-2"',
        'zone = "usw2-az4"',
        'version = "1.35"',
        'image = f"{account}.dkr.ecr.{region}.amazonaws.com/x"',
        "devices = range(16)",
        "vcpus = 128 * nodes",
        'parameters = {"deploymentType": "PERSISTENT_2"}',
        'driver = "fsx.csi.aws.com"',
        'mount_options = ["flock"]',
        'host = f"{service}.{namespace}.svc.cluster.local"',
        'environment = {"FI_PROVIDER": "efa"}',
        'port = "29500"',
        "port = 29501",
        "capacity_gib = 1200",
    ],
)
def test_a_fact_is_seen_in_code_but_not_in_words(code: str, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(f"{code}\n")
    assert list(facts(path, "module.py"))
    path.write_text(f'"""About {code!r}."""\n# {code}\n'.replace('\\"', "'"))
    assert not list(facts(path, "module.py"))


def test_python_packages_are_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = [project["project"]["dependencies"], *project["dependency-groups"].values()]
    groups += [*project["project"].get("optional-dependencies", {}).values(), project["build-system"]["requires"]]
    requirements = [requirement for group in groups for requirement in group]
    assert len(requirements) > 20
    assert [
        text for text in requirements if not re.fullmatch(r"[A-Za-z0-9._-]+(\[[a-z,]+\])?==[0-9][\w.]*", text)
    ] == []


def test_node_packages_are_pinned() -> None:
    package = json.loads((ROOT / "package.json").read_text())
    pinned = {**package.get("dependencies", {}), **package["devDependencies"]}
    assert pinned
    assert [name for name, version in pinned.items() if not re.fullmatch(r"\d+\.\d+\.\d+", version)] == []


def test_workflow_actions_are_pinned_by_commit() -> None:
    used = [
        line.split("uses:")[1].split("#")[0].strip()
        for path in (ROOT / ".github" / "workflows").glob("*.yml")
        for line in path.read_text().splitlines()
        if "uses:" in line
    ]
    assert used
    assert [action for action in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)] == []
    images = [
        line.split("runs-on:")[1].strip()
        for path in (ROOT / ".github" / "workflows").glob("*.yml")
        for line in path.read_text().splitlines()
        if "runs-on:" in line
    ]
    assert images
    assert [image for image in images if image.endswith("latest")] == []


def test_one_uv_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (makefile,) = re.findall(r"^UV_VERSION := (\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert project["build-system"]["requires"] == [f"uv_build=={makefile}"]
    assert f"uv=={makefile}" in project["dependency-groups"]["dev"]


def test_every_kubectl_layer_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    text = " ".join(project["project"]["dependencies"])
    assert re.findall(r"lambda-layer-kubectl-v(\d+)==", text) == list(KUBECTL_LAYERS)

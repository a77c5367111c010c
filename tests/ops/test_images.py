"""`trn images`: what docker is told, and what is said where it is missing."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from botocore.exceptions import ClientError
from moto.core.models import DEFAULT_ACCOUNT_ID

from ops.images import docker as docker_module, references as images_module
from ops.images.references import PLATFORM
from spec.compatibility import NEURON_SDKS, TRAINING_IMAGE, training_image
from spec.findings import SpecError
from spec.names import StackName, repository_uri_output
from tests.ops.conftest import BATCH_ONLY, EKS_ONLY, REGION, TeamWriter, Trn, World, WorldMaker

TAG = "sdk2.28.0-r1"
REGISTRY = f"{DEFAULT_ACCOUNT_ID}.dkr.ecr.{REGION}.amazonaws.com"
NAMES = ("bert", "llama2", "allreduce", "tensorboard", "shell")

FAKE_DOCKER = """\
#!/bin/sh
echo "$@" >> {noted}
case "$1 $2" in
    "buildx version") exit {buildx} ;;
    "version --format") echo "Cannot connect to the Docker daemon" >&2; exit {daemon} ;;
    "login --username") read password; echo "password: $password" >> {noted}; exit {login} ;;
    "buildx build") case "$*" in *images/{broken}/*) exit 7 ;; esac ;;
esac
"""


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a folder for each image but one."""
    for name in NAMES:
        folder = tmp_path / "images" / name
        folder.mkdir(parents=True)
        (folder / "Dockerfile").write_text("FROM scratch\n")
    for module in (images_module, docker_module):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    return tmp_path


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH, and empty."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def docker(path: Path, *, buildx: int = 0, daemon: int = 0, login: int = 0, broken: str = "none") -> Path:
    noted = path / "noted"
    script = path / "docker"
    script.write_text(FAKE_DOCKER.format(noted=noted, buildx=buildx, daemon=daemon, login=login, broken=broken))
    script.chmod(0o755)
    return noted


def storage(world: World, names: tuple[str, ...] = NAMES) -> None:
    ecr = world.account.client("ecr")
    for name in names:
        ecr.create_repository(repositoryName=f"ours-{name}")
    world.deploy(StackName.STORAGE, {repository_uri_output(name): f"{REGISTRY}/ours-{name}" for name in names})


def pushed(world: World, name: str) -> None:
    manifest = '{"schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json"}'
    world.account.client("ecr").put_image(repositoryName=f"ours-{name}", imageManifest=manifest, imageTag=TAG)


def built(name: str, end: str, *, base: bool = True) -> str:
    argument = f"--build-arg BASE_IMAGE={training_image('2.28.0')} " if base else ""
    uri = f"{REGISTRY}/ours-{name}:{TAG}"
    return (
        f"buildx build --platform {PLATFORM} --provenance=false {argument}-f images/{name}/Dockerfile -t {uri} {end} ."
    )


def test_a_dry_run_needs_neither_docker_nor_an_account(write_team: TeamWriter, trn: Trn, path: Path) -> None:
    write_team(EKS_ONLY)
    told = trn("images", "push", "ours", "bert", "shell", "--dry-run")
    base = f"{TRAINING_IMAGE}:2.9.0-neuronx-py312-sdk2.28.0-ubuntu24.04"
    assert told.code == 0
    assert told.out.splitlines()[1:] == [
        "aws ecr get-login-password --region us-west-2 | "
        'docker login --username AWS --password-stdin "${RepositoryUriBert%%/*}"',
        "docker buildx build --platform linux/amd64 --provenance=false "
        f"--build-arg BASE_IMAGE={base} -f images/bert/Dockerfile "
        f'-t "${{RepositoryUriBert}}:{TAG}" --push .',
        f"docker buildx build --platform linux/amd64 --provenance=false -f images/shell/Dockerfile "
        f'-t "${{RepositoryUriShell}}:{TAG}" --push .',
    ]


def test_all_is_every_repository_of_the_team(write_team: TeamWriter, trn: Trn) -> None:
    write_team(EKS_ONLY)
    lines = trn("images", "build", "ours", "all", "--dry-run").out.splitlines()[1:]
    assert [line.partition("images/")[2].partition("/")[0] for line in lines] == [*NAMES]
    write_team(BATCH_ONLY)
    lines = trn("images", "build", "ours", "all", "--dry-run").out.splitlines()[1:]
    assert len(lines) == 3


def test_building(world: World, trn: Trn, path: Path) -> None:
    storage(world)
    noted = docker(path)
    told = trn("images", "build", "ours", "bert", "tensorboard")
    assert told.code == 0
    assert noted.read_text().splitlines()[2:] == [built("bert", "--load"), built("tensorboard", "--load", base=False)]
    assert told.err.endswith(f"built: bert, tensorboard ({TAG})\n")


def test_pushing_logs_in_with_the_password_on_standard_input(world: World, trn: Trn, path: Path) -> None:
    storage(world)
    noted = docker(path)
    assert trn("images", "push", "ours", "bert").code == 0
    token = world.account.client("ecr").get_authorization_token()["authorizationData"][0]["authorizationToken"]
    secret = base64.b64decode(token).decode().partition(":")[2]
    assert noted.read_text().splitlines()[2:] == [
        f"login --username AWS --password-stdin {REGISTRY}",
        f"password: {secret}",
        built("bert", "--push"),
    ]


def test_a_tag_that_is_taken_is_refused_before_anything_is_built(world: World, trn: Trn, path: Path) -> None:
    storage(world)
    pushed(world, "llama2")
    noted = docker(path)
    told = trn("images", "push", "ours", "all")
    assert told.code == 2
    assert "image_revision: got 1, and llama2 is pushed with it already" in told.err
    assert not [line for line in noted.read_text().splitlines() if line.startswith(("login", "buildx build"))]
    assert trn("images", "push", "ours", "bert").code == 0


def test_half_a_build_says_what_was_done_and_how_to_go_on(world: World, trn: Trn, path: Path) -> None:
    storage(world)
    docker(path, broken="llama2")
    told = trn("images", "push", "ours", "bert", "llama2", "allreduce")
    assert told.code == 1
    assert told.err.splitlines()[-5:] == [
        "trn: image llama2: docker ended with exit code 7; see above",
        "  done: pushed bert",
        "  not done: llama2",
        "  not done: allreduce",
        "Go on with: trn images push ours llama2 allreduce",
    ]


def test_ctrl_c_in_a_build_says_the_same(world: World, trn: Trn, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage(world)
    docker(path)
    codes = [0]

    def builds(*_: object, **__: object) -> int:
        if not codes:
            raise KeyboardInterrupt
        return codes.pop()

    monkeypatch.setattr(docker_module, "run", builds)
    told = trn("images", "build", "ours", "bert", "llama2")
    assert told.code == 130
    assert told.err.splitlines()[-4:] == [
        "trn: interrupted at image llama2",
        "  done: built bert",
        "  not done: llama2",
        "Go on with: trn images build ours llama2",
    ]


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ({"buildx": 1}, "docker buildx: not found; building for another machine needs it: https://docs.docker.com/"),
        ({"daemon": 1}, "docker: its daemon is not reached; start Docker, or set DOCKER_HOST (Cannot connect"),
        ({"login": 1}, f"docker login {REGISTRY}: failed; nothing was built or pushed"),
    ],
)
def test_what_is_missing_is_said(broken: dict[str, int], words: str, world: World, trn: Trn, path: Path) -> None:
    storage(world)
    docker(path, **broken)  # type: ignore[arg-type]
    told = trn("images", "push", "ours", "bert")
    assert told.code == 1
    assert words in told.err


def test_without_docker(world: World, trn: Trn, path: Path) -> None:
    storage(world)
    told = trn("images", "build", "ours", "bert")
    assert (told.code, told.err) == (
        1,
        "trn: docker: not found on PATH; building an image needs it: https://docs.docker.com/engine/install/\n",
    )


def test_an_image_that_the_team_has_not(write_team: TeamWriter, trn: Trn) -> None:
    write_team(EKS_ONLY)
    told = trn("images", "build", "ours", "brt", "--dry-run")
    assert told.code == 2
    assert "images: got brt, expected one of bert, llama2, allreduce, tensorboard, shell, or all; " in told.err
    assert "did you mean bert?" in told.err


def test_an_image_without_a_folder(write_team: TeamWriter, trn: Trn) -> None:
    write_team(BATCH_ONLY | {"images": ["own"]})
    told = trn("images", "build", "ours", "own", "--dry-run")
    assert told.code == 2
    assert "images/own/Dockerfile: got no such file, expected one of allreduce, bert, " in told.err


def test_an_sdk_without_a_training_image(write_team: TeamWriter, trn: Trn) -> None:
    write_team(BATCH_ONLY | {"images": ["bert", "own"], "neuron_sdk": "2.32.0"})
    told = trn("images", "build", "ours", "bert", "--dry-run")
    assert told.code == 2
    assert "neuron_sdk: training image: got Neuron SDK 2.32.0, which has none that is verified" in told.err


def test_repositories_that_are_not_deployed(make_world: WorldMaker, trn: Trn, path: Path) -> None:
    world = make_world(EKS_ONLY)
    docker(path)
    assert "stack ours-Storage: not deployed" in trn("images", "build", "ours", "bert").err
    storage(world, NAMES[:-1])
    told = trn("images", "build", "ours", "bert")
    assert told.code == 2
    assert "images: got shell, which the deployed stacks do not know yet" in told.err


@pytest.mark.parametrize("sdk", NEURON_SDKS)
def test_every_sdk_has_a_training_image_or_says_which_have(sdk: str) -> None:
    if NEURON_SDKS[sdk].training_image_tag:
        assert training_image(sdk) == f"{TRAINING_IMAGE}:{NEURON_SDKS[sdk].training_image_tag}"
    else:
        with pytest.raises(SpecError, match=r"expected one of 2\.26\.1, "):
            training_image(sdk)


@pytest.mark.parametrize(
    "case",
    [
        ("AccessDeniedException", "not allowed: GetAuthorizationToken"),
        ("ExpiredTokenException", "the AWS credentials have expired"),
    ],
)
def test_a_registry_that_lets_nobody_in(
    case: tuple[str, str], world: World, trn: Trn, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, words = case
    storage(world)
    noted = docker(path)

    def refused(_: object) -> str:
        raise ClientError({"Error": {"Code": code, "Message": "no"}}, "GetAuthorizationToken")

    monkeypatch.setattr(docker_module, "password", refused)
    told = trn("images", "push", "ours", "bert")
    assert (told.code, words in told.err) == (1, True)
    assert "buildx build" not in noted.read_text()

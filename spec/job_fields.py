"""The kinds of value that only a job file holds."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from spec.fields import Expected, refused

_FOLDER = re.compile(r"[a-z]([a-z0-9-]{0,30}[a-z0-9])?")
_REFERENCE = re.compile(
    r"[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)+(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?"
)
IMAGE_EXPECTED = "a folder of images/ such as bert, or a whole image reference with a tag or digest"


def is_reference(image: str) -> bool:
    """Whether an image is a whole reference, REGISTRY/REPOSITORY:TAG, and not a folder of images/."""
    return "/" in image


def _image(value: str) -> str:
    if not is_reference(value):
        if not _FOLDER.fullmatch(value):
            raise refused(IMAGE_EXPECTED)
        return value
    match = _REFERENCE.fullmatch(value)
    if match is None:
        raise refused(IMAGE_EXPECTED)
    tag, digest = match[3], match[4]
    if digest is None and tag is None:
        raise refused(f"{IMAGE_EXPECTED}; without a tag it means latest, which moves")
    if digest is None and tag in (":latest", ":stable", ":main", ":master"):
        raise refused(f"{IMAGE_EXPECTED}; {tag[1:]} moves")
    return value


def _script(value: str) -> str:
    if ".." in value.split("/"):
        raise refused("a path inside the image without ..")
    if not value.endswith(".py"):
        raise refused("the path of a Python script, which ends in .py")
    return value


def _text(value: str) -> str:
    if "\x00" in value:
        raise refused("text without a NUL character, which no argument or variable of a program can hold")
    return value


# PET_NNODES and the like are torchrun's options by another name.
_RESERVED = re.compile(r"(TRN_|TORCHX_|TORCHELASTIC_|PET_|AWS_BATCH|VC_|VK_|KUBERNETES_).*")
_LAUNCHER_SETS = {
    "NEURON_COMPILE_CACHE_URL": "set the key cache instead",
    "NEURON_RT_NUM_CORES": "set workers_per_node instead",
    "WORLD_SIZE": "nodes and workers_per_node make it",
    "NEURON_RT_VISIBLE_CORES": "set workers_per_node instead",
    "LOGLEVEL": "the launcher sets it; by what torchrun says at INFO `trn logs` finds rank 0",
    "RANK": "torchrun sets it",
    "NODE_RANK": "torchrun sets it",
    "GROUP_RANK": "torchrun sets it",
    "LOCAL_RANK": "torchrun sets it",
    "MASTER_ADDR": "torchrun sets it",
    "MASTER_PORT": "torchrun sets it",
}
_SECRETS = re.compile(r"(.*_)?(SECRET|PASSWORD|TOKEN|API_KEY|ACCESS_KEY)(_.*)?", re.IGNORECASE)


def _variable(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        raise refused("the name of an environment variable: letters, digits and _")
    if _RESERVED.fullmatch(value):
        raise refused("a variable that the launcher, Volcano or Batch does not set itself")
    if value in _LAUNCHER_SETS:
        raise refused(f"another variable: {_LAUNCHER_SETS[value]}")
    # Whoever may read a job sees its environment.
    if _SECRETS.fullmatch(value):
        raise refused("a variable without a secret; everybody who may look at the job sees its value")
    return value


# How long is a rule's to say: it depends on the number of nodes.
JobName = Annotated[
    str,
    Field(pattern=r"^[a-z]([a-z0-9-]*[a-z0-9])?$", max_length=253),
    Expected("a DNS label: lower-case letters, digits and hyphens, a letter first"),
]
ImageName = Annotated[str, AfterValidator(_image), Expected(IMAGE_EXPECTED)]
ScriptPath = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9_./][A-Za-z0-9_./-]*$"),
    AfterValidator(_script),
    Expected("the path of a Python script in the image"),
]
# Newlines and all: an argument is whatever the script takes.
Argument = Annotated[
    str, Field(max_length=4096), AfterValidator(_text), Expected('text; a number in quotes, such as "16"')
]
ShareIdentifier = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9]{1,255}$"),
    Expected("a share identifier of letters and digits, as in batch.shares"),
]
EnvironmentName = Annotated[
    str, AfterValidator(_variable), Expected("the name of an environment variable: letters, digits and _")
]
EnvironmentValue = Annotated[
    str, Field(max_length=4096), AfterValidator(_text), Expected('text; a number in quotes, such as "1"')
]

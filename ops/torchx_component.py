"""TorchX component of a job file: `torchx run -s kubernetes ops/torchx_component.py:training --job ... --team ...`."""

import os
import re
import sys
from pathlib import Path

from torchx import specs

from ops.errors import REFUSED, RefusedError
from ops.launch.container import Launch, agent_line, environment, shared_directory
from ops.teams import find_team
from spec.findings import FileError
from spec.job import Job
from spec.job_file import load_job
from spec.names import (
    ETCD_ENDPOINT,
    INSTANCE_TYPE_LABEL,
    JOIN_TIMEOUT_SECONDS,
    LUSTRE_CLAIM,
    RENDEZVOUS_PORT,
    TASK,
    TEAMS_DIR_VARIABLE,
    JobEnv,
)
from spec.placement import EksPlacement, place_on_eks


def training(  # noqa: PLR0917  options of a command line
    job: str,
    team: str,
    image: str,
    precompile: bool = False,
    queue: str = "",
    node_group: str = "",
    teams_dir: str = "",
) -> specs.AppDef:
    """One run of a job file on EKS.

    TorchX alone leaves out what `trn run` adds to a Volcano job: tolerations, policies, a time to live, and the number
    of the attempt, which a rendezvous in etcd needs when pods are started anew.

    Args:
        job: path of the job file
        team: name of the team, or path of its file
        image: whole reference of the image in the team's repository
        precompile: fill the compile cache instead of training
        queue: queue, in place of the job file's
        node_group: node group, in place of the job file's
        teams_dir: folder of the team files
    """
    given = {key: value for key, value in (("queue", queue), ("node_group", node_group)) if value}
    try:
        asked = load_job(Path(job)).model_copy(update=given)
        folder = teams_dir or os.environ.get(TEAMS_DIR_VARIABLE)
        owner = find_team(team, Path(folder) if folder else None)
        placement, _ = place_on_eks(asked, owner, precompile=precompile)
        _refuse_what_torchx_cannot(asked, placement)
    except (FileError, RefusedError) as error:
        # TorchX would print the traceback of any other exception.
        print(error, file=sys.stderr)
        raise SystemExit(REFUSED) from None
    return app_def(Launch(asked, owner, placement.hardware, precompile), placement, image)


def _refuse_what_torchx_cannot(job: Job, placement: EksPlacement) -> None:
    """TorchX writes no toleration, and no number of the attempt, which tells a rendezvous from the last one's.

    https://github.com/meta-pytorch/torchx/issues/753
    """
    if placement.node_group.taint:
        name = placement.node_group.name
        raise RefusedError(
            f"node_group: got {name}, whose nodes are tainted, expected another, or `trn run` in its place"
        )
    if placement.rendezvous == "etcd" and job.max_retries:
        raise RefusedError(
            "max_retries: got some with rendezvous etcd, expected 0, c10d, or `trn run` in place of torchx"
        )


def app_def(launch: Launch, placement: EksPlacement, image: str) -> specs.AppDef:
    """The application: one role, one replica a node, each with the whole node's devices.

    Devices alone are asked for, and by limits alone: what a template requests of CPU, memory or devices keeps Volcano
    from making the pods while no node is there, and without pods nothing scales up.
    """
    hardware = launch.hardware
    shared = shared_directory(launch.team)
    role = specs.Role(
        name=TASK,
        image=image,
        entrypoint="bash",
        args=["-c", _line(launch, placement)],
        env={name: literal(value) for name, value in environment(launch, shared, queue=placement.queue.name).items()},
        num_replicas=launch.job.nodes,
        max_retries=launch.job.max_retries,
        retry_policy=specs.RetryPolicy.APPLICATION,
        resource=specs.Resource(
            cpu=0,
            gpu=0,
            memMB=0,
            devices=hardware.extended_resources,
            capabilities={INSTANCE_TYPE_LABEL: hardware.instance_type},
        ),
        port_map={"c10d": RENDEZVOUS_PORT} if placement.rendezvous == "c10d" else {},
        mounts=[specs.VolumeMount(src=LUSTRE_CLAIM, dst_path=shared)] if shared else [],
    )
    return specs.AppDef(name=launch.app, roles=[role])


HERE = "\x00here\x00"
"""Where the rendezvous options go; no job file can hold the character."""


def _line(launch: Launch, placement: EksPlacement) -> str:
    before, _, after = agent_line(launch, [HERE]).partition(HERE)
    return literal(before) + _rendezvous(placement) + literal(after)


def _rendezvous(placement: EksPlacement) -> str:
    """torchrun's options, with TorchX's macros for what is known when the run has a name.

    The state of etcd's rendezvous outlives its agents, so each attempt needs an id of its own; c10d's ends with the
    first pod. https://github.com/pytorch/pytorch/issues/82160
    """
    run_id = specs.macros.app_id
    if placement.rendezvous == "etcd":
        return (
            f"--rdzv_backend=etcd --rdzv_endpoint={ETCD_ENDPOINT} --rdzv_id={run_id}-$${{{JobEnv.ATTEMPT}}}"
            f" --rdzv_conf=timeout={JOIN_TIMEOUT_SECONDS}"
        )
    # On the first pod the variable is localhost; on the others Volcano sets it to the first pod's host name.
    return (
        f"--rdzv_backend=c10d --rdzv_endpoint=$${{{specs.macros.rank0_env}:=localhost}}:{RENDEZVOUS_PORT}"
        f" --rdzv_id={run_id} --rdzv_conf=join_timeout={JOIN_TIMEOUT_SECONDS},read_timeout={JOIN_TIMEOUT_SECONDS}"
    )


def literal(text: str) -> str:
    """Text that is the same after TorchX has filled in its macros and the kubelet its $(VARIABLES).

    Both take $$ for one $. The kubelet leaves a single $ alone unless it is followed by a parenthesis.
    https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/
    """
    for_kubelet = re.sub(r"\$\$+|\$(?=[(\x80-\U0010ffff])", lambda match: match[0] * 2, text)
    return for_kubelet.replace("$", "$$")

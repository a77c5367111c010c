"""TorchX component of a job file: `torchx run -s kubernetes ops/torchx_component.py:training --job ... --team ...`."""

import re
from pathlib import Path

from torchx import specs

from ops.launch.container import JOIN_TIMEOUT_SECONDS, Launch, agent_line, environment, shared_directory
from ops.teams import find_team
from spec.job_file import load_job
from spec.names import ETCD_ENDPOINT, LUSTRE_CLAIM, RENDEZVOUS_PORT, TASK, JobEnv
from spec.placement import EksPlacement, place_on_eks

INSTANCE_TYPE_LABEL = "node.kubernetes.io/instance-type"


def training(job: str, team: str, image: str, precompile: bool = False) -> specs.AppDef:
    """One run of a job file on EKS.

    TorchX alone leaves out what `trn run` adds to a Volcano job: tolerations, policies, a time to live.

    Args:
        job: path of the job file
        team: name of the team, or path of its file
        image: whole reference of the image in the team's repository
        precompile: fill the compile cache instead of training
    """
    asked, owner = load_job(Path(job)), find_team(team)
    placement, _ = place_on_eks(asked, owner, precompile=precompile)
    return app_def(Launch(asked, owner, placement.hardware, precompile), placement, image)


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
        env={name: literal(value) for name, value in environment(launch, shared).items()},
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


HERE = "\x00"
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

"""A stand-in for an AWS account, on loopback: moto, with what it lacks recorded or answered in its place.

The unmodified CDK CLI bootstraps it, deploys into it and destroys; `trn` works in what was deployed. What that shows:
assets upload; stacks come in an order in which every import finds its export; every reference and attribute inside a
stack resolves; manifests come after their namespaces and definitions; every command finds what it needs in the outputs
of the stacks, and asks for it in requests that botocore and the Kubernetes client can form. What it cannot show: that
AWS accepts a property's value, grants a permission, or has capacity; that a cluster schedules a pod; that an image
builds or a program runs.

Run as `python -m tests.account.server`; prints its port in a line of its own, and ends when its standard input does.
"""

from __future__ import annotations

import sys

from moto.server import ThreadedMotoServer

from tests.account import batch, batch_queues, cloudformation, cluster, healthy, node_groups, storage

REGION = "us-west-2"
"""The only Region of which the account is made ready."""


def main() -> None:
    for part in (cloudformation, storage, cluster, node_groups, batch_queues, batch):
        part.extend()
    healthy.extend(REGION)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    print(server.get_host_and_port()[1], flush=True)
    sys.stdin.read()
    cluster.stop_all()
    server.stop()


if __name__ == "__main__":
    main()

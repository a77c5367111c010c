"""A way to a team's TensorBoard, by port-forward."""

from __future__ import annotations

from ops.aws import Account
from ops.console import say
from ops.errors import RefusedError
from ops.programs import program, run
from ops.teams import eks_of
from ops.watch.kubeconfig import kubeconfig_file
from spec.names import SYSTEM_NAMESPACE, TENSORBOARD_PORT, TENSORBOARD_SERVICE
from spec.team import Team


def forward(account: Account, team: Team, port: int | None) -> int:
    """Forward a port of this machine until Ctrl-C; gives kubectl's exit code. RefusedError without a TensorBoard."""
    eks = eks_of(team)
    if not eks.tensorboard:
        raise RefusedError(f"{team.path}: eks.tensorboard: got false, expected true; then deploy, and run this again")
    if not team.tensorboard:
        raise RefusedError(
            f"{team.path}: storage.lustre: got none, expected a file system: TensorBoard reads its logs there"
        )
    kubectl = program("kubectl", purpose="`trn tensorboard`")
    here = port or TENSORBOARD_PORT
    with kubeconfig_file(account, team) as config:
        say(f"TensorBoard: http://localhost:{here} (Ctrl-C ends the connection, not TensorBoard)")
        command = [kubectl, "--kubeconfig", str(config), "--namespace", SYSTEM_NAMESPACE, "port-forward"]
        return run([*command, f"service/{TENSORBOARD_SERVICE}", f"{here}:{TENSORBOARD_PORT}"])

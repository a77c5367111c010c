"""Whether the AMI of Batch hosts exists, and whether its Neuron driver runs the team's images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from ops.aws import Account
from ops.preflight.finding import Findings, Reporter
from spec.compatibility import neuron_sdk
from spec.node_images import driver_in
from spec.team import Team
from spec.versions import ECS_NEURON_AMI_PARAMETER

REPORT = Reporter("batch image")


def check(account: Account, team: Team) -> Findings:
    if team.batch is None:
        return
    image_id = team.batch.ami_id
    if image_id is None:
        image_id = account.client("ssm").get_parameter(Name=ECS_NEURON_AMI_PARAMETER)["Parameter"]["Value"]
    yield from judge(image_id, _describe(account, image_id), sdk=team.neuron_sdk)


def judge(image_id: str, image: Mapping[str, Any] | None, *, sdk: str) -> Findings:
    if image is None:
        yield REPORT.error(image_id, "no such AMI", "one of this Region that this account may use")
        return
    report = REPORT.ok if image["State"] == "available" else REPORT.error
    yield report(image_id, image["State"], "available")
    text = f"{image.get('Name', '')} {image.get('Description', '')}".strip()
    driver, subject = driver_in(text), f"driver of {image_id}"
    if driver is None:
        expected = f"one that runs SDK {sdk}; on a host: cat /sys/module/neuron/version; batch.ami_id pins an AMI"
        yield REPORT.warning(subject, f"not told by {text or 'its name'}", expected)
    else:
        report = REPORT.ok if neuron_sdk(sdk).runs_on(driver) else REPORT.error
        yield report(subject, ".".join(map(str, driver)), f"one that runs SDK {sdk}")


def _describe(account: Account, image_id: str) -> Mapping[str, Any] | None:
    try:
        found: list[Mapping[str, Any]] = account.client("ec2").describe_images(ImageIds=[image_id])["Images"]
    except ClientError as error:
        if error.response["Error"]["Code"].startswith("InvalidAMIID"):
            return None
        raise
    return found[0] if found else None

"""Whether the AMI release of Trainium nodes exists and its Neuron driver runs the team's images."""

from __future__ import annotations

from botocore.exceptions import ClientError

from ops.aws import Account
from ops.preflight.finding import Findings, PreflightFinding, Reporter
from spec.compatibility import listed_image, neuron_sdk
from spec.node_images import IMAGE_OWNER, eks_image_name, eks_image_parameter
from spec.team import Team

REPORT = Reporter("node image")


def check(account: Account, team: Team) -> Findings:
    if team.eks is None:
        return
    release = team.eks.node_release(team.neuron_sdk)
    yield driver_fits(release, team.neuron_sdk)
    name, image = eks_image_name(release), _image_id(account, release)
    if image is None:
        expected = "a release that EKS publishes in this Region; eks.release_version chooses one"
        yield REPORT.error(f"release {release}", f"no AMI {name}", expected)
    else:
        yield REPORT.ok(f"release {release}", image, name)


def driver_fits(release: str, sdk: str) -> PreflightFinding:
    image, subject = listed_image(release), f"driver of {release}"
    if image is None:
        expected = f"one that runs SDK {sdk}: read its release note, the built-in table does not list it"
        return REPORT.warning(subject, "unknown", expected)
    report = REPORT.ok if neuron_sdk(sdk).runs_on(image.driver) else REPORT.error
    return report(subject, ".".join(map(str, image.driver)), f"one that runs SDK {sdk}")


def _image_id(account: Account, release: str) -> str | None:
    """AMI id by public parameter, or by name where there is no parameter; None where there is neither."""
    try:
        return str(account.client("ssm").get_parameter(Name=eks_image_parameter(release))["Parameter"]["Value"])
    except ClientError as error:
        if error.response["Error"]["Code"] != "ParameterNotFound":
            raise
    filters = [{"Name": "name", "Values": [eks_image_name(release)]}]
    found = account.client("ec2").describe_images(Owners=[IMAGE_OWNER], Filters=filters)["Images"]
    return str(found[0]["ImageId"]) if found else None

"""Whether ECR answers, and the team's container images are in it."""

from __future__ import annotations

from botocore.exceptions import ClientError

from ops.aws import Account
from ops.deployed import deployed
from ops.preflight.finding import Findings, PreflightFinding, Reporter
from spec.names import StackName, repository_uri_output
from spec.team import Team

REPORT = Reporter("container images")


def check(account: Account, team: Team) -> Findings:
    found = account.client("ecr").get_authorization_token()["authorizationData"]
    yield REPORT.ok("ECR", f"{found[0]['proxyEndpoint']}", "an authorization token")
    storage = deployed(account, team, StackName.STORAGE)
    if storage is None:
        yield REPORT.ok(
            "repositories", "not deployed", f"{team.name}/Storage; then `trn images push {team.name} IMAGE`"
        )
        return
    for image in team.repositories:
        uri = storage.get(repository_uri_output(image))
        if uri is None:
            yield REPORT.warning(image, "no repository yet", f"a deployment of {team.name}/Storage makes it")
        else:
            yield _look(account, team, image, repository=uri.partition("/")[2])


def _look(account: Account, team: Team, image: str, *, repository: str) -> PreflightFinding:
    tag = team.image_tag
    try:
        account.client("ecr").describe_images(repositoryName=repository, imageIds=[{"imageTag": tag}])
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code == "ImageNotFoundException":
            return REPORT.warning(
                image, f"no image {tag}", f"`trn images push {team.name} {image}` before the first job"
            )
        if code == "RepositoryNotFoundException":
            return REPORT.error(image, f"no repository {repository}", f"a deployment of {team.name}/Storage makes it")
        raise
    return REPORT.ok(image, tag, tag)

"""Whether a team's image has been pushed; a run without it would hold its nodes and pull for ever."""

from __future__ import annotations

from collections.abc import Mapping

from botocore.exceptions import ClientError

from ops.aws import DENIED, Account
from ops.errors import RefusedError
from spec.job_fields import is_reference
from spec.names import repository_uri_output
from spec.team import Team


def check_image(account: Account, team: Team, image: str, storage: Mapping[str, str]) -> None:
    """RefusedError where the repository of an image of the team lacks the team file's tag.

    `storage`: outputs of the team's Storage stack.

    Whoever may not look into the repository is not stopped: submitting needs no such permission.
    """
    if is_reference(image):
        return
    repository = storage[repository_uri_output(image)].partition("/")[2]
    try:
        account.client("ecr").describe_images(repositoryName=repository, imageIds=[{"imageTag": team.image_tag}])
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code in DENIED:
            return
        if code != "ImageNotFoundException":
            raise
        raise RefusedError(
            f"image {image}: the repository has no tag {team.image_tag}; "
            f"run `trn images push {team.name} {image}` first"
        ) from None

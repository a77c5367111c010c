"""Whether an existing artifact bucket is there, in the team's Region."""

from __future__ import annotations

from botocore.exceptions import ClientError

from ops.aws import Account
from ops.preflight.finding import Findings, PreflightFinding, Reporter
from spec.team import Team

REPORT = Reporter("bucket")


def check(account: Account, team: Team) -> Findings:
    name = team.storage.bucket
    if name is None:
        return
    try:
        region = account.client("s3").head_bucket(Bucket=name).get("BucketRegion")
    except ClientError as error:
        # HeadBucket has no body, so that its errors are HTTP statuses.
        # https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html
        code = error.response["Error"]["Code"]
        if code in ("404", "NoSuchBucket"):
            yield REPORT.error(name, "no such bucket", "the name of an existing bucket; absent = define one")
        elif code in ("403", "AccessDenied"):
            yield REPORT.warning(name, "access denied", "this role may s3:ListBucket; is it a bucket of this account?")
        else:
            raise
        return
    yield judge(name, region, team.region)


def judge(name: str, region: str | None, expected: str) -> PreflightFinding:
    if region is None:
        return REPORT.warning(name, "a bucket of unknown Region", expected)
    return (REPORT.ok if region == expected else REPORT.error)(name, region, expected)

"""`make rehearse`: README's tutorials, from `cdk bootstrap` to `cdk destroy`, against the stand-in account.

Run as `python -m tests.account.rehearse`; prints each command with what it printed, and what exists at the end. Exits
with 1 if a command failed: what follows it is run nevertheless, so that the team is taken down.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import boto3

from spec.names import TEAM_TAG
from tests.account.shell import TUTORIALS, account, confirmed, copy_checkout, run, tutorial


def main() -> int:
    began = time.monotonic()
    failed: list[str] = []
    lines = [confirmed(line) for title in TUTORIALS for block in tutorial(title) for line in block]
    with tempfile.TemporaryDirectory() as folder, account(Path(folder)) as variables:
        checkout = Path(folder) / "checkout"
        copy_checkout(checkout)
        for line in lines:
            print(f"\n$ {line}", flush=True)
            start = time.monotonic()
            done = run(line, cwd=checkout, variables=variables)
            print(done.stdout.rstrip())
            print(f"-> exit code {done.returncode} after {time.monotonic() - start:.1f} s", flush=True)
            failed += [line] if done.returncode else []
        print("\nstill there:")
        print("\n".join(f"  {arn}" for arn in _left(variables)) or "  nothing")
    print(f"\n{len(lines)} commands, {len(failed)} failed, {time.monotonic() - began:.0f} s")
    print("".join(f"failed: {line}\n" for line in failed), end="")
    return 1 if failed else 0


def _left(variables: dict[str, str]) -> list[str]:
    """ARNs that the account still lists under the tag of any team."""
    client = boto3.client(
        "resourcegroupstaggingapi",
        endpoint_url=variables["AWS_ENDPOINT_URL"],
        region_name=variables["AWS_REGION"],
        aws_access_key_id=variables["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=variables["AWS_SECRET_ACCESS_KEY"],
    )
    pages = client.get_paginator("get_resources").paginate(TagFilters=[{"Key": TEAM_TAG}])
    return sorted(it["ResourceARN"] for page in pages for it in page["ResourceTagMappingList"])


if __name__ == "__main__":
    sys.exit(main())

"""docs/ and the sample teams against the models."""

import json
import re
from datetime import date
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from spec.compatibility import KUBERNETES_VERSIONS
from spec.job_file import check_job
from spec.kubernetes_versions import AS_OF, SUPPORT_WINDOWS
from spec.schema import job_key_tables, job_schema_text, key_tables, schema_text
from spec.team_file import check_team, find_team_files
from tests.spec.samples import BATCH, EKS, edited

ROOT = Path(__file__).parents[2]
SAMPLES = find_team_files(ROOT / "teams")
JOBS = sorted((ROOT / "jobs").glob("*.yaml"))
HEADER = "# yaml-language-server: $schema=../docs/team.schema.json\n"


def validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema_text()))


def test_schema_file_is_current() -> None:
    assert (ROOT / "docs/team.schema.json").read_text() == schema_text(), "trn schema > docs/team.schema.json"


def test_page_has_the_current_key_tables() -> None:
    page = (ROOT / "docs/team-file.md").read_text()
    assert page.endswith(key_tables()), "replace the tables of docs/team-file.md by those of trn schema --markdown"


def test_the_examples_of_the_page_have_no_finding(tmp_path: Path) -> None:
    examples = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs/team-file.md").read_text(), re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        (tmp_path / "team.yaml").write_text(example)
        assert check_team(tmp_path / "team.yaml")[1] == []


def test_schema_is_valid() -> None:
    Draft202012Validator.check_schema(json.loads(schema_text()))
    Draft202012Validator.check_schema(json.loads(job_schema_text()))


def test_job_schema_file_is_current() -> None:
    assert (ROOT / "docs/job.schema.json").read_text() == job_schema_text(), "trn schema job > docs/job.schema.json"


def test_job_page_has_the_current_key_tables() -> None:
    page = (ROOT / "docs/job-file.md").read_text()
    assert page.endswith(job_key_tables()), (
        "replace the tables of docs/job-file.md by those of trn schema job --markdown"
    )


@pytest.mark.parametrize("path", JOBS, ids=[path.stem for path in JOBS])
def test_sample_job_fits_its_schema_and_has_no_finding(path: Path) -> None:
    text = path.read_text()
    assert text.startswith(HEADER.replace("team", "job"))
    assert list(Draft202012Validator(json.loads(job_schema_text())).iter_errors(yaml.safe_load(text))) == []
    job, findings = check_job(path)
    assert job is not None
    assert findings == []


def test_the_example_of_the_job_page_has_no_finding(tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs/job-file.md").read_text(), re.DOTALL)
    (tmp_path / "job.yaml").write_text(example)
    assert check_job(tmp_path / "job.yaml")[1] == []


@pytest.mark.parametrize("path", SAMPLES, ids=[path.stem for path in SAMPLES])
def test_sample_has_no_finding(path: Path) -> None:
    team, findings = check_team(path)
    assert team is not None
    assert findings == []


@pytest.mark.parametrize("path", SAMPLES, ids=[path.stem for path in SAMPLES])
def test_sample_fits_the_schema_that_it_names(path: Path) -> None:
    text = path.read_text()
    assert text.startswith(HEADER)
    assert list(validator().iter_errors(yaml.safe_load(text))) == []


@pytest.mark.parametrize(
    "text",
    [
        edited(BATCH, ("us-west-2", "us_west_2")),
        edited(BATCH, ("usw2-az4", "us-west-2d")),
        edited(BATCH, ("max_nodes: 4", "max_nodes: 0")),
        edited(BATCH, ("trn1.32xlarge", "inf2.48xlarge")),
        edited(EKS, ("name: trn1", "name: Trn1")),
        f"{BATCH}account: 111122223333\n",
        f"{BATCH}unknown: 1\n",
        BATCH[: BATCH.index("batch:")],
        f"{BATCH}  capacity: spot\n",
        f"{BATCH}  capacity: {{reservation: cr-1}}\n",
        f"{BATCH}  placement_group: our group\n",
        f"{BATCH}tags: {{a*: b}}\n",
    ],
)
def test_editors_see_common_mistakes(text: str) -> None:
    assert list(validator().iter_errors(yaml.safe_load(text)))


def test_support_windows_cover_the_table_of_node_images() -> None:
    assert set(SUPPORT_WINDOWS) == set(KUBERNETES_VERSIONS)


@pytest.mark.parametrize(
    ("day", "support"),
    [
        (date(2026, 7, 29), "standard"),
        (AS_OF, "extended"),
        (date(2027, 7, 29), "extended"),
        (date(2027, 7, 30), "ended"),
    ],
)
def test_support_window_of_1_33(day: date, support: str) -> None:
    assert SUPPORT_WINDOWS["1.33"].on(day) == support

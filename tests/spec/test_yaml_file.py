"""Files that are not YAML, or more YAML than a team file takes."""

import os
from pathlib import Path

import pytest

from spec.team_file import check_team
from tests.spec.conftest import Told
from tests.spec.samples import BATCH, edited

EMPTY = "1: file: got an empty file, expected at least the keys region, network and one of eks and batch"
KEYS = "region, network, account, neuron_sdk, images, image_revision, storage, eks, batch, tags"

TEXTS = {
    "empty": ("", [EMPTY]),
    "only a comment": ("# to do\n", [EMPTY]),
    "only a document mark": ("---\n", [EMPTY]),
    "a list at top level": ("- region\n- network\n", [f"1: file: got a list, expected a mapping (keys: {KEYS})"]),
    "a word at top level": ("\nhello\n", [f"2: file: got hello, expected a mapping (keys: {KEYS})"]),
    "a tab in the indentation": (
        edited(BATCH, ("  training_zone", "\ttraining_zone")),
        ["3: file: got a tab in the indentation, expected spaces"],
    ),
    "a tab after spaces": (
        edited(BATCH, ("  max_nodes", " \tmax_nodes")),
        ["6: file: got a tab in the indentation, expected spaces"],
    ),
    "an open bracket": (
        f"{BATCH}tags: {{a: b\n",
        ["7: file: got text that is not YAML (did not find expected ',' or '}'), expected lines of `key: value`"],
    ),
    "an open quote": (
        f'{BATCH}account: "1\n',
        ["7: file: got text that is not YAML (found unexpected end of stream), expected lines of `key: value`"],
    ),
    "a stray character": (
        f"{BATCH}@tags: {{}}\n",
        [
            "7: file: got text that is not YAML (found character that cannot start any token), "
            "expected lines of `key: value`"
        ],
    ),
    "a duplicate key": (
        f"{BATCH}region: us-east-1\n",
        ["7: region: got the key again (first on line 1), expected each key once"],
    ),
    "a duplicate key further in": (
        f"{BATCH}  max_nodes: 8\n",
        ["7: batch.max_nodes: got the key again (first on line 6), expected each key once"],
    ),
    "a second document": (
        f"{BATCH}---\nregion: us-east-1\n",
        ["7: file: got a second document (---), expected one document per file"],
    ),
    "an anchor and its alias": (
        edited(BATCH, ("  max_nodes: 4", "  max_nodes: &n 4\n  attempts: *n")),
        [
            "6: batch.max_nodes: got an anchor (&n), expected the value without it, written out where needed",
            "7: batch.attempts: got an alias (*n), expected the value itself, written out",
        ],
    ),
    "a merge key": (
        f"{BATCH}  <<: {{attempts: 2}}\n",
        ["7: batch.<<: got a merge key, expected the keys themselves, written out"],
    ),
    "a Python tag": (
        f"{BATCH}tags: !!python/object/apply:os.system [id]\n",
        ["7: tags: got a YAML tag (!!python/object/apply:os.system), expected a plain value without a tag"],
    ),
    "a tag of YAML's own": (
        f"{BATCH}account: !!str 111122223333\n",
        ["7: account: got a YAML tag (!!str), expected a plain value without a tag"],
    ),
    "a local tag": (
        f"{BATCH}tags: !Ref\n",
        ["7: tags: got a YAML tag (!Ref), expected a plain value without a tag"],
    ),
    "a tagged key": (
        f"{BATCH}!!str tags: {{}}\n",
        ["7: tags: got a key with an anchor or a tag, expected a plain key"],
    ),
    "a list as key": (
        f"{BATCH}? [a, b]\n: 1\n",
        ["7: file: got a key that is not text, expected a plain key"],
    ),
    "an alias to nothing": (
        f"{BATCH}tags: *base\n",
        ["7: tags: got an alias (*base), expected the value itself, written out"],
    ),
    "deep nesting": (
        f"{BATCH}tags: {'[' * 20}{']' * 20}\n",
        ["7: file: got more than 16 levels of nesting, expected the few levels that team and job files have"],
    ),
}


@pytest.mark.parametrize(("text", "findings"), TEXTS.values(), ids=list(TEXTS))
def test_fails_on_the_notation(text: str, findings: list[str], told: Told) -> None:
    assert told(text) == findings


CONTENTS = {
    "10 MB of garbage": (os.urandom(1024) * 10_240, "1: file: got more than 1 MiB, expected a file of a few kilobytes"),
    "Latin-1": (
        b"region: us-west-2\ntags: {a: Z\xfcrich}\n",
        "2: file: got byte 0xfc, which is not UTF-8, expected UTF-8 text",
    ),
    "UTF-16": ("region: us-west-2".encode("utf-16"), "1: file: got byte 0xff, which is not UTF-8, expected UTF-8 text"),
    "a NUL byte": (b"region: us-west-2\n\0", "2: file: got the control character U+0000, expected printable text"),
    "an escape character": (b"# \x1b[31mred\n", "1: file: got the control character U+001B, expected printable text"),
}


@pytest.mark.parametrize(("content", "finding"), CONTENTS.values(), ids=list(CONTENTS))
def test_fails_on_the_bytes(content: bytes, finding: str, tmp_path: Path) -> None:
    path = tmp_path / "team.yaml"
    path.write_bytes(content)
    assert [str(item) for item in check_team(path)[1]] == [f"{path}:{finding}"]


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "team.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + BATCH.replace("\n", "\r\n").encode())
    team, findings = check_team(path)
    assert team is not None
    assert findings == []


def test_fails_on_a_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "team.yaml"
    _, findings = check_team(path)
    assert [str(item) for item in findings] == [f"{path}:1: file: got no such file, expected the path of a .yaml file"]


def test_fails_on_a_directory(tmp_path: Path) -> None:
    _, findings = check_team(tmp_path)
    assert [str(item) for item in findings] == [
        f"{tmp_path}:1: file: got a directory, expected the path of a .yaml file"
    ]


def test_fails_on_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "team.yaml"
    os.mkfifo(path)
    _, findings = check_team(path)
    assert [str(item) for item in findings] == [
        f"{path}:1: file: got something that is not a regular file, expected the path of a .yaml file"
    ]


def test_fails_on_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "team.yaml"
    path.write_text(BATCH)

    def refuse(*_: object) -> None:  # root reads any file, whatever its mode
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    _, findings = check_team(path)
    assert [str(item) for item in findings] == [
        f"{path}:1: file: got a file that cannot be read (Permission denied), expected a readable file"
    ]


def test_a_file_full_of_mistakes_is_cut_short(told: Told) -> None:
    findings = told(BATCH + "".join(f"k{number}: 1\n" for number in range(500)))
    assert len(findings) == 101
    assert findings[-1] == "1: file: got 400 findings more, expected the ones above to be dealt with first"

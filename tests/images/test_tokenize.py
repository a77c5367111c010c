"""trn-tokenize: the user's tokenizer in, a dataset where the Llama-2 profile looks for it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.images.container import Container

# Does what get_dataset.py does: reads the tokenizer from the working directory, writes below the home directory.
GET_DATASET = """
import os, pathlib, sys
assert pathlib.Path("tokenizer.model").exists()
assert sys.argv[1:] == ["--llama-version", "2"]
made = pathlib.Path(os.path.expanduser("~/examples_datasets/wikicorpus_llama2_tokenized_4k"))
made.mkdir(parents=True)
(made / "data-00000-of-00001.arrow").touch()
(made / "dataset_info.json").touch()
"""


@pytest.fixture
def places(container: Container) -> tuple[Path, Path]:
    tokenizer, out = container.root / "tokenizer", container.root / "out"
    tokenizer.mkdir()
    out.mkdir()
    (tokenizer / "tokenizer.model").touch()
    (container.root / "get_dataset.py").write_text(GET_DATASET)
    return tokenizer, out


def tokenize(container: Container, places: tuple[Path, Path]) -> subprocess.CompletedProcess[str]:
    program = ROOT / "images" / "llama2" / "trn-tokenize"
    return container.run(str(program), *map(str, places), GET_DATASET=str(container.root / "get_dataset.py"))


def test_the_dataset_is_where_jobs_look(container: Container, places: tuple[Path, Path]) -> None:
    (places[1] / "llama2.partial" / "examples_datasets" / "of_an_earlier_try").mkdir(parents=True)
    done = tokenize(container, places)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in places[1].iterdir()] == ["llama2"]
    assert list((places[1] / "llama2").glob("*.arrow"))


def test_a_second_time_does_nothing(container: Container, places: tuple[Path, Path]) -> None:
    (places[1] / "llama2").mkdir()
    assert "is there already" in tokenize(container, places).stdout
    assert list((places[1] / "llama2").iterdir()) == []


def test_fails_without_a_tokenizer(container: Container, places: tuple[Path, Path]) -> None:
    (places[0] / "tokenizer.model").unlink()
    done = tokenize(container, places)
    assert done.returncode == 78
    assert "expected the Llama-2 tokenizer" in done.stderr


@pytest.mark.parametrize(("script", "code"), [("raise SystemExit(3)", 3), ("", 1)])
def test_fails_when_the_script_makes_nothing(
    container: Container, places: tuple[Path, Path], script: str, code: int
) -> None:
    (container.root / "get_dataset.py").write_text(script)
    done = tokenize(container, places)
    assert done.returncode == code
    assert not (places[1] / "llama2").exists()

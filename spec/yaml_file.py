"""Reading a YAML file that a person may have got wrong in any way."""

import re
from pathlib import Path

import yaml

from spec.yaml_nodes import Document, UnreadableError, parse

MAX_BYTES = 1024 * 1024
"""Far above any file a person writes; a larger one is not parsed."""

_CONTROL = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What YAML does not count as printable. https://yaml.org/spec/1.1/#c-printable"""


def read_document(path: Path) -> Document:
    """The document in a file; UnreadableError where there is none."""
    text = _text(_content(path))
    try:
        return parse(text)
    except yaml.YAMLError as error:
        raise _syntax_error(error, text) from None


def _content(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise UnreadableError(1, "a directory", "the path of a .yaml file")
        if path.exists() and not path.is_file():
            raise UnreadableError(1, "something that is not a regular file", "the path of a .yaml file")
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise UnreadableError(1, "no such file", "the path of a .yaml file") from None
    except OSError as error:
        raise UnreadableError(1, f"a file that cannot be read ({error.strerror})", "a readable file") from None
    except ValueError:  # a NUL character in the path itself
        raise UnreadableError(1, "no such file", "the path of a .yaml file") from None
    if len(content) > MAX_BYTES:
        raise UnreadableError(1, "more than 1 MiB", "a file of a few kilobytes")
    return content


def _text(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UnreadableError(line, f"byte 0x{content[error.start]:02x}, which is not UTF-8", "UTF-8 text") from None
    if control := _CONTROL.search(text):
        line = text.count("\n", 0, control.start()) + 1
        raise UnreadableError(line, f"the control character U+{ord(control[0]):04X}", "printable text")
    return text


def _syntax_error(error: yaml.YAMLError, text: str) -> UnreadableError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    lines = text.splitlines()
    index = min(mark.line if mark is not None else 0, max(len(lines) - 1, 0))
    if lines and re.match(r" *\t", lines[index]):
        return UnreadableError(index + 1, "a tab in the indentation", "spaces")
    reason = getattr(error, "problem", None) or "not parseable"
    return UnreadableError(index + 1, f"text that is not YAML ({reason})", "lines of `key: value`")

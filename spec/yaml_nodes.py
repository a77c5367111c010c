"""YAML values that keep their line and the text their author wrote.

A subset of YAML is read: one document of plain mappings, lists and scalars. Anchors, merge keys and tags are refused,
because a value that stands elsewhere cannot be reviewed where it is used.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

import yaml

from spec.findings import FILE, Loc, Problem

PLAIN_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
"""What every reader takes for the same number: 010 is 8 and 1:30 is 90 in YAML 1.1, and in no editor."""
MAX_DEPTH = 16
"""Levels of nesting; a team file has four."""

Kind = Literal["mapping", "list", "text", "number", "boolean", "null", "date"]

# The C parser is ten times faster and part of every binary wheel; both give the same events.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVER: Any = yaml.resolver.Resolver()
_CONSTRUCTOR: Any = yaml.constructor.SafeConstructor()
_KINDS: dict[str, Kind] = {"int": "number", "float": "number", "bool": "boolean", "null": "null", "timestamp": "date"}


class UnreadableError(Exception):
    """The file has no content to look at; holds the line and the one problem to tell."""

    def __init__(self, line: int, got: str, expected: str) -> None:
        super().__init__(got)
        self.line = line
        self.problem = Problem("error", (FILE,), got, expected)


@dataclass(slots=True)
class Node:
    """One value of a file."""

    kind: Kind
    line: int
    """1-based line of its key, or of the value itself in a list."""
    raw: str = ""
    """A scalar as it was written, without quotes."""
    value: object = None
    children: "dict[str | int, Node]" = field(default_factory=dict)

    def data(self) -> object:
        """The value in plain dicts, lists and scalars."""
        if self.kind == "mapping":
            return {key: child.data() for key, child in self.children.items()}
        if self.kind == "list":
            return [child.data() for child in self.children.values()]
        return self.value


@dataclass(slots=True)
class Document:
    """A parsed file, with what is wrong in its notation, by line."""

    root: Node
    problems: list[tuple[int, Problem]]

    def node(self, loc: Loc) -> Node | None:
        node: Node | None = self.root
        for step in loc:
            node = node.children.get(step) if node is not None else None
        return node

    def line(self, loc: Loc) -> int:
        """Line of a value, or of its nearest enclosing key where it is absent."""
        while loc and self.node(loc) is None:
            loc = loc[:-1]
        found = self.node(loc)
        return found.line if found is not None else self.root.line


def parse(text: str) -> Document:
    """The document in a text; yaml.YAMLError where it is not YAML, UnreadableError where it is empty or too deep."""
    return _Parser(text).document()


class _Parser:
    """One pass over YAML events that builds nodes and notes refused notation."""

    def __init__(self, text: str) -> None:
        self._events: Iterator[yaml.Event] = yaml.parse(text, Loader=_Loader)
        self._problems: list[tuple[int, Problem]] = []

    def document(self) -> Document:
        root: Node | None = None
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    self._refuse(event, (FILE,), "a second document (---)", "one document per file")
                    break
                first = next(self._events)
                root = self._node(first, (), _line(first))
        return Document(root or Node("null", 1), self._problems)

    def _refuse(self, event: yaml.Event, loc: Loc, got: str, expected: str) -> None:
        self._problems.append((_line(event), Problem("error", loc or (FILE,), got, expected)))

    def _node(self, event: yaml.Event, loc: Loc, line: int) -> Node:
        if len(loc) > MAX_DEPTH:
            raise UnreadableError(
                line, f"more than {MAX_DEPTH} levels of nesting", "the few levels that team and job files have"
            )
        if isinstance(event, yaml.AliasEvent):
            self._refuse(event, loc, f"an alias (*{event.anchor})", "the value itself, written out")
            return Node("null", line)
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            self._refuse(event, loc, f"an anchor (&{event.anchor})", "the value without it, written out where needed")
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag is not None:
            tag = str(event.tag).replace("tag:yaml.org,2002:", "!!")
            self._refuse(event, loc, f"a YAML tag ({tag})", "a plain value without a tag")
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(loc, line)
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event, line)
        return self._list(loc, line)

    def _mapping(self, loc: Loc, line: int) -> Node:
        node = Node("mapping", line)
        while not isinstance(key := next(self._events), yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                self._pass_over(key, loc)
                continue
            name = key.value
            if key.anchor is not None or key.tag is not None:
                self._refuse(key, (*loc, name), "a key with an anchor or a tag", "a plain key")
            child = self._node(next(self._events), (*loc, name), _line(key))
            if name == "<<":
                self._refuse(key, (*loc, name), "a merge key", "the keys themselves, written out")
            elif name in node.children:
                first = node.children[name].line
                self._refuse(key, (*loc, name), f"the key again (first on line {first})", "each key once")
            else:
                node.children[name] = child
        return node

    def _pass_over(self, key: yaml.Event, loc: Loc) -> None:
        """Reads a key that is no scalar, and its value."""
        self._refuse(key, loc, "a key that is not text", "a plain key")
        self._node(key, (*loc, ""), _line(key))
        value = next(self._events)
        self._node(value, (*loc, ""), _line(value))

    def _list(self, loc: Loc, line: int) -> Node:
        node = Node("list", line)
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            index = len(node.children)
            node.children[index] = self._node(event, (*loc, index), _line(event))
        return node


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark is not None else 1


def _scalar(event: yaml.ScalarEvent, line: int) -> Node:
    """A scalar as YAML 1.1 reads it: `no` is false, 1.30 is 1.3 and 0123 is octal."""
    raw = event.value
    if event.style in ("'", '"', "|", ">"):
        return Node("text", line, raw, raw)
    tag = str(_RESOLVER.resolve(yaml.ScalarNode, raw, (True, False)))
    name = tag.rpartition(":")[2]
    kind = _KINDS.get(name, "text")
    value: object = raw
    if kind == "null":
        value = None
    elif kind == "date":
        value = date.min  # any date will do: no key takes one
    elif kind != "text":
        try:
            value = getattr(_CONSTRUCTOR, f"construct_yaml_{name}")(yaml.ScalarNode(tag, raw))
            if name == "int" and not PLAIN_INTEGER.fullmatch(raw):
                value = float(int(str(value)))  # which no key for whole numbers takes
        except (ValueError, OverflowError):  # such as 0x_, or a number of five thousand digits
            kind = "text"
    return Node(kind, line, raw, value)

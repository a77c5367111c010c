"""Operations that the stand-in account answers in moto's place."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Answer = Callable[[str, dict[str, Any]], dict[str, Any]]
"""From a URL's path and the request's JSON, or its query, to the answer's JSON."""


class RefusedError(Exception):
    """The service refuses a request."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


def route(answer: Answer) -> Callable[[Any, str, Any], tuple[int, dict[str, str], str]]:
    """What moto's server calls for a REST-JSON operation."""

    def called(request: Any, full_url: str, _headers: Any) -> tuple[int, dict[str, str], str]:
        url = urlsplit(full_url)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        try:
            asked = json.loads(request.get_data() or b"{}")
            return 200, {}, json.dumps(answer(unquote(url.path), query | asked))
        except RefusedError as error:
            return error.status, {"x-amzn-errortype": error.code}, json.dumps({"message": str(error)})

    called.__name__ = getattr(answer, "__name__", "answer")
    return called

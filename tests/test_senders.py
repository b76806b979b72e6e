"""One package sends the requests of all programs of the venue."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from support.sources import imports, none, trees

SENDING: Final = "src/venue/client/transport/"
BY: Final = ("http.client", "urllib.request", "httpx", "requests")


def test_one_package_sends_requests() -> None:
    """A second sender would sign, wait and fail in a way of its own."""
    none(
        [
            f"{path}:{line}: {name} is for {SENDING}"
            for path, tree in trees().items()
            if path.parts[0] == "src" and not path.as_posix().startswith(SENDING)
            for name, line in sent_by(tree)
        ]
    )


def sent_by(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The modules by which a program could send requests over HTTP."""
    for name, line in imports(tree):
        if name.startswith(BY):
            yield name, line


def test_a_second_sender_is_seen() -> None:
    planted = "import json\nfrom urllib.request import urlopen\nimport http.client"
    assert [line for _, line in sent_by(ast.parse(planted))] == [2, 3]

"""Texts of the house: nothing is left undone, no machine is named, the pages speak of the venue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest

from support.sources import ROOT, files, none, text, trees

NOT_OURS = ("LICENSE",)
SHOWN = 100  # characters of a line, in a failure

MACHINE = re.compile(
    r"(?<![\w.~])/(?:work|root|home|opt|Users)(?:/\w)"
    r"|(?:pypi|pythonhosted|npmjs|debian|golang)[.](?:org|com)"
    r"|crates[.]io"
)
PROCESS = re.compile(
    r"\b(?:pull request|sprint|backlog|roadmap|milestone|reviewer|work in progress"
    r"|coming soon|more to come|language model|chatbot|LLM|GPT|Copilot|Claude"
    r"|AI[- ](?:assistant|generated)|issue #?\d+)s?\b",
    re.IGNORECASE,
)
UNDONE = re.compile(r"\b(?:TODO|FIXME|XXX)\b(?!.*#\d)")


def test_nothing_is_left_undone_without_a_number() -> None:
    own = ("tests/test_texts.py",)
    none(list(told([path.as_posix() for path in trees() if path.as_posix() not in own], UNDONE)))


def test_no_machine_paths_or_registries() -> None:
    own = [path for path in files() if path.name not in NOT_OURS]
    none(list(told([path.relative_to(ROOT).as_posix() for path in own], MACHINE)))


def test_the_pages_speak_of_the_venue() -> None:
    pages = [path.relative_to(ROOT).as_posix() for path in files() if path.suffix == ".md"]
    assert pages
    none(list(told(pages, PROCESS)))


def told(paths: Iterable[str], pattern: re.Pattern[str]) -> Iterator[str]:
    """The lines of files that have something of the pattern."""
    for path in paths:
        for number, line in enumerate(text(ROOT / path).splitlines(), 1):
            if pattern.search(line):
                yield f"{path}:{number}: {line.strip()[:SHOWN]}"


@pytest.mark.parametrize(
    ("pattern", "seen", "unseen"),
    [
        (UNDONE, "# TO" + "DO: later", "# TO" + "DO: later, see #7"),
        (MACHINE, "open('/ho" + "me/me/a')", "open('/dev/null')"),
        (MACHINE, "from https://pypi" + ".org/simple", "from the registry"),
        (PROCESS, "A mile" + "stone.", "A stone."),
        (PROCESS, "See iss" + "ue 11.", "An issue of bonds."),
    ],
)
def test_a_text_out_of_place_is_seen(pattern: re.Pattern[str], seen: str, unseen: str) -> None:
    assert pattern.search(seen)
    assert not pattern.search(unseen)

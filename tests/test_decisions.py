"""The pages of decisions: each entry has its date and its status and is short, the newest first."""

from __future__ import annotations

import re

from support.sources import ROOT, none, text

FOLDER = ROOT / "docs" / "decisions"
WORDS = 80
BEGIN = re.compile(r"\*(2\d{3}-\d\d-\d\d), (holds|replaced by \[([^\]]+)\]\(([^)]*)\))\.\* ")


def entries(page: str) -> list[tuple[str, str]]:
    """The title and the text of each entry of a page."""
    parts = re.split(r"^## (.*)$", text(FOLDER / page), flags=re.MULTILINE)[1:]
    return [
        (title, " ".join(body.split())) for title, body in zip(parts[::2], parts[1::2], strict=True)
    ]


def slug(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def test_each_entry_has_a_date_and_a_status_and_is_short() -> None:
    pages = {path.name: entries(path.name) for path in sorted(FOLDER.glob("*.md"))}
    assert not pages.pop("README.md")
    wrong = []
    for page, found in pages.items():
        dates = []
        for title, body in found:
            begin = BEGIN.match(body)
            if begin is None:
                wrong.append(f"{page}: {title}: begin it with *DATE, holds.*")
                continue
            dates.append(begin[1])
            if len(body[begin.end() :].split()) > WORDS:
                wrong.append(f"{page}: {title}: more than {WORDS} words")
            if begin[3]:
                other, _, place = begin[4].partition("#")
                titles = [slug(one) for one, _ in pages[other or page]]
                if place != slug(begin[3]) or place not in titles:
                    wrong.append(f"{page}: {title}: no entry {begin[4]}")
        if dates != sorted(dates, reverse=True):
            wrong.append(f"{page}: the newest entry comes first")
    none(wrong)


def test_the_index_names_each_page_and_counts_its_entries() -> None:
    rows = re.findall(
        r"^\| \[.*\]\((.*)\) \|.*\| (\d+) \|$", text(FOLDER / "README.md"), re.MULTILINE
    )
    pages = sorted(path.name for path in FOLDER.glob("*.md") if path.name != "README.md")
    assert sorted(rows) == [(page, str(len(entries(page)))) for page in pages]

"""Articles and banners: questions of owners (rows J), posts of the operator (rows V)."""

from __future__ import annotations

from typing import Any

from support.refusals.affiliates import paged
from support.refusals.cases import Accepted, Case, changed, get
from support.refusals.operators import operate

CONTENT = "/api/v3/content"
DETAIL, LIST = f"{CONTENT}/articles/detail", f"{CONTENT}/articles/list"
OF_COIN, BANNERS = f"{CONTENT}/articles/listByCoin", f"{CONTENT}/banners/latest"
ARTICLE: dict[str, Any] = {"title": "News", "content": "Two\nlines", "coins": ["BTC"]}
BANNER: dict[str, Any] = {
    "title": "Look", "imageUrl": "https://venue.test/a.png", "linkUrl": "https://venue.test/a",
}  # fmt: skip


def article(code: int, *words: str, **changes: Any) -> Case:
    return operate("V24", "articles", changed(ARTICLE, changes), code, *words)


def banner(code: int, *words: str, **changes: Any) -> Case:
    return operate("V24", "banners", changed(BANNER, changes), code, *words)


def _pages(path: str, more: str = "") -> list[Case]:
    return [case for case in paged(path, more=more) if case.row == "J4"]


_READS = [
    *[
        Case("G19", "GET", path, None, -1052, ("permission READ",), "trader", 403)
        for path in (f"{DETAIL}?id=1", LIST, f"{OF_COIN}?coin=BTC", BANNERS)
    ],
    *_pages(LIST),
    *_pages(OF_COIN, "coin=BTC"),
    *[get("J10", f"{DETAIL}{absent}", -1141, "'id'") for absent in ("", "?id=")],
    *[get("J10", f"{DETAIL}?id={bad}", -1142, "'id'", "whole") for bad in ("x", "-1", "1.5")],
    get("J10", f"{DETAIL}?id=0", -1140, "'id'", "allowed: 1 to"),
    get("J10", f"{DETAIL}?id=999", -1142, "'id'", "no such article"),
    *[get("J10", f"{OF_COIN}{absent}", -1141, "'coin'") for absent in ("", "?coin=")],
    *[
        get("J10", f"{OF_COIN}?coin={bad}", -1142, "'coin'", "no such asset")
        for bad in ("NOPE", "%D9%A5")
    ],
]
_POSTS = [
    *[article(-1141, f"'{name}'", **{name: absent})
      for name in ("title", "content") for absent in (..., None, "")],
    *[article(-1142, "'title'", "128 characters", title=bad) for bad in (1, "x" * 129, "a\nb")],
    *[
        article(-1142, "'content'", "10000 characters", content=bad)
        for bad in (1, "x" * 10_001, "a\tb", "a\rb", ["a"])
    ],
    article(-1142, "'coins'", "array", coins="BTC"),
    *[article(-1142, "'coins'", coins=bad) for bad in (["NOPE"], ["BTC", ""], [1])],
    *[banner(-1141, f"'{name}'", **{name: absent})
      for name in BANNER for absent in (..., None, "")],
    *[
        banner(-1142, f"'{name}'", **{name: bad})
        for name in ("imageUrl", "linkUrl")
        for bad in ("javascript:alert(1)", "data:text/html,x", "//venue.test", "ftp://a", "x", 1,
                    "https://a b", "https://" + "a" * 249, " https://a", "HTTPS://a\n")
    ],
    *[operate("V24", "content/remove", {"id": absent}, -1141, "'id'") for absent in (None, "")],
    operate("V24", "content/remove", {"id": "x"}, -1142, "'id'", "whole number"),
    operate("V24", "content/remove", {"id": 0}, -1140, "'id'", "allowed: 1 to"),
    operate("V24", "content/remove", {"id": 999}, -1142, "'id'", "no such article", engine=True),
]  # fmt: skip
CASES = [*_READS, *_POSTS]
ACCEPTED = [
    Accepted("J11", "GET", f"{LIST}?page=99999"),
    Accepted("J11", "GET", f"{OF_COIN}?coin=btc&page=99999"),
    Accepted("J11", "GET", f"{BANNERS}?page=x", ignored="page"),
]

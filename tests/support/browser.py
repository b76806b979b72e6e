"""Pages of a venue in chromium: they may ask that venue alone, and tell of every problem."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

from support.server import Server
from support.tools import needed
from support.waits import WAIT_S

AXE: Final = Path(__file__).parents[1] / "typescript" / "node_modules" / "axe-core" / "axe.min.js"
FLAGS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
WIDE: Final = (1440, 900)
# The rules of WCAG 2.0 to 2.2, levels A and AA.
RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser of its own, which is closed."""
    path = needed("chromium")
    expect.set_options(timeout=WAIT_S * 1000)
    playwright: Playwright
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def watched(
    browser: Browser, size: tuple[int, int], theme: str, permissions: list[str] | None = None
) -> Iterator[tuple[Page, list[str], list[str]]]:
    """An empty page, the addresses that it will ask, and the problems that it will tell of."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
        permissions=permissions or [],
    )
    context.set_default_timeout(WAIT_S * 1000)
    asked: list[str] = []
    problems: list[str] = []
    page = context.new_page()
    context.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.on("pageerror", lambda problem: problems.append(str(problem)))
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    try:
        yield page, asked, problems
    finally:
        context.close()


@contextmanager
def opened(
    browser: Browser,
    server: Server,
    target: str = "/",
    *,
    size: tuple[int, int] = WIDE,
    theme: str = "dark",
    spoiled: bool = False,
) -> Iterator[Page]:
    """A page of a venue, live. It asked no other host and told of no problem, unless `spoiled`."""
    clipboard = ["clipboard-read", "clipboard-write"]
    with watched(browser, size, theme, clipboard) as (page, asked, problems):
        page.goto(f"{server.url}{target}")
        page.locator(".connected.live").wait_for()
        yield page
        host = urlsplit(server.url).netloc
        assert [url for url in asked if urlsplit(url).netloc != host] == []
        assert spoiled or problems == []


def violations(page: Page) -> list[str]:
    """Return the violations that axe finds in the page, a line for each element."""
    # Evaluated, not added as an element: the page's policy allows no inline script.
    page.evaluate(AXE.read_text())
    found: dict[str, Any] = page.evaluate(
        "(rules) => axe.run(document, {runOnly: {type: 'tag', values: rules}})", RULES
    )
    return [
        f"{rule['id']}: {rule['help']}: {json.dumps(node['target'])} {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def fits(page: Page) -> bool:
    """Return whether the page is no wider than its window."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))

"""Reports: one file that opens from a disk, asks for nothing, and tells why."""

from __future__ import annotations

import base64
import gzip
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from support.browser import fits, violations, watched
from support.command import run
from support.server import Server
from venue.lab import demo
from venue.report import file
from venue.report.data import ReportAbout, ReportData, ReportVerdict
from venue.report.making import report_of

CONTRACT = "/capi/v3/order"
MARKUP = "<img src=x onerror=alert(1)></script><b>"
SHELL_BYTES = 300_000
SIZES = ((1440, 900), (1024, 768), (390, 844))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("venue")
    with Server("--clock", "manual", "--seed", "7", folder=folder) as found:
        alice = found.client("alice")
        assert alice.post(CONTRACT, order()).status == 200
        assert alice.post(CONTRACT, order(quantity="500", type="LIMIT", price="60000",
                                          timeInForce="GTC")).status == 400  # fmt: skip
        assert alice.post(CONTRACT, order(newClientOrderId="<b>markup</b>")).status in (200, 400)
        yield found
        assert "Traceback" not in found.errors.read_text()


@pytest.fixture(scope="module")
def data(server: Server) -> ReportData:
    verdict = ReportVerdict("failed", f"It failed {MARKUP}", [f"An account {MARKUP}"])
    return report_of(server.url, ReportAbout(f"a run {MARKUP}", verdict))


def order(**changes: Any) -> dict[str, Any]:
    return {
        "symbol": "BTCUSDT", "side": "BUY", "positionSide": "LONG", "type": "MARKET",
        "quantity": "0.05",
    } | changes  # fmt: skip


@contextmanager
def shown(
    browser: Browser,
    path: Path,
    *,
    size: tuple[int, int] = SIZES[0],
    theme: str = "dark",
) -> Iterator[Page]:
    """A report opened from its file. It asked for nothing but that file, and told of no problem."""
    with watched(browser, size, theme) as (page, asked, problems):
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.goto(path.as_uri())
        page.locator(".said-of-it").wait_for()
        yield page
        inside = ("blob:", "data:")
        assert {url for url in asked if not url.startswith(inside)} == {path.as_uri()}
        assert problems == []


def test_a_report_opens_from_a_disk_and_tells_why(
    browser: Browser, data: ReportData, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    file.write(path, data)
    with shown(browser, path) as page:
        expect(page.locator(".said-of-it h1")).to_have_text(f"It failed {MARKUP}")
        expect(page.locator(".said-of-it")).to_contain_text(f"An account {MARKUP}")
        expect(page.locator("b", has_text="markup")).to_have_count(0)
        refusal = page.locator(".insights li", has_text="refused: place_contract_order").first
        expect(refusal.locator(".rule")).to_contain_text("It was refused by FUNDS")
        refusal.get_by_role("link", name="Why").click()
        drawer = page.get_by_role("dialog")
        expect(drawer.locator(".reasons .decisive").last).to_contain_text("It was refused by FUNDS")
        expect(drawer.locator(".head").first).to_have_css("border-left-width", "0px")
        page.go_back()
        expect(drawer).to_have_count(0)


def test_a_part_of_the_run_is_looked_at_by_keyboard(
    browser: Browser, data: ReportData, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    file.write(path, data)
    with shown(browser, path) as page:
        before = page.locator(".line").count()
        assert before == len(data.wire)
        page.locator(".handles input").last.focus()
        page.keyboard.press("Home")
        expect(page.locator(".line")).to_have_count(0)
        page.get_by_role("button", name="Whole run").click()
        expect(page.locator(".line")).to_have_count(before)


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", SIZES)
def test_everybody_can_read_it(
    browser: Browser, data: ReportData, tmp_path: Path, theme: str, size: tuple[int, int]
) -> None:
    path = tmp_path / "report.html"
    file.write(path, data)
    with shown(browser, path, size=size, theme=theme) as page:
        page.locator(".insights li").first.wait_for()
        assert violations(page) == []
        assert fits(page)
        page.locator(".insights a").first.click()
        page.get_by_role("dialog").wait_for()
        assert violations(page) == []


def test_a_report_of_10000_lines_opens(
    browser: Browser, data: ReportData, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = data.wire[0]
    wire = [
        msgspec.structs.replace(first, number=number, time=first.time + number * 100)
        for number in range(1, 10_001)
    ]
    long = msgspec.structs.replace(data, wire=wire, begin=wire[0].time, end=wire[-1].time)
    path = tmp_path / "report.html"
    size = file.write(path, long)
    with shown(browser, path) as page:
        expect(page.locator(".panel.wire .status")).to_contain_text("10000 lines of 10000")
        began = time.perf_counter()
        page.reload()
        page.locator(".line").first.wait_for()
        took = time.perf_counter() - began
    with capsys.disabled():
        print(f"\na report of 10,000 lines: {size} bytes, opened in {took:.2f} s")


def test_the_file_without_its_data_is_small(data: ReportData) -> None:
    document = file.document(data)
    (held,) = re.findall('id="data">([^<]*)<', document)
    assert len(document) - len(held) < SHELL_BYTES
    assert document.count("</script>") == 3
    assert "http://" not in document.replace("http://www.w3.org", "")


def test_a_report_holds_no_secret(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    told = run("report", server.url, "-o", str(path))
    assert told.returncode == 0, told.stderr
    assert str(path) in told.stdout
    text = path.read_text()
    for held in re.findall('type="text/plain" id="[a-z]+">([^<]*)<', text):
        text += gzip.decompress(base64.b64decode(held)).decode()
    for account in demo.ACCOUNTS:
        assert account.key not in text
        assert account.secret not in text
    assert '"signature"' in text  # the part that is shown of it


def test_a_report_of_a_venue_in_this_process(browser: Browser, tmp_path: Path) -> None:
    from venue import Venue

    path = tmp_path / "report.html"
    with Venue(seed=7) as venue:
        venue.account("alice").buy("BTCUSDT", "0.01", price="63900")
        venue.run("2m")
        venue.report(path)
    with shown(browser, path) as page:
        expect(page.locator(".facts")).to_contain_text("7")


def test_a_failed_incident_leaves_a_report(browser: Browser, tmp_path: Path) -> None:
    bot = Path(__file__).parents[2] / "examples" / "bots" / "orders_twice.py"
    told = run(
        "crashtest", "--only", "lost-reply", "--report", str(tmp_path / "ct"),
        "--", sys.executable, str(bot),
    )  # fmt: skip
    path = tmp_path / "ct-lost-reply.html"
    assert told.returncode == 1, told.stderr
    assert f"report {path}" in told.stdout
    with shown(browser, path) as page:
        expect(page.locator(".said-of-it h1")).to_have_text("An intent was executed twice")
        expect(page.locator(".insights")).to_contain_text("The same order was sent twice")
        expect(page.locator(".replay")).to_contain_text("venue crashtest --seed 1")

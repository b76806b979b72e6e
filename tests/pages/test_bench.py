"""The bench in a browser: a bot appears, a refusal is explained, and nothing else is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from support.browser import fits, opened, violations
from support.server import Server
from venue.gateway.pages.files import FOLDER

CONTRACT = "/capi/v3/order"
BEFORE_FUNDING = "2026-01-01T07:59:00Z"
SENT = 260  # requests, more than a page shows
SOON_MS = 1000  # a request appears within this time
THEMES = ("dark", "light")
MOST_BYTES = 120 * 1024  # of the first screen, compressed
# The page and its files, and their bytes as they came.
LOADED = """(url) => Object.fromEntries(
  [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter((one) => one.name === `${url}/` || one.name.startsWith(`${url}/pages/`))
    .map((one) => [one.name, one.encodedBodySize]))"""
SIZES = ((1440, 900), (1024, 768), (390, 844))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    given = ("--clock", "manual", "--seed", "7", "--at", BEFORE_FUNDING)
    with Server(*given, folder=tmp_path) as found:
        yield found
        assert "Traceback" not in found.errors.read_text()


def order(price: str, **changes: Any) -> dict[str, Any]:
    return {
        "symbol": "BTCUSDT", "side": "BUY", "positionSide": "LONG", "type": "LIMIT",
        "timeInForce": "GTC", "quantity": "0.05", "price": price,
    } | changes  # fmt: skip


def line(page: Page, words: str) -> Any:
    return page.locator(".line", has_text=words)


def test_a_bot_appears_within_a_second(browser: Browser, server: Server) -> None:
    with opened(browser, server) as page:
        expect(page.get_by_text("Waiting for the first request…")).to_be_visible()
        command = page.locator(".connect .command").first
        expect(command).to_contain_text(f"venue with alice --url {server.url} -- python bot.py")
        placed = server.client("alice").post(CONTRACT, order("60000"))
        assert placed.status == 200
        expect(line(page, "place_contract_order")).to_be_visible(timeout=SOON_MS)
        expect(line(page, "BUY 0.05 BTCUSDT @ 60000")).to_be_visible()
        expect(page.get_by_text("Waiting for the first request…")).to_have_count(0)
        page.get_by_role("tab", name="Orders 1").click()
        expect(page.locator("#account tbody tr")).to_contain_text("60000.00")


def test_a_refused_order_names_its_rule(browser: Browser, server: Server) -> None:
    with opened(browser, server) as page:
        refused = server.client("alice").post(CONTRACT, order("60000", quantity="500"))
        assert refused.status == 400
        found = line(page, "amount not enough")
        expect(found).to_be_visible()
        found.click()
        number = refused.headers["x-venue-request-id"]
        expect(page).to_have_url(f"{server.url}/why/request/{number}")
        drawer = page.get_by_role("dialog", name=f"Request {number}")
        expect(drawer.locator(".verdict")).to_contain_text(refused.json["msg"])
        expect(drawer.locator(".reasons .decisive").last).to_contain_text("It was refused by FUNDS")
        mended(page, server)


def test_an_answer_of_another_form_is_told(browser: Browser, server: Server) -> None:
    refused = server.client("alice").get("/api/v3/nothing")
    assert refused.status == 404
    number = refused.headers["x-venue-request-id"]
    with opened(browser, server) as page:
        found = line(page, f"#{number}")
        expect(found.locator(".told")).not_to_contain_text("The connection ended")
        expect(found.locator(".told")).to_contain_text(re.compile("Not Found|Near to it"))
        found.click()
        expect(page.locator(".verdict .words")).to_contain_text(re.compile("Not Found|Near to it"))


def test_a_paused_clock_and_the_product_are_named(browser: Browser, server: Server) -> None:
    with opened(browser, server) as page:
        expect(page.locator(".clock .chip")).to_have_text("paused")
        page.get_by_role("tab", name="Orders").click()
        expect(page.locator("#account")).to_contain_text(
            re.compile(r"no open order in BTCUSDT\s+perpetual")
        )
        page.get_by_role("button", name="Move prices").click()
        expect(page.locator("#menu-prices")).to_contain_text("Time is paused")


def test_an_ignored_parameter_and_a_wrong_signature_are_marked(
    browser: Browser, server: Server
) -> None:
    with opened(browser, server) as page:
        taken = server.client("alice").post(CONTRACT, order("60000", time_in_force="IOC"))
        assert taken.status == 200
        expect(page.locator(".line.odd .told")).to_have_text("ignored: time_in_force")
        expect(page.locator(".line.odd .asked")).to_contain_text("perp")
        forged = {**server.account("alice"), "secret": "another"}
        assert server.client(forged).get("/api/v3/account/").json["code"] == -1047
        expect(page.locator(".line.bad .whose").first).to_have_text("key …lice, not verified")
        expect(page.locator(".line.bad .asked").first).to_contain_text("spot")
        page.locator(".line.bad").first.click()
        expect(page.locator(".why .verdict")).to_contain_text("key …lice, not verified")


def mended(page: Page, server: Server) -> None:
    """The request is taken with a size that there is money for, and with one of one's own."""
    page.get_by_role("button", name="Send it mended as alice").click()
    expect(page.locator(".why pre[role=status]")).to_contain_text("HTTP 200")
    (resting,) = server.client("alice").get("/capi/v3/openOrders").json
    assert 250 < float(resting["origQty"]) < 300  # of 500, by the money that is free
    server.client("alice").delete("/capi/v3/allOpenOrders?symbol=BTCUSDT")
    page.get_by_role("button", name="Edit and send").click()
    page.get_by_label("quantity").fill("0.05")
    page.get_by_role("button", name="Send as alice").click()
    expect(page.locator(".why pre[role=status]")).to_contain_text("HTTP 200")
    (resting,) = server.client("alice").get("/capi/v3/openOrders").json
    assert resting["origQty"] == "0.05000"


def test_an_order_is_placed_for_who_has_no_bot(browser: Browser, server: Server) -> None:
    with opened(browser, server) as page:
        page.get_by_role("button", name="Place an order for me").click()
        expect(page.locator(".ladder .own .mine")).to_be_visible()
        page.get_by_role("link", name="Why it waits there").click()
        expect(page.locator(".why .reasons")).to_contain_text("alice asked to BUY 0.01000 BTCUSDT")
        (resting,) = server.client("alice").get("/capi/v3/openOrders").json
        expect(page).to_have_url(f"{server.url}/why/order/{resting['orderId']}")


def test_a_busy_wire_tells_what_it_does_not_show(browser: Browser, server: Server) -> None:
    alice = server.client("alice")
    with opened(browser, server) as page:
        for number in range(SENT):
            alice.get(f"/api/v3/account/?number={number}")
        untold = page.locator(".untold")
        expect(untold).to_contain_text(re.compile(r"^200 of \d+ shown · \d+ older not shown"))
        expect(page.locator(".line")).to_have_count(200)
        expect(line(page, f"number={SENT - 1}")).to_be_visible()
        page.locator(".lines").hover()
        alice.get("/api/v3/account/?number=next")
        expect(page.locator(".wire .status")).to_contain_text("held while the pointer is here")
        expect(line(page, "number=next")).to_have_count(0)  # nothing moves under the pointer
        expect(untold).to_contain_text("1 newer held back")
        page.get_by_role("button", name="1 newer ↑").click()
        expect(line(page, "number=next")).to_be_visible()
        page.locator(".lines").hover()


def test_the_wire_goes_on_after_the_drawer_is_closed(browser: Browser, server: Server) -> None:
    alice = server.client("alice")
    alice.get("/api/v3/account/?number=first")
    with opened(browser, server) as page:
        line(page, "number=first").focus()
        page.keyboard.press("ArrowDown")  # the keys hold the list
        alice.get("/api/v3/account/?number=second")
        expect(page.locator(".untold")).to_contain_text("1 newer held back")
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert page.evaluate("document.activeElement.matches('.line')")
        alice.get("/api/v3/account/?number=third")
        expect(line(page, "number=third")).to_be_visible()


def test_a_price_with_too_many_decimals_is_mended(browser: Browser, server: Server) -> None:
    refused = server.client("alice").post(CONTRACT, order("60000.12345"))
    number = refused.headers["x-venue-request-id"]
    with opened(browser, server, f"/why/request/{number}") as page:
        expect(page.locator(".mended")).to_contain_text("60000.12345 → 60000.12")
        page.get_by_role("button", name="Send it mended as alice").click()
        expect(page.locator(".why pre[role=status]")).to_contain_text("HTTP 200")
        (resting,) = server.client("alice").get("/capi/v3/openOrders").json
        assert resting["price"] == "60000.12"


def test_an_own_order_has_its_place_in_the_book(browser: Browser, server: Server) -> None:
    alice = server.client("alice")
    depth = alice.get("/capi/v3/market/depth?symbol=BTCUSDT&limit=15").json
    price, size = depth["bids"][2]
    placed = alice.post(CONTRACT, order(price)).json["orderId"]
    with opened(browser, server) as page:
        mine = page.locator(".ladder .own .mine")
        expect(mine.first).to_contain_text(f"{size.rstrip('0')} ahead")
        mine.click()
        expect(page).to_have_url(f"{server.url}/why/order/{placed}")
        expect(page.locator(".why .reasons")).to_contain_text("alice asked to BUY 0.05000 BTCUSDT")


def test_a_view_has_an_address_and_the_back_key_goes_back(browser: Browser, server: Server) -> None:
    refused = server.client("alice").post(CONTRACT, order("60000", quantity="500"))
    number = refused.headers["x-venue-request-id"]
    with opened(browser, server, f"/why/request/{number}?owner=bob&tab=balances") as page:
        expect(page.get_by_role("dialog")).to_contain_text("amount not enough")
        expect(page.locator(".account-of select")).to_have_value("bob")
        expect(page.get_by_role("tab", selected=True)).to_have_text("Balances")
        page.keyboard.press("Escape")
        expect(page).to_have_url(f"{server.url}/?owner=bob&tab=balances")
        page.go_back()
        expect(page.get_by_role("dialog")).to_be_visible()


def test_the_keyboard_alone_opens_a_reason(browser: Browser, server: Server) -> None:
    alice = server.client("alice")
    assert alice.post(CONTRACT, order("60000")).status == 200
    refused = alice.post(CONTRACT, order("60000", quantity="500"))
    with opened(browser, server) as page:
        expect(page.locator(".line")).to_have_count(2)
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.matches('.line')"):
                break
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        assert page.evaluate("document.activeElement.matches('.line:focus-visible')")
        page.keyboard.press("Enter")
        number = refused.headers["x-venue-request-id"]
        heading = page.get_by_role("heading", name=f"Request {number}")
        expect(heading).to_be_focused()
        expect(page.locator(".reasons")).to_contain_text("Nothing was changed.")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("theme", THEMES)
def test_the_page_is_accessible_and_fits(browser: Browser, server: Server, theme: str) -> None:
    alice = server.client("alice")
    for size in SIZES:
        with opened(browser, server, size=size, theme=theme) as page:
            expect(page.get_by_text("Point your bot here")).to_be_visible()
            assert (violations(page), fits(page)) == ([], True), (size, "empty")
            if size != SIZES[-1]:
                continue
    alice.post(CONTRACT, order("0", type="MARKET", timeInForce=None))
    assert alice.post(CONTRACT, order("63000")).status == 200
    refused = alice.post(CONTRACT, order("60000", quantity="500"))
    number = refused.headers["x-venue-request-id"]
    for size in SIZES:
        with opened(browser, server, size=size, theme=theme) as page:
            expect(page.locator(".line").first).to_be_visible()
            assert (violations(page), fits(page)) == ([], True), (size, "bench")
        with opened(browser, server, f"/why/request/{number}", size=size, theme=theme) as page:
            expect(page.locator(".reasons")).to_contain_text("Nothing was changed.")
            assert (violations(page), fits(page)) == ([], True), (size, "why")


def test_texts_of_owners_are_texts(browser: Browser, server: Server) -> None:
    markup = "<img/src=x>&lt;b&gt;"
    alice = server.client("alice")
    given = order("60000", newClientOrderId="<b>bold</b>")
    alice.post(CONTRACT, given)
    alice.post(CONTRACT, order("60000", symbol=markup, newClientOrderId=markup))
    alice.get(f"/api/v3/{b'<script>'.hex()}?a=1")
    with opened(browser, server, "/?tab=orders") as page:
        expect(line(page, markup).first).to_be_visible()
        line(page, markup).first.click()
        expect(page.locator(".why .fields").first).to_contain_text(markup)
        expect(page.locator(".why .reasons")).to_contain_text("Nothing was done")
        assert page.locator("img, b:text('bold'), script:not([src])").count() == 0


def test_a_halted_market_is_named_with_its_reason(browser: Browser, server: Server) -> None:
    halt = {"symbol": "BTCUSDT", "reason": "<i>maintenance</i>"}
    assert server.client().post("/_venue/contracts/halt", halt).status == 200
    with opened(browser, server) as page:
        told = page.locator(".trouble")
        expect(told).to_contain_text("BTCUSDT is halted: <i>maintenance</i>.")
        resumed = server.client().post("/_venue/contracts/resume", {"symbol": "BTCUSDT"})
        assert resumed.status == 200
        expect(told).to_have_count(0)


def test_a_stopped_venue_leaves_no_fresh_number(browser: Browser, server: Server) -> None:
    with opened(browser, server, spoiled=True) as page:
        expect(page.locator(".ladder tbody tr").first).to_be_visible()
        server.kill()
        expect(page.get_by_role("alert")).to_contain_text("Prices and balances are old.")
        expect(page.locator(".old").first).to_be_visible()


def test_the_state_that_went_back_is_the_one_that_is_shown(
    browser: Browser, server: Server
) -> None:
    alice = server.client("alice")
    server.client().put("/_venue/snapshots/base")
    assert alice.post(CONTRACT, order("60000")).status == 200
    with opened(browser, server, "/?tab=orders") as page:
        expect(page.locator("#account tbody tr")).to_have_count(1)
        page.get_by_role("button", name="Keep and go back").click()
        row = page.locator(".menu li", has_text="base")
        row.get_by_role("button", name="Go back").click()
        expect(page.get_by_text("alice has no open order in BTCUSDT perpetual.")).to_be_visible()
        expect(page.get_by_text("epoch 1")).to_be_visible()
        expect(page.locator(".said code")).to_contain_text("venue snapshot revert base")


def test_time_is_moved_to_the_next_funding(browser: Browser, server: Server) -> None:
    alice = server.client("alice")
    opening = {"symbol": "BTCUSDT", "side": "BUY", "positionSide": "LONG", "type": "MARKET"}
    assert alice.post(CONTRACT, opening | {"quantity": "0.05"}).status == 200
    with opened(browser, server, "/?tab=bills") as page:
        expect(page.locator("#account tbody")).to_contain_text("position open long")
        page.get_by_role("button", name="To funding").click()
        expect(page.locator(".said")).to_contain_text("Funding is settled.")
        bill = page.locator("#account tbody tr", has_text="position funding")
        expect(bill).to_be_visible()
        bill.get_by_role("link").click()
        expect(page.locator(".why .reasons")).to_contain_text("funding")


def test_an_order_that_was_sent_twice_is_pointed_out(browser: Browser, server: Server) -> None:
    rule = {"match": {"operation": "place*"}, "when": {"count": 1}}
    server.client().post("/_venue/faults", rule | {"effect": {"kind": "drop_after"}})
    with pytest.raises(ConnectionError):
        server.client("alice").post(CONTRACT, order("60000"))
    assert server.client("alice").post(CONTRACT, order("60000")).status == 200
    with opened(browser, server) as page:
        expect(page.locator(".line .outcome", has_text="lost")).to_have_count(1)
        second = line(page, "placed twice?")
        expect(second).to_be_visible()
        second.click()
        expect(page.locator(".why")).to_contain_text("asked for the same, and its answer was lost")
        page.locator(".why p.warn a").click()
        expect(page.locator(".why .verdict")).to_contain_text("drop_after")
        expect(page.locator(".why")).to_contain_text("asked for the same again")


def test_a_crash_liquidates_and_the_reasons_are_told(browser: Browser, server: Server) -> None:
    operator = server.client()
    money = {"owner": "carol", "wallet": "CONTRACT", "asset": "USDT", "amount": "200"}
    assert operator.post("/_venue/deposit", money | {"reference": "carol-1"}).status == 200
    held = {"symbol": "BTCUSDT", "price": "64000", "jump": True}
    assert operator.post("/_venue/index/hold", held).status == 200
    opening = {"symbol": "BTCUSDT", "side": "BUY", "positionSide": "LONG", "type": "MARKET"}
    assert operator.post("/_venue/clock/advance", {"by": "10s"}).status == 200
    placed = server.client("carol").post(CONTRACT, opening | {"quantity": "0.05"})
    assert placed.status == 200, placed
    with opened(browser, server, "/?owner=carol") as page:
        expect(page.locator("#account meter")).to_be_visible()
        page.get_by_role("button", name="Move prices").click()
        page.get_by_role("button", name="-15% over 30 s").click()
        expect(page.locator(".said")).to_contain_text("BTCUSDT moves by -15%")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="+1 min").click()
        gone = page.locator(".liquidated li")
        expect(gone).to_contain_text("against maintenance")
        gone.get_by_role("link", name="Why").click()
        expect(page.get_by_role("dialog")).to_contain_text("Liquidation")
        expect(page.locator(".why .reasons")).to_contain_text("maintenance margin")


def test_values_are_those_of_rest(browser: Browser, server: Server) -> None:
    alice = server.client("alice")
    assert alice.post(CONTRACT, order("60000")).status == 200
    with opened(browser, server, "/?tab=balances") as page:
        expect(page.locator("#account tbody tr").first).to_be_visible()
        shown = page.locator("#account tbody tr").all_inner_texts()
        for row in alice.get("/capi/v3/account/balance").json:
            values = [row[name] for name in ("asset", "balance", "availableBalance", "frozen")]
            assert any(all(value in text for value in values) for text in shown), (row, shown)
        depth = alice.get("/capi/v3/market/depth?symbol=BTCUSDT&limit=15").json
        best = page.locator(".ladder .bids tr").first
        expect(best).to_contain_text(depth["bids"][0][0])
        expect(best).to_contain_text(depth["bids"][0][1])


def test_a_fault_is_armed_with_its_command(browser: Browser, server: Server) -> None:
    with opened(browser, server) as page:
        page.get_by_role("button", name="Arm a fault").click()
        button = page.get_by_role("button", name="Lose the reply to the next order")
        button.hover()
        said = "venue fault add drop_after --operation 'place*' --owner alice --count 1"
        expect(page.locator(".said code")).to_contain_text(said)
        button.click()
        expect(page.locator(".chip.warn")).to_have_text("⚠ 1 fault")
        (rule,) = server.client().get("/_venue/faults").json
        assert (rule["effect"]["kind"], rule["when"]) == ("drop_after", {"count": 1})
        assert rule["match"] == {"operation": "place*", "owner": "alice"}


def test_the_first_screen_is_small(browser: Browser, server: Server) -> None:
    with opened(browser, server) as page:
        expect(page.locator(".canvas canvas").first).to_be_visible()
        sizes: dict[str, int] = page.evaluate(LOADED, server.url)
    assert any("lightweight-charts" in name for name in sizes)
    assert not any("why.js" in name for name in sizes)  # fetched when it is opened
    assert sum(sizes.values()) <= MOST_BYTES, sorted(sizes.items(), key=lambda one: one[1])


def test_modules_are_short_and_make_no_markup_and_no_code_of_texts() -> None:
    modules = [path for path in FOLDER.rglob("*.js") if path.parent.name != "vendor"]
    assert len(modules) > 20
    for path in modules:
        for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval("):
            assert word not in path.read_text(), path
        lines = path.read_text().splitlines()
        assert len(lines) < 500, path
        assert max(len(text) for text in lines) <= 100, path

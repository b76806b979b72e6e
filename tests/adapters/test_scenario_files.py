"""A scenario's file is checked whole before anything runs; a refusal tells the place, the fault and
the rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from venue.scenario.expectation import StepAnswer, shortfalls
from venue.scenario.file import load, parsed
from venue.scenario.paths import Missing, filled, value_at
from venue.scenario.refused import ScenarioRefused

HEAD = 'title = "t"\n'
PING = '[[step]]\nsend = "ping"\n'
ORDER = (
    '[[step]]\nid = "open"\nas = "alice"\nsend = "place_order"\n'
    'with = { symbol = "BTCUSDT", side = "BUY", type = "MARKET", quantity = "1" }\n'
)

# The text of the file, and the words of its refusal.
REFUSALS = [
    ("title = ", ["it is no TOML"]),
    ("\x00", ["it is no TOML"]),
    ("", ["title: must be there"]),
    (HEAD, ["step: there must be 1 to 1000"]),
    ("step = 3\n" + HEAD, ["step: there must be"]),
    ("step = [3]\n" + HEAD, ["step 1: must be a table"]),
    ("titel = 3\n" + HEAD + PING, ["titel: is not known", "did you mean title?"]),
    ("seed = -1\n" + HEAD + PING, ["seed: must be from 0 to 2147483647"]),
    ("seed = true\n" + HEAD + PING, ["seed: must be a whole number"]),
    ('clock = "noon"\n' + HEAD + PING, ["clock: must be a time such as"]),
    ("agents = 1\n" + HEAD + PING, ["agents: must be true or false"]),
    (HEAD + PING + '[accounts."a b"]\n', ["accounts.a b", "letters"]),
    (HEAD + PING + "[accounts.erin]\nspot = 1\n", ["accounts.erin.spot: must be a table"]),
    (HEAD + PING + "[accounts.erin]\nspot = { USDT = 1.5 }\n", ["USDT: must be a text"]),
    (HEAD + PING + "[accounts.erin]\nsport = {}\n", ["accounts.erin: sport", "spot"]),
    (HEAD + "[[step]]\n", ["step 1, send: a step has either send"]),
    (HEAD + PING + 'trigger = "funding"\n', ["step 1, send: a step has either send"]),
    (HEAD + '[[step]]\nsend = "pong"\n', ["no operation pong; did you mean ping?"]),
    (
        HEAD + '[[step]]\nsend = "POST /api/v3/ordre"\n',
        ["no operation", "mean POST /api/v3/order?"],
    ),
    (HEAD + PING + "send_to = 1\n", ["step 1, send_to: is not known", "send?"]),
    (HEAD + PING + 'id = "a b"\n', ["id: must be 1 to 40"]),
    (HEAD + PING + "id = 7\n", ["id: must be a text"]),
    (HEAD + PING + 'id = "a"\n' + PING + 'id = "a"\n', ["step 2 (a), id: a is another step's"]),
    (HEAD + PING + 'as = "alice"\n', ["as: ping has no owner"]),
    (HEAD + '[[step]]\nsend = "open_orders"\n', ["as: open_orders is for one owner"]),
    (HEAD + '[[step]]\nas = "zoe"\nsend = "open_orders"\n', ["step 1, as: there is no zoe"]),
    (HEAD + PING + 'at = "soon"\n', ["at: must be a span since the beginning"]),
    (HEAD + PING + 'at = "2025-12-31T00:00:00Z"\n', ["at: must not be before the scenario's"]),
    (HEAD + PING + 'at = "2m"\n' + PING + 'at = "1m"\n', ["step 2, at: must not be before"]),
    (HEAD + PING + 'every = "1s"\n', ["every: belongs together with until"]),
    (HEAD + PING + 'every = "0s"\nuntil = "5s"\n', ["every more than 0s"]),
    (HEAD + PING + 'every = "1ms"\nuntil = "1h"\n', ["comes at most 10000 times"]),
    (HEAD + '[[step]]\ntrigger = "flood"\n', ["trigger: must be one of funding, index-jump"]),
    (HEAD + '[[step]]\ntrigger = "index-jump"\n', ["with: symbol is missing"]),
    (
        HEAD + '[[step]]\ntrigger = "index-jump"\nwith = { symbol = "BTCUSDT" }\n',
        ["either percent or price"],
    ),
    (HEAD + PING + "with = { x = 1 }\n", ["ping has no parameter x"]),
    (HEAD + ORDER.replace("quantity", "qty"), ["step 1 (open), with: place_order has no", "qty"]),
    (HEAD + ORDER.replace(', quantity = "1"', ""), ["with: quantity is missing"]),
    (HEAD + ORDER.replace('"1"', "0.1"), ["with: quantity must be a text", 'write "0.01"']),
    (HEAD + PING + "expect = 3\n", ["expect: must be a table"]),
    (HEAD + PING + 'expect = { code = "-1" }\n', ["expect: code must be a whole number"]),
    (HEAD + PING + "expect = { lost = false }\n", ["expect: lost must be true"]),
    (HEAD + PING + "expect = { any = 3 }\n", ["expect: any must be a table"]),
    (HEAD + PING + "expect = { price = { over = 3 } }\n", ["price.over is not known", "above"]),
    (HEAD + PING + "expect = { price = 0.5 }\n", ["expect: price must be a text"]),
    (HEAD + ORDER + 'expect = { x = "${open.orderId}" }\n', ["is this step itself: a cycle"]),
    (HEAD + ORDER.replace('"1"', '"${last.x}"') + PING, ["there is no step last before"]),
    (
        HEAD + ORDER.replace('"1"', '"${last.x}"') + PING + 'id = "last"\n',
        ["a step that comes later"],
    ),
    (HEAD + ORDER.replace('"1"', '"${open}"'), ["a reference is ${step.field}"]),
]


@pytest.mark.parametrize(("text", "words"), REFUSALS)
def test_bad_files_are_refused_in_words(text: str, words: list[str]) -> None:
    with pytest.raises(ScenarioRefused) as refused:
        parsed(text.encode())
    for word in words:
        assert word in str(refused.value)


def test_a_file_that_is_not_there_or_too_large(tmp_path: Path) -> None:
    with pytest.raises(ScenarioRefused, match=r"none\.toml: No such file"):
        load(str(tmp_path / "none.toml"))
    with pytest.raises(ScenarioRefused, match="Is a directory"):
        load(str(tmp_path))
    with pytest.raises(ScenarioRefused, match="must be at most 1000000"):
        parsed(b"#" * 1_000_001)
    with pytest.raises(ScenarioRefused, match="it is no TOML"):
        parsed(b"a = " + b"[" * 100_000)


def test_references_keep_their_types() -> None:
    answers = {"open": {"orderId": 7, "fills": [{"price": "10"}]}}
    assert filled({"id": "${open.orderId}"}, answers) == {"id": 7}
    assert filled(["no. ${open.orderId} at ${open.fills.0.price}"], answers) == ["no. 7 at 10"]
    with pytest.raises(Missing, match="there is no 1 in a list of 1"):
        value_at(answers, "open.fills.1")
    with pytest.raises(Missing, match="step late has had no answer yet"):
        filled("${late.x}", answers)


@pytest.mark.parametrize(
    ("expected", "body", "words"),
    [
        ({"price": "10.50"}, {"price": "10.5"}, ""),
        ({"price": "10.50"}, {"price": "11"}, "price: expected 10.50, got 11"),
        ({"on": True}, {"on": 1}, "on: expected True, got 1"),
        ({"price": {"above": "10", "at_most": 11}}, {"price": "11"}, ""),
        ({"price": {"above": "11"}}, {"price": "11"}, "price: expected above 11, got 11"),
        ({"price": {"below": "11"}}, {"price": "NaN"}, "price: expected below 11, got NaN"),
        ({"price": {"not": "11"}}, {"price": "11.0"}, "expected not 11"),
        ({"a.0": 1}, {"a": []}, "a.0: there is no 0 in a list of 0"),
        ({"count": 1}, [{"a": 1}], ""),
        ({"count": {"above": 1}}, [{"a": 1}], "count: expected above 1, got 1"),
        ({"count": 1}, {"a": 1}, "count: the answer is no list"),
        ({".count": 3}, {"count": 3}, ""),
        ({"any": {"a": 1, "b": 2}}, [{"a": 1}, {"a": 1, "b": 2}], ""),
        ({"any": {"a": 2}}, [{"a": 1}], "any: none of 1 is a 2"),
        ({"none": {"a": 1}}, [{"a": 1}], "none: a 1 is among them"),
        ({"lost": True}, {}, "the answer came"),
    ],
)
def test_answers_are_compared(expected: dict[str, object], body: object, words: str) -> None:
    found = shortfalls(expected, StepAnswer(200, body))
    assert ("; ".join(found) == "") == (words == "")
    assert words in "; ".join(found)


def test_refusals_must_be_expected() -> None:
    refused = StepAnswer(400, {"code": -1142, "msg": "no such owner"})
    assert shortfalls({}, refused) == ["refused: 400 -1142 no such owner"]
    assert shortfalls({"code": -1142}, refused) == []
    assert shortfalls({"http": 400}, refused) == []
    assert shortfalls({"code": -1}, refused) == ["code: expected -1, got 400 -1142 no such owner"]
    assert shortfalls({}, StepAnswer(0, "it broke")) == ["the answer was lost: it broke"]
    assert shortfalls({"lost": True}, StepAnswer(0, "it broke")) == []

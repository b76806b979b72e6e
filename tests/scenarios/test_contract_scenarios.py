"""Contract stories as text: one act a line, its required result after the arrow.

A story begins with `rule NUMBER  title` and ends with an empty line; lines with # give the sums.
Its market is AAAQQQ, where one lot at a price of 1 is worth one atom. The mark begins at 1,000 and
the insurance fund with 1,000,000. A maker pays 0.02 %, a taker 0.05 %, each fee rounded up.
Leverage is 20 until it is chosen. The maintenance margin is 1 % up to a notional of 100,000,
and 2 % less 1,000 up to 400,000. An owner exists once it is named.

    deposit  ann 1000  |  withdraw ann 1000                  -> ok | refused REASON
    long     ann a1 10 @ 1000 [ioc | fok | post_only] [tp 1100] [sl 900]        -> open 10
             `short`, `close_long`, `close_short` alike; `market` in place of `@ 1000`;
             `of a1` names the separated position that a1 opened
    stop     ann s1 close_long 10 at 950 [@ 940] [mark]      -> waits s1
             `profit` alike; at market, or with @ a limit order; waits for the last price or for
             the mark; `all` in place of lots
    trail    ann t1 close_long 10 by 2%                      -> waits t1
    cancel   ann a1  |  cancel_all ann  |  close_all ann     -> canceled a1 10
    leverage ann 10  |  mode ann isolated | cross | separated | combined        -> ok
    margin   ann long -50  |  auto_margin ann long           -> ok
    mark     959     (the index jumps there, and the mark with it)
    source   959     (the index goes there by steps, one for each `wait 1s`)
    funding          (the next funding time)                 -> funding ann -1
    freeze   ann  |  unfreeze ann  |  halt  |  resume  |  owner ann expire_maker  -> ok
    fund     0 [pro_rata]  (first of all: the fund's money, and how to deleverage)
    book                                                     -> 1 @ 999 | 3 @ 1001
    position ann long                                        -> 10 value 10000
    cross    ann                         -> wallet 1000 equity 1000 available 500
    pool     ann long                    -> wallet 500 equity 500 liquidation 959

The results of orders are told as in the spot stories. `reduced a2 3`: a closing order lost lots.
`triggered s1`: a conditional order's price came. `liquidate ann 90 of 96`: a pool has an equity of
90 and a maintenance margin of 96. `take over fund 10 @ 950` and `deleverage ben 10 @ 950`: trades
outside the book. `fix ann 7`: the fund paid for a pool below zero. `end`: the liquidation's.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.contract_story import ContractStory
from support.stories import play, rules_of, stories

pytestmark = pytest.mark.core

FOLDER = Path(__file__).parent / "contract"
STORIES_MIN = 30
STORIES = stories(FOLDER)


@pytest.mark.parametrize("title", STORIES)
def test_story(title: str) -> None:
    play(ContractStory().act, STORIES[title])


def test_every_rule_of_contracts_that_a_trader_meets_has_a_story() -> None:
    told = rules_of(STORIES)
    wanted = {f"5.{number}" for number in range(1, 12)} | {"5.13", "5.14"} | {"6.4", "6.5"}
    wanted |= {"7.1", "7.2", "7.3", "7.4", "7.5", "7.8"}
    assert wanted | {"8.1", "8.2", "8.3", "8.4", "8.6"} <= told
    assert len(STORIES) >= STORIES_MIN

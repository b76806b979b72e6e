"""Affiliates and gifts on a live venue: raw answers, and the part that others see."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.contract_desk import ACCOUNT, V3, contracts_traded
from support.raw import Desk, ok, operate, refused
from support.shapes import MS, check, is_flag, is_list, text, whole

UIDS = "/api/v3/rebate/affiliate/getAffiliateUIDs"
VERIFY = "/api/v3/agency/verifyReferrals"
REFERRAL = "/api/v3/apiReferral"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with contracts_traded(tmp_path_factory.mktemp("contracts")) as desk:
        operate(
            desk, "affiliates",
            {"owner": "bob", "code": "BOB7", "spotRate": "0.1", "contractRate": "0.25"},
        )  # fmt: skip
        operate(desk, "affiliates/invite", {"owner": "alice", "code": "BOB7"})
        yield desk


def uid_of(desk: Desk, name: str) -> int:
    (found,) = ok(desk.anyone.get(f"/_venue/benefits?owner={name}"))
    return int(found["uid"])


def test_whom_an_affiliate_invited(desk: Desk) -> None:
    page = ok(desk.bob.get(UIDS))
    check(
        page,
        {
            "channelUserInfoItemList": is_list,
            "pages": whole(),
            "pageSize": whole(),
            "total": whole(),
        },
    )
    (found,) = page["channelUserInfoItemList"]
    check(
        found,
        {
            "uid": text(str(desk.uid)),
            "registerTime": MS,
            "kycResult": is_flag,
            "inviteCode": text("BOB7"),
            "firstDeposit": MS,
            "firstTrade": MS,
            "lastDeposit": MS,
            "lastTrade": MS,
        },
    )
    assert ok(desk.bob.get(f"{UIDS}?uid={desk.uid}"))["total"] == "1"
    assert ok(desk.bob.get(f"{UIDS}?page=2"))["channelUserInfoItemList"] == []
    assert ok(desk.bob.get(f"{UIDS}?uid={uid_of(desk, 'carol')}"))["total"] == "0"
    then = "startTime=1600000000000&endTime=1600000000001"
    refused(desk.bob.get(f"{UIDS}?{then}"), -1170, "'startTime'")


def test_who_is_whose(desk: Desk) -> None:
    carol = uid_of(desk, "carol")
    told = ok(desk.bob.get(f"{VERIFY}?userIds={desk.uid},{carol},999"))
    assert told == [
        {"uid": str(desk.uid), "isRefferal": True},
        {"uid": str(carol), "isRefferal": False},
        {"uid": "999", "isRefferal": False},
    ]


def test_who_can_be_invited(desk: Desk) -> None:
    """Of owners that others invited, of the venue's own accounts and of none at all it is said the
    same: nobody finds out who is there."""
    carol, bob = uid_of(desk, "carol"), uid_of(desk, "bob")
    path = f"{REFERRAL}/checkUserEligibility?userId="
    free = {"eligible": True, "reason": "", "noReferralCode": True}
    assert ok(desk.bob.get(f"{path}{carol}")) == free
    for uid in (desk.uid, bob, 999, 1, 2):
        told: Any = ok(desk.bob.get(f"{path}{uid}"))
        assert told == {
            "eligible": False,
            "reason": "not to be invited",
            "noReferralCode": False,
        }, uid


def test_an_affiliates_shares(desk: Desk) -> None:
    assert ok(desk.bob.get(f"{REFERRAL}/rebateRatio")) == {
        "level": "SILVER",
        "directSpotRebateRatio": "0.1",
        "directFuturesRebateRatio": "0.25",
        "noRefferralSpotRebateRatio": "0",
        "noRefferralFuturesRebateRatio": "0",
        "refferralSpotRebateRatio": "0.1",
        "refferralFuturesRebateRatio": "0.25",
    }
    nothing = {"records": [], "total": "0", "page": "1", "pageSize": "100"}
    assert ok(desk.bob.get(f"{REFERRAL}/rebate/recentRecord")) == nothing


def test_a_gift_is_margin_and_leaves_only_to_the_operator(desk: Desk) -> None:
    (before,) = [row for row in ok(desk.carol.get(f"{ACCOUNT}/balance")) if row["asset"] == "USDT"]
    operate(desk, "gifts/give", {"owner": "carol", "asset": "usdt", "amount": "25.5"})
    (after,) = [row for row in ok(desk.carol.get(f"{ACCOUNT}/balance")) if row["asset"] == "USDT"]
    gained = float(after["availableBalance"]) - float(before["availableBalance"])
    assert gained == pytest.approx(25.5)
    money = {"owner": "carol", "asset": "USDT", "wallet": "CONTRACT"}
    everything = {**money, "amount": after["availableBalance"]}
    refused(desk.anyone.post("/_venue/withdraw", everything), -1054, "amount not enough")
    (shown,) = ok(desk.anyone.get("/_venue/benefits?owner=carol"))
    assert shown["gifts"] == [{"asset": "USDT", "left": "25.50000000"}]
    operate(desk, "gifts/take", {"owner": "carol", "asset": "USDT", "amount": "1000"})
    found = ok(desk.carol.post(f"{V3}/account/income", {"asset": "USDT", "limit": 2}))["items"]
    told = [(item["incomeType"], item["transferReason"], item["income"]) for item in found]
    assert told == [
        ("transfer_out", "REDUCE_CONTRACT_CASH_GIFT", "-25.50000000"),
        ("transfer_in", "INCREASE_CONTRACT_CASH_GIFT", "25.50000000"),
    ]


def test_the_terms_of_the_discount(desk: Desk) -> None:
    assert ok(desk.anyone.get("/_venue/discount")) == {"asset": "", "holding": "0", "rate": "0"}
    terms = {"asset": "BTC", "holding": "0.5", "rate": "0.2"}
    told = ok(desk.anyone.post("/_venue/discount", terms))
    assert told == {"asset": "BTC", "holding": "0.50000000", "rate": "0.2"}
    operate(desk, "owners/discount", {"owner": "alice", "on": True})
    (shown,) = ok(desk.anyone.get("/_venue/benefits?owner=alice"))
    assert (shown["discount"], shown["inviter"]) == (True, str(uid_of(desk, "bob")))
    ended = ok(desk.anyone.post("/_venue/discount", {}))
    assert ended == {"asset": "", "holding": "0", "rate": "0"}

"""The venue's grants to an owner: gifts, a discount, an inviter (rule 9)."""

from __future__ import annotations

from venue.core.units import AMOUNT_MAX, DAY_US, PPM, part_down

Which = tuple[int, int]  # `vocabulary.Product`, asset ordinal


class DiscountTerms:
    """The terms on which an owner that opted in gets contract fees back (rule 9.3).

    It must hold `holding` atoms of the token at `asset` (-1: the discount is off).
    """

    __slots__ = ("asset", "holding", "rate_ppm")

    def __init__(self) -> None:
        self.asset = -1
        self.holding = 0
        self.rate_ppm = 0


class Gift:
    """The rest, `left`, of an owner's gifts in one asset; profit restores it up to `most`.

    `before` is the owner's own money that bears losses before the gift does, in atoms: gains since
    it last had no position, and the unrealized losses at the moment of the gift.
    """

    __slots__ = ("before", "left", "most")

    def __init__(self) -> None:
        self.left = 0
        self.most = 0
        self.before = 0


class Accrual:
    """The payments owed for one owner's fees of a day in one product and asset, in atoms.

    `refund` is the owner's own, `commission` its inviter's; `fee` is the amount of which the latter
    is a share, `maker` and `taker` are the amounts traded, each counted up to 2^62.
    """

    __slots__ = ("commission", "fee", "maker", "refund", "taker")

    def __init__(self) -> None:
        self.fee = 0
        self.refund = 0
        self.commission = 0
        self.maker = 0
        self.taker = 0


class Affiliate:
    """An owner that may invite others; the rates are its share of their fees, in ppm."""

    __slots__ = ("code", "contract_ppm", "spot_ppm")

    def __init__(self, code: str, spot_ppm: int, contract_ppm: int) -> None:
        self.code = code
        self.spot_ppm = spot_ppm
        self.contract_ppm = contract_ppm


class Benefits:
    """The grants to one owner. `today` are the payments for its fees of `day` (days since 1970) so
    far, `owed` those of earlier days that are not paid yet, by day.

    `inviter` is the uid of the owner that invited it (0: nobody), at `invited` (µs); with an
    `affiliate` it may invite others.
    """

    __slots__ = (
        "affiliate", "day", "discount", "gifts", "invited", "inviter", "owed", "today",
    )  # fmt: skip

    def __init__(self) -> None:
        self.gifts: dict[int, Gift] = {}
        self.discount = False
        self.inviter = 0
        self.invited = 0
        self.affiliate: Affiliate | None = None
        self.day = 0
        self.today: dict[Which, Accrual] = {}
        self.owed: list[tuple[int, Which, Accrual]] = []

    # -- gifts -----------------------------------------------------------------------------------

    def gift(self, asset: int) -> int:
        """Return the rest of the gifts in an asset, in atoms."""
        gift = self.gifts.get(asset)
        return gift.left if gift is not None else 0

    def give(self, asset: int, amount: int) -> None:
        """Add to the gift, or (negative) take from the rest of it."""
        gift = self.gifts.get(asset)
        if gift is None:
            gift = self.gifts[asset] = Gift()
        gift.left += amount
        gift.most += amount
        if gift.most == 0:
            del self.gifts[asset]

    def bear(self, asset: int, change: int) -> int:
        """Charge the gift with a loss beyond earlier gains, or restore it from a profit first;
        return how much it bore."""
        gift = self.gifts.get(asset)
        if gift is None:
            return 0
        if change >= 0:
            restored = min(gift.most - gift.left, change)
            gift.left += restored
            gift.before += change - restored
            return 0
        gained = min(gift.before, -change)
        borne = min(gift.left, -change - gained)
        gift.before -= gained
        gift.left -= borne
        return borne

    def keep_before(self, asset: int, lost: int, own: int) -> None:
        """Raise the part of the owner's own money that bears losses before the gift to `lost`
        atoms, at most to the `own` money that there is: money that has left the wallet bears
        nothing."""
        gift = self.gifts.get(asset)
        if gift is not None:
            gift.before = max(0, min(own, max(gift.before, lost)))

    def begin(self, asset: int) -> None:
        """Note the first position since the owner held none: losses that gifts bore are final."""
        gift = self.gifts.get(asset)
        if gift is not None:
            gift.most = gift.left
            gift.before = 0
            if not gift.left:
                del self.gifts[asset]

    # -- fees ------------------------------------------------------------------------------------

    def accrue(
        self, which: Which, *, rebate_ppm: int, ppm: int, fee: int, amount: int, maker: bool,
        time: int,
    ) -> None:  # fmt: skip
        """Record the payments that follow from a fee. The owner paid `fee` of its own money for
        trading `amount`; it gets `rebate_ppm` back, and its inviter gets `ppm` of the rest."""
        if not rebate_ppm and not ppm:
            return
        self.close_days(time // DAY_US)
        accrual = self.today.get(which)
        if accrual is None:
            accrual = self.today[which] = Accrual()
        if rebate_ppm:
            refund = part_down(fee, rebate_ppm, PPM)
            accrual.refund += refund
            fee -= refund
        if ppm:
            accrual.fee += fee
            accrual.commission += part_down(fee, ppm, PPM)
            if maker:
                accrual.maker = min(AMOUNT_MAX, accrual.maker + amount)
            else:
                accrual.taker = min(AMOUNT_MAX, accrual.taker + amount)

    def close_days(self, day: int) -> None:
        """Turn the recorded payments of earlier days into owed ones."""
        if day == self.day:
            return
        for which, accrual in self.today.items():
            self.owed.append((self.day, which, accrual))
        self.today = {}
        self.day = day

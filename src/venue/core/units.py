"""Integers and their roundings.

A price counts ticks (price / tick size), a quantity lots (base quantity / step size), and money
atoms (amount of an asset x 10^scale).
"""

from typing import Final

PPM: Final = 1_000_000  # rates are parts per million
PPB: Final = 1_000_000_000  # funding rates and premiums are parts per billion
SECOND_US: Final = 1_000_000
MINUTE_US: Final = 60 * SECOND_US
DAY_US: Final = 86_400 * SECOND_US
WEEK_US: Final = 7 * DAY_US
FIRST_ID: Final = 10**15  # ids have 16 digits: told apart from ms times, exact below 2^53
FIRST_UID: Final = 10_000_001  # of owners; those of the venue's own accounts are below 10
PRICE_MAX: Final = 10**17  # ticks
QUANTITY_MAX: Final = 10**17  # lots
AMOUNT_MAX: Final = 2**62  # atoms: bounds supply and notional, so that stored integers fit 64 bits
SUM_MAX: Final = 2**61  # atoms: the most that an owner's positions and opening orders may add up to
NUMBER_MAX: Final = 2**62  # of a command; every bound of a rule lies below it
STORED_MAX: Final = 2**63 - 1  # the greatest integer that a file or an event holds


def ceil_div(number: int, divisor: int) -> int:
    """Division rounded up, against the payer (rule 1.2)."""
    return -(-number // divisor)


def part_down(whole: int, part: int, parts: int) -> int:
    """`part` of the `parts` of a whole, rounded down."""
    return whole * part // parts


def part_up(whole: int, part: int, parts: int) -> int:
    """`part` of the `parts` of a whole, none of them negative, rounded up (rule 1.2)."""
    # Compiled, a product is dear when a factor is beyond 2^30: even parts go apart.
    even = whole // parts
    return even * part - (-((whole - even * parts) * part) // parts)

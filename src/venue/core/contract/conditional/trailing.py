"""Trailing stops: updates all of a contract's stops for a price, and finds the due ones, in
logarithmic time.

A trailing stop that has followed a price for longer has seen more of it, so its best price is no
worse. In the order of best prices, a new one therefore replaces a whole end of the row. The row is
a balanced tree; a branch stores "all of you have this best price now" and passes it on later.

Prices are signed here so that the followed price always rises: a sell's are unchanged, a buy's are
negated.
"""

from __future__ import annotations

from typing import Final, Generic, TypeVar

from venue.core.units import PPM

NOWHERE: Final = -(10**18)  # below all signed prices: the best price of one that has seen none

T = TypeVar("T")
Prices = tuple[int, int]  # last and mark, 0 for one that is unknown


class Trail(Generic[T]):
    """One trailing stop, a node of its tree: those in `left` precede it, those in `right` follow
    it.

    `extreme` is its best price; before it is active, its activation price negated. `lift` is a best
    price that its branches have and that was not passed on to them yet. Of itself and its branches,
    `lowest` is the worst best price, `nearest` the first to be triggered, at the price `trigger`,
    and `tightest` the one with the smallest callback. `height` is that of its tree, 1 alone. The
    heights of two branches differ by at most one, whatever ids and prices the owners choose.
    """

    __slots__ = ("callback", "extreme", "factor", "height", "left", "lift", "lowest", "nearest",
                 "number", "parent", "queue", "right", "thing", "tightest",
                 "trigger")  # fmt: skip

    def __init__(self, number: int, thing: T, queue: int, callback: int, extreme: int) -> None:
        self.number = number
        self.thing = thing
        self.queue = queue
        self.callback = callback
        self.factor = PPM - callback if queue & 1 else PPM + callback
        self.extreme = extreme
        self.height = 1
        self.lift = NOWHERE
        self.left: Trail[T] | None = None
        self.right: Trail[T] | None = None
        self.parent: Trail[T] | None = None
        self.lowest = extreme
        self.trigger = NOWHERE
        self.nearest: Trail[T] | None = self
        self.tightest: Trail[T] | None = self
        _sum_up(self)

    def at(self, extreme: int) -> int:
        """Return the stop's trigger price when its best price is `extreme`."""
        return extreme if extreme == NOWHERE else extreme * self.factor // PPM


class Trails(Generic[T]):
    """The trailing stops of one price and one side: those that follow the price, and those that
    wait for their activation price."""

    __slots__ = ("following", "waiting")

    def __init__(self) -> None:
        self.following: Trail[T] | None = None
        self.waiting: Trail[T] | None = None

    def observe(self, price: int) -> None:
        """Update the best price of all following stops; activate those whose activation price is
        reached."""
        if self.following is not None:
            _rise(self.following, price)
        if self.waiting is not None and _first(self.waiting).extreme >= -price:
            reached, self.waiting = _split(self.waiting, -price)
            if reached is not None:
                _lift(reached, price)
            self.following = _join(self.following, reached)

    def due(self, price: int) -> Trail[T] | None:
        """Return the nearest stop whose trigger price is reached. Call `observe` with the same
        price first."""
        root = self.following
        return root.nearest if root is not None and root.trigger >= price else None


class Trailing(Generic[T]):
    """The trailing stops of a contract by id, and in four queues by price and side: last rising,
    last falling, mark rising, mark falling. An unknown price changes nothing."""

    __slots__ = ("queues", "trails")

    def __init__(self) -> None:
        self.trails: dict[int, Trail[T]] = {}
        self.queues: list[Trails[T]] = [Trails() for _ in range(4)]

    def add(
        self, number: int, thing: T, queue: int, callback: int, *, activation: int, extreme: int
    ) -> None:
        """Add a stop. It follows from its best price on, or from its activation price; without
        either it follows from the next price."""
        signed = extreme if queue & 1 else -extreme
        trails = self.queues[queue]
        if activation and not extreme:
            trail = Trail(number, thing, queue, callback, -activation if queue & 1 else activation)
            trails.waiting = _put(trails.waiting, trail)
        else:
            trail = Trail(number, thing, queue, callback, signed if extreme else NOWHERE)
            trails.following = _put(trails.following, trail)
        self.trails[number] = trail

    def remove(self, number: int) -> None:
        """Remove a stop."""
        trail = self.trails.pop(number)
        trails = self.queues[trail.queue]
        if _root(trail) is trails.waiting:
            trails.waiting = _without(trail)
        else:
            trails.following = _without(trail)

    def observe(self, prices: Prices) -> None:
        """Update all stops for the present prices."""
        for queue, trails in enumerate(self.queues):
            price = _signed_price(queue, prices)
            if price:
                trails.observe(price)

    def due(self, prices: Prices) -> T | None:
        """Return the next stop whose trigger price is reached: the nearest of the first queue that
        has one."""
        for queue, trails in enumerate(self.queues):
            price = _signed_price(queue, prices)
            found = trails.due(price) if price else None
            if found is not None:
                return found.thing
        return None

    def prices_of(self, number: int) -> tuple[int, int]:
        """Return the best price of a stop and its trigger price; 0 and 0 before it is active."""
        trail = node = self.trails[number]
        extreme = trail.extreme
        while node.parent is not None:
            node = node.parent
            if node.lift != NOWHERE:
                extreme = node.lift
        if extreme == NOWHERE or node is self.queues[trail.queue].waiting:
            return 0, 0
        trigger = trail.at(extreme)
        return (extreme, trigger) if trail.queue & 1 else (-extreme, -trigger)


def _signed_price(queue: int, prices: Prices) -> int:
    price = prices[queue >> 1]
    return price if queue & 1 else -price


# -- trees ----------------------------------------------------------------------------------------


def _height(trail: Trail[T] | None) -> int:
    return 0 if trail is None else trail.height


def _tighter(one: Trail[T], other: Trail[T]) -> bool:
    if one.callback != other.callback:
        return one.callback < other.callback
    return one.number < other.number


def _sum_up(trail: Trail[T]) -> None:
    """Compute the sums of a trail and its branches."""
    left, right = trail.left, trail.right
    trail.height = 1 + max(_height(left), _height(right))
    # Those after it have no better best prices.
    trail.lowest = trail.extreme if right is None else right.lowest
    trigger = trail.at(trail.extreme)
    nearest = tightest = trail
    for branch in (left, right):
        if branch is not None:
            near, tight = branch.nearest or branch, branch.tightest or branch
            if branch.trigger > trigger or (branch.trigger == trigger and _tighter(near, nearest)):
                trigger, nearest = branch.trigger, near
            if _tighter(tight, tightest):
                tightest = tight
    trail.trigger = trigger
    trail.nearest, trail.tightest = nearest, tightest


def _lift(trail: Trail[T], price: int) -> None:
    """Set the best price of a trail and of all in its branches."""
    tightest = trail.tightest or trail
    trail.extreme = trail.lift = trail.lowest = price
    trail.nearest = tightest
    trail.trigger = tightest.at(price)


def _pass_on(trail: Trail[T]) -> None:
    """Pass a stored best price on to the branches."""
    if trail.lift != NOWHERE:
        for branch in (trail.left, trail.right):
            if branch is not None:
                _lift(branch, trail.lift)
        trail.lift = NOWHERE


def _rise(trail: Trail[T], price: int) -> None:
    """Raise every worse best price to this one: those of the trails from one place to the end."""
    if trail.lowest >= price:
        return
    _pass_on(trail)
    if trail.extreme < price:
        trail.extreme = price
        if trail.right is not None:
            _lift(trail.right, price)
        if trail.left is not None:
            _rise(trail.left, price)
    elif trail.right is not None:
        _rise(trail.right, price)
    _sum_up(trail)


def _over(left: Trail[T] | None, trail: Trail[T], right: Trail[T] | None) -> Trail[T]:
    """Make this trail the root over two trees; its parent is not updated."""
    trail.left, trail.right = left, right
    if left is not None:
        left.parent = trail
    if right is not None:
        right.parent = trail
    trail.parent = None
    _sum_up(trail)
    return trail


def _link(left: Trail[T] | None, trail: Trail[T], right: Trail[T] | None) -> Trail[T]:
    """Join two trees with a trail between them into one balanced tree; the trail's own best price
    is set.

    Blelloch, Ferizovic and Sun, "Just Join for Parallel Ordered Sets", 2016, for AVL trees.
    """
    if left is not None and left.height > _height(right) + 1:
        _pass_on(left)
        branch = _link(left.right, trail, right)
        if branch.height <= _height(left.left) + 1:
            return _over(left.left, left, branch)
        _pass_on(branch)
        inner = branch.left
        if inner is not None and inner.height > _height(branch.right):
            _pass_on(inner)
            low = _over(left.left, left, inner.left)
            return _over(low, inner, _over(inner.right, branch, branch.right))
        return _over(_over(left.left, left, inner), branch, branch.right)
    if right is not None and right.height > _height(left) + 1:
        _pass_on(right)
        branch = _link(left, trail, right.left)
        if branch.height <= _height(right.right) + 1:
            return _over(branch, right, right.right)
        _pass_on(branch)
        inner = branch.right
        if inner is not None and inner.height > _height(branch.left):
            _pass_on(inner)
            high = _over(inner.right, right, right.right)
            return _over(_over(branch.left, branch, inner.left), inner, high)
        return _over(branch.left, branch, _over(inner, right, right.right))
    return _over(left, trail, right)


def _join(first: Trail[T] | None, last: Trail[T] | None) -> Trail[T] | None:
    """Join two trees, all of the first before all of the last; the root has no parent."""
    if last is None:
        if first is not None:
            first.parent = None
        return first
    middle, rest = _pop_first(last)
    return _link(first, middle, rest)


def _pop_first(trail: Trail[T]) -> tuple[Trail[T], Trail[T] | None]:
    """Remove the first of a tree; return it and the tree of the others."""
    _pass_on(trail)
    if trail.left is None:
        if trail.right is not None:
            trail.right.parent = None
        return trail, trail.right
    first, rest = _pop_first(trail.left)
    return first, _link(rest, trail, trail.right)


def _split(trail: Trail[T] | None, extreme: int) -> tuple[Trail[T] | None, Trail[T] | None]:
    """Split a tree in two: those with at least this best price, and the rest."""
    if trail is None:
        return None, None
    _pass_on(trail)
    left, right = trail.left, trail.right
    if left is not None:
        left.parent = None
    if right is not None:
        right.parent = None
    if trail.extreme >= extreme:
        stays, rest = _split(right, extreme)
        return _link(left, trail, stays), rest
    stays, rest = _split(left, extreme)
    return stays, _link(rest, trail, right)


def _put(root: Trail[T] | None, trail: Trail[T]) -> Trail[T] | None:
    before, after = _split(root, trail.extreme)
    return _link(before, trail, after)


def _first(trail: Trail[T]) -> Trail[T]:
    while trail.left is not None:
        trail = trail.left
    return trail


def _root(trail: Trail[T]) -> Trail[T]:
    while trail.parent is not None:
        trail = trail.parent
    return trail


def _without(trail: Trail[T]) -> Trail[T] | None:
    """Remove a trail from its tree; return the root of the others."""
    above: list[Trail[T]] = []
    parent = trail.parent
    while parent is not None:
        above.append(parent)
        parent = parent.parent
    for node in reversed(above):
        _pass_on(node)
    _pass_on(trail)
    rest = _join(trail.left, trail.right)
    below = trail
    for node in above:
        was_left = node.left is below
        below = node
        rest = _link(rest, node, node.right) if was_left else _link(node.left, node, rest)
    trail.left = trail.right = trail.parent = trail.nearest = trail.tightest = None
    return rest

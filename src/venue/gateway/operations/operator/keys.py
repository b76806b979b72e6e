"""Operator operations on API keys: they live in the key store, not in the journal."""

from __future__ import annotations

from venue.api import errors
from venue.api.operator.venue import (
    CreatedKey,
    CreateKeyRequest,
    KeysRequest,
    KeyView,
    RevokeKeyRequest,
)
from venue.api.profile import Profile
from venue.core.messages.commands import ChangeSetting
from venue.gateway.access.auth import is_ipv6
from venue.gateway.access.callers import KeyFacts
from venue.gateway.door import KEY_REWRITES, Call, Door
from venue.gateway.operations.operator.venue import owner
from venue.times import US_PER_MS
from venue.vocabulary import Access


def keys(call: Call, request: KeysRequest) -> list[KeyView]:
    """Keys without their secrets."""
    node = call.node
    uid = owner(node, request.owner).uid if request.owner is not None else None
    return [_view(key) for key in call.door.keys.list(uid)]


async def create_key(call: Call, request: CreateKeyRequest) -> CreatedKey:
    """Return a new key; only this reply shows its secret."""
    node = call.node
    access = 0
    for name in request.permissions:
        access |= int(Access[name])
    if not access:
        raise errors.missing("permissions")
    if access & Access.COPY_TRADE and access & (Access.SPOT_TRADE | Access.CONTRACT_TRADE):
        raise errors.combination("COPY_TRADE", "SPOT_TRADE' and 'CONTRACT_TRADE")
    expires, now = request.expires, node.clock.wall()
    if expires is not None and expires * US_PER_MS <= now:
        rule = f"must be later than server time, which is {now // US_PER_MS}"
        raise errors.invalid("expires", rule)
    if node.profile is Profile.LIVE and any(map(is_ipv6, request.ips or [])):
        raise errors.invalid("ips", "allowed with the profile live: IPv4 addresses and networks")
    uid, epoch = owner(node, request.owner).uid, node.engine.epoch
    made = await call.door.keys.create(
        uid,
        access,
        now=node.clock.server_time(),
        label=request.label,
        addresses=request.ips or [],
        expires=expires * US_PER_MS if expires is not None else None,
    )
    if node.engine.epoch != epoch:  # the uid may be another owner's by now
        await call.door.keys.revoke(made.key)
        raise errors.busy("the venue went back to a kept state meanwhile; no key was made")
    await note_rewrites(call.door)
    return CreatedKey(made.key, made.secret, made.passphrase)


async def revoke_key(call: Call, request: RevokeKeyRequest) -> KeyView:
    """Revoke a key, which stops working at once."""
    if not await call.door.keys.revoke(request.key):
        raise errors.invalid("key", "no such key")
    await note_rewrites(call.door)
    (found,) = [key for key in call.door.keys.list() if key.key == request.key]
    return _view(found)


async def note_rewrites(door: Door) -> None:
    """Journal the number of the newest key store: an earlier copy of its files is refused then."""
    node, keys = door.node, door.keys
    if keys.rewrites() > int(node.setting(KEY_REWRITES, "0")):
        await node.submit([ChangeSetting(KEY_REWRITES, str(keys.rewrites()))])


def _view(key: KeyFacts) -> KeyView:
    names = [bit.name for bit in Access if bit and key.access & bit]
    expires = key.expires // US_PER_MS if key.expires is not None else None
    return KeyView(
        key=key.key,
        uid=key.uid,
        label=key.label,
        permissions=names,
        ips=key.addresses,
        created=key.created // US_PER_MS,
        revoked=key.revoked,
        expires=expires,
    )

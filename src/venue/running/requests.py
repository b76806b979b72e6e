"""Makes the server of requests to a venue: one that serves, a world, or a run that is read."""

from __future__ import annotations

from typing import Final

import venue
from venue.api.documents.asyncapi import asyncapi
from venue.api.documents.openapi import openapi
from venue.api.profile import Profile
from venue.api.streams.channels import SOCKETS
from venue.gateway.access.auth import Authenticator
from venue.gateway.access.limits import ORDERS_MAX, Limits
from venue.gateway.access.operators import OperatorDoor
from venue.gateway.access.origins import Origins
from venue.gateway.dispatch.dispatcher import Dispatcher
from venue.gateway.dispatch.documents import Description, Document
from venue.gateway.dispatch.operation_table import OperationTable
from venue.gateway.door import Door
from venue.gateway.operations.bindings import open_rows, routes
from venue.gateway.pages.documents import PageDocuments
from venue.node.clock import ServerClock
from venue.running.options import Options

ASYNCAPI: Final = Description(lambda: asyncapi(SOCKETS, venue.__version__))


def dispatcher(
    door: Door,
    options: Options,
    origins: Origins,
    operators: OperatorDoor,
    clock: ServerClock | None = None,
) -> Dispatcher:
    """Make the server of whole requests to a venue, by its clock or another `clock`."""
    limits = Limits(None, None, None)
    if options.limits:
        weight = door.weight_limit
        limits = Limits(weight, weight, ORDERS_MAX * options.limits_factor(), door.node.clock)
    documents = _descriptions(door)
    pages = PageDocuments(operators, documents).find
    return Dispatcher(
        OperationTable(door, routes(), limits, strict=options.strict),
        authenticator(door, clock or door.node.clock),
        door.replays,
        operators,
        origins,
        pages if options.pages else documents.get,
        clock=clock,
    )


def _descriptions(door: Door) -> dict[bytes, Document]:
    """Return the descriptions of a venue's interface by their paths."""
    return {
        b"/openapi.json": Description(
            lambda: openapi(open_rows(door), venue.__version__, door.node.profile)
        ),
        b"/asyncapi.json": ASYNCAPI,
    }


def authenticator(door: Door, clock: ServerClock) -> Authenticator:
    """Make the check of signatures by the venue's keys."""
    only_ipv4 = door.node.profile is Profile.LIVE
    return Authenticator(door.keys.ring, clock, explain=True, only_ipv4=only_ipv4)


def operator_door(options: Options) -> OperatorDoor:
    """Make the check of who is the operator."""
    token, proxies = options.operator_token, bool(options.proxies)
    return OperatorDoor(token, behind_proxy=proxies, port=options.port)

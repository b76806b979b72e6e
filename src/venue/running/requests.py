"""Makes the server of requests to a node: one that serves, a world, or a run that is read."""

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
from venue.gateway.context import Node
from venue.gateway.dispatch.dispatcher import Desk, Dispatcher, document
from venue.gateway.operations.bindings import open_rows, routes
from venue.node.clock import ServerClock
from venue.running.options import Options

ASYNCAPI: Final = document(lambda: asyncapi(SOCKETS, venue.__version__))


def dispatcher(
    node: Node, options: Options, origins: Origins, clock: ServerClock | None = None
) -> Dispatcher:
    """Make the server of whole requests to the node, by its clock or another `clock`."""
    limits = Limits(None, None, None)
    if options.limits:
        weight = node.weight_limit
        limits = Limits(weight, weight, ORDERS_MAX * options.limits_factor(), node.clock)
    return Dispatcher(
        Desk(node, routes(), limits, strict=options.strict),
        authenticator(node, clock or node.clock),
        node.replays,
        operator_door(options),
        origins,
        {
            b"/openapi.json": document(
                lambda: openapi(open_rows(node), venue.__version__, node.profile)
            ),
            b"/asyncapi.json": ASYNCAPI,
        },
        clock=clock,
    )


def authenticator(node: Node, clock: ServerClock) -> Authenticator:
    """Make the check of signatures by the node's keys."""
    only_ipv4 = node.profile is Profile.LIVE
    return Authenticator(node.keys.ring, clock, explain=True, only_ipv4=only_ipv4)


def operator_door(options: Options) -> OperatorDoor:
    """Make the check of who is the operator."""
    token, proxies = options.operator_token, bool(options.proxies)
    return OperatorDoor(token, behind_proxy=proxies, port=options.port)

"""`venue mcp`: its options."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated, Final

from cyclopts import Parameter

from venue.cli.identity import NOBODY, TRADER, Who, acting
from venue.cli.operator import die


def mcp(
    *,
    who: Annotated[Who, Parameter(name="*")] = NOBODY,
    operator: Annotated[
        bool, Parameter(negative="", help="Offer the operator's tools too: clock, faults, explain.")
    ] = False,
    yes: Annotated[bool, Parameter(negative="", help="Ask nobody before money moves.")] = False,
) -> None:
    """Serve a running venue as tools of the Model Context Protocol, over standard input and output.

    Tools have the rights of the one owner, and with --operator those of the operator. Where money
    moves, the program that uses the tools asks its person first.
    """
    if find_spec("mcp") is None:
        die("this needs the protocol's library: pip install 'mcp>=2.3'")
    from venue.cli.mcp.server import serve
    from venue.cli.mcp.tools import tools

    with acting(who, *TRADER) as account:
        serve(account, tools(operating=operator), asking=not yes)


COMMANDS: Final = {"mcp": mcp}

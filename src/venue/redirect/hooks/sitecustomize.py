"""Redirects a Python program's connections from the exchange's names to the venue.

Python imports it at its start, before the program. It changes the functions that all libraries use:
the look-up of names, the connecting of sockets, and the certificates that TLS trusts.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import ipaddress
import json
import os
import socket
import ssl
import sys
from contextlib import suppress
from typing import Any

SETTINGS: dict[str, Any] = json.loads(os.environ.get("VENUE_HOOK") or "{}")
LOOPBACK = "127.0.0.1"
# As they are without this hook.
getaddrinfo, gethostbyname = socket.getaddrinfo, socket.gethostbyname
gethostbyname_ex = socket.gethostbyname_ex
connect, connect_ex = socket.socket.connect, socket.socket.connect_ex
load_verify_locations = ssl.SSLContext.load_verify_locations
load_default_certs = ssl.SSLContext.load_default_certs
set_default_verify_paths = ssl.SSLContext.set_default_verify_paths


def is_exchange(host: object) -> bool:
    """Return whether a host is the exchange's name, or the address that stands for it."""
    name = text(host).lower().rstrip(".")
    domain = SETTINGS["domain"]
    return name in (domain, SETTINGS["standsForIt"]) or name.endswith("." + domain)


def led(host: Any, port: Any) -> tuple[Any, Any]:
    """Return where a connection goes: where it is meant to, or to a door of this machine.
    PermissionError: it is cut off."""
    if is_exchange(host):
        plain = str(port) in (str(SETTINGS["plainPort"]), "http")
        return LOOPBACK, SETTINGS["plain" if plain else "secure"]
    if SETTINGS["only"] and not is_here(host):
        tell_proxy(text(host), port)
        raise PermissionError(f"{text(host)} is cut off: venue with --only-venue")
    return host, port


def text(host: object) -> str:
    """Return a host as text; empty for none."""
    if isinstance(host, (bytes, bytearray)):
        return bytes(host).decode("latin-1")
    return host if isinstance(host, str) else ""


def is_here(host: object) -> bool:
    """Return whether it is this machine."""
    name = text(host).lower()
    if name in ("", "localhost") or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False


def tell_proxy(host: str, port: object) -> None:
    """Ask the proxy for a host that is cut off: it counts those that are asked for."""
    shown = f"[{host}]" if ":" in host else host
    number = port if str(port).isdecimal() else 443
    with suppress(OSError), socket.socket() as asking:
        asking.settimeout(1.0)
        connect(asking, (LOOPBACK, SETTINGS["proxy"]))
        asking.sendall(f"CONNECT {shown}:{number} HTTP/1.1\r\n\r\n".encode())
        asking.recv(1)


def led_getaddrinfo(host: Any, port: Any, *more: Any, **named: Any) -> Any:
    """Replaces `socket.getaddrinfo`."""
    if is_exchange(host) and port is None:
        return getaddrinfo(SETTINGS["standsForIt"], port, *more, **named)
    try:
        place = led(host, port)
    except PermissionError as problem:
        raise socket.gaierror(socket.EAI_NONAME, str(problem)) from None
    return getaddrinfo(*place, *more, **named)


def led_gethostbyname(name: str) -> str:
    """Replaces `socket.gethostbyname`."""
    return SETTINGS["standsForIt"] if is_exchange(name) else gethostbyname(name)


def led_gethostbyname_ex(name: str) -> Any:
    """Replaces `socket.gethostbyname_ex`."""
    return gethostbyname_ex(SETTINGS["standsForIt"] if is_exchange(name) else name)


def led_address(one: socket.socket, address: Any) -> Any:
    """Return the address that a socket connects to. PermissionError."""
    if one.family not in (socket.AF_INET, socket.AF_INET6) or not isinstance(address, tuple):
        return address
    host, port = led(address[0], address[1])
    if host == address[0] and port == address[1]:
        return address
    if one.family == socket.AF_INET6:
        return f"::ffff:{host}", port
    return host, port


def led_connect(one: socket.socket, address: Any) -> None:
    """Replaces `socket.socket.connect`."""
    connect(one, led_address(one, address))


def led_connect_ex(one: socket.socket, address: Any) -> int:
    """Replaces `socket.socket.connect_ex`."""
    return connect_ex(one, led_address(one, address))


def trust(context: ssl.SSLContext) -> None:
    """Trust the certificates that were made for this command, and all others as before."""
    with suppress(OSError):  # the command has ended
        load_verify_locations(context, SETTINGS["authority"])


def trusting_load_verify_locations(context: ssl.SSLContext, *files: Any, **named: Any) -> None:
    """Replaces `ssl.SSLContext.load_verify_locations`."""
    load_verify_locations(context, *files, **named)
    trust(context)


def trusting_load_default_certs(context: ssl.SSLContext, *purpose: Any, **named: Any) -> None:
    """Replaces `ssl.SSLContext.load_default_certs`."""
    load_default_certs(context, *purpose, **named)
    trust(context)


def trusting_set_default_verify_paths(context: ssl.SSLContext) -> None:
    """Replaces `ssl.SSLContext.set_default_verify_paths`."""
    set_default_verify_paths(context)
    trust(context)


def change_uvloop(module: Any) -> None:
    """Lead the connections of uvloop, which looks names up without Python's help."""
    getaddrinfo_of_loop = module.Loop.getaddrinfo
    create_connection = module.Loop.create_connection

    async def led_getaddrinfo_of_loop(loop: Any, host: Any, port: Any, **named: Any) -> Any:
        if is_exchange(host) or SETTINGS["only"]:
            return led_getaddrinfo(host, port, **named)
        return await getaddrinfo_of_loop(loop, host, port, **named)

    async def led_create_connection(
        loop: Any, factory: Any, host: Any = None, port: Any = None, **named: Any
    ) -> Any:
        if host is not None:
            place = led(host, port)
            if place != (host, port) and named.get("ssl") and not named.get("server_hostname"):
                named["server_hostname"] = host
            host, port = place
        return await create_connection(loop, factory, host, port, **named)

    module.Loop.getaddrinfo = led_getaddrinfo_of_loop
    module.Loop.create_connection = led_create_connection


def change_resolver(module: Any) -> None:
    """Lead the connections of aiohttp where it asks the servers of names itself."""
    resolve = module.AsyncResolver.resolve

    async def led_resolve(one: Any, host: str, *more: Any, **named: Any) -> Any:
        if is_exchange(host) or SETTINGS["only"]:
            return await module.ThreadedResolver().resolve(host, *more, **named)
        return await resolve(one, host, *more, **named)

    module.AsyncResolver.resolve = led_resolve


CHANGED = {"uvloop": change_uvloop, "aiohttp.resolver": change_resolver}


class ChangingFinder:
    """Changes some modules after their import."""

    def find_spec(self, name: str, path: Any, _: Any = None) -> Any:
        """Return the module's spec, whose loader changes the module; None for all other modules."""
        if name not in CHANGED:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_changed(module: Any) -> None:
                load(module)
                CHANGED[name](module)

            setattr(spec.loader, "exec_module", load_changed)  # noqa: B010 - an object's method
        return spec


def change_python() -> None:
    """Change the places that all libraries go through."""
    changes: list[tuple[Any, str, Any]] = [
        (socket, "getaddrinfo", led_getaddrinfo),
        (socket, "gethostbyname", led_gethostbyname),
        (socket, "gethostbyname_ex", led_gethostbyname_ex),
        (socket.socket, "connect", led_connect),
        (socket.socket, "connect_ex", led_connect_ex),
        (ssl.SSLContext, "load_verify_locations", trusting_load_verify_locations),
        (ssl.SSLContext, "load_default_certs", trusting_load_default_certs),
        (ssl.SSLContext, "set_default_verify_paths", trusting_set_default_verify_paths),
    ]
    for place, name, changed in changes:
        setattr(place, name, changed)
    finder: Any = ChangingFinder()
    sys.meta_path.insert(0, finder)


def run_own() -> None:
    """Run the `sitecustomize` that Python would have run without this one, and leave its path."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [one for one in sys.path if os.path.abspath(one) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    own = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = own
    spec.loader.exec_module(own)


if SETTINGS and __name__ == "sitecustomize":
    change_python()
    run_own()

"""The environment of a command: an owner's keys, the hooks, the proxy and the certificates."""

from __future__ import annotations

import json
import os
import ssl
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

from venue.files import private_files
from venue.redirect.certificates import AUTHORITY
from venue.redirect.doors import LOOPBACK, Ports
from venue.redirect.hosts import DOMAIN, HERE, PLAIN_PORT, STANDS_FOR_IT, is_exchange
from venue.redirect.outside import VARIABLES

HOOKS: Final = Path(__file__).parent / "hooks"
HOOK: Final = "VENUE_HOOK"  # the variable that the hooks read
# Files of certificates that programs know by a variable.
STORES: Final = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
ADDED: Final = "NODE_EXTRA_CA_CERTS"  # node adds those in this file to its own
SYSTEMS: Final = (
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
)  # fmt: skip
# The variables in which programs look for keys: the venue's own, those of ccxt's command line and
# of its tests, freqtrade's, and names that bots give them.
KEYS: Final = (
    "VENUE_KEY", "WEEX_APIKEY", "WEEX_API_KEY", "WEEX_KEY", "FREQTRADE__EXCHANGE__KEY",
)  # fmt: skip
SECRETS: Final = (
    "VENUE_SECRET", "WEEX_SECRET", "WEEX_API_SECRET", "WEEX_SECRET_KEY",
    "FREQTRADE__EXCHANGE__SECRET",
)  # fmt: skip
PASSPHRASES: Final = (
    "VENUE_PASSPHRASE", "WEEX_PASSWORD", "WEEX_PASSPHRASE", "WEEX_API_PASSPHRASE",
    "FREQTRADE__EXCHANGE__PASSWORD",
)  # fmt: skip


class RedirectPlan(Struct, frozen=True):
    """The facts that make a command's environment. `only`: all hosts but the venue are cut off."""

    url: str
    key: str
    secret: str
    passphrase: str
    folder: Path
    only: bool


def environment(
    given: Mapping[str, str], plan: RedirectPlan, ports: Ports, *, isolated: bool
) -> dict[str, str]:
    """Return the environment of the command, made of this process's own. Raises OSError: a file of
    certificates cannot be written. An `isolated` command finds the venue behind a door."""
    made = {name: value for name, value in given.items() if not name.startswith("VENUE_")}
    path = urlsplit(plan.url).path
    made["VENUE_URL"] = f"http://{LOOPBACK}:{ports.own}{path}" if isolated else plan.url
    for names, value in (
        (KEYS, plan.key), (SECRETS, plan.secret), (PASSPHRASES, plan.passphrase)
    ):  # fmt: skip
        made |= dict.fromkeys(names, value)
    return made | _proxy(given, plan, ports) | _stores(given, plan) | _hooks(given, plan, ports)


def _proxy(given: Mapping[str, str], plan: RedirectPlan, ports: Ports) -> dict[str, str]:
    """Name this proxy to all programs that use one; for hosts of this machine they use none."""
    left = {
        one.strip(): None
        for name in ("no_proxy", "NO_PROXY")
        for one in given.get(name, "").split(",")
        if not plan.only and _is_other(one.strip())
    }
    around = ",".join(dict.fromkeys((*HERE, *left)))
    used = dict.fromkeys(VARIABLES, f"http://{LOOPBACK}:{ports.proxy}")
    return used | {"no_proxy": around, "NO_PROXY": around}


def _is_other(host: str) -> bool:
    """Return whether an exception from the proxy leaves the exchange's names to it."""
    name = host.lstrip("*").lstrip(".")
    return bool(name) and not is_exchange(name) and not DOMAIN.endswith(name)


def _stores(given: Mapping[str, str], plan: RedirectPlan) -> dict[str, str]:
    """Return the certificates that a program takes anyway, and the authority's with them."""
    folder = plan.folder
    authority = (folder / AUTHORITY).read_bytes()
    made = {}
    for name in STORES:
        files = (given.get(name) or given.get(STORES[0]), *_systems())
        before = _first(files)
        if before or name == STORES[0]:
            made[name] = _stored(folder, name, before + authority)
    before = _first([given.get(ADDED)])
    made[ADDED] = _stored(folder, ADDED, before + authority)
    return made


def _systems() -> Iterable[str | None]:
    yield ssl.get_default_verify_paths().cafile
    yield from SYSTEMS


def _first(paths: Iterable[str | None]) -> bytes:
    """Return the first of these files that is there, with a line's end; empty without one."""
    for path in paths:
        if path and os.path.isfile(path):
            return Path(path).read_bytes().rstrip(b"\n") + b"\n"
    return b""


def _stored(folder: Path, name: str, certificates: bytes) -> str:
    path = folder / f"{name.lower()}.pem"
    private_files.write(path, certificates)
    return str(path)


def _hooks(given: Mapping[str, str], plan: RedirectPlan, ports: Ports) -> dict[str, str]:
    """Start-up hooks of Python and node, before what is started there anyway."""
    settings = {
        "domain": DOMAIN,
        "standsForIt": STANDS_FOR_IT,
        "plainPort": PLAIN_PORT,
        "secure": ports.secure,
        "plain": ports.plain,
        "proxy": ports.proxy,
        "authority": str(plan.folder / AUTHORITY),
        "only": plan.only,
    }
    searched = [str(HOOKS), *filter(None, given.get("PYTHONPATH", "").split(os.pathsep))]
    node = f'--require "{HOOKS / "hook.cjs"}"'
    return {
        HOOK: json.dumps(settings),
        "PYTHONPATH": os.pathsep.join(searched),
        "NODE_OPTIONS": f"{node} {given.get('NODE_OPTIONS', '')}".strip(),
    }

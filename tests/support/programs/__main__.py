"""`python -m support.programs [NAME ...]`: programs as their projects publish them, each unchanged
under `venue with alice --only-venue`; a table of what they asked for, placed and read."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from venue import Client
from venue.api.profile import Profile
from venue.practice import Practice
from venue.redirect.running import UNSURE

HERE = Path(__file__).resolve().parent
BOTS = HERE.parents[2] / "examples" / "bots"
REFUSED = "venue with: refused, as --only-venue says: "
DONE = "open"  # the last word of a program: the status of its order, as it read it
NUMBER = re.compile(r"[0-9]+(?:[.][0-9]+)+")
INSTALL_S, RUN_S = 1_200, 240
PIP = ("python3 -m venv env", "env/bin/python -m pip install -q")


class Program(NamedTuple):
    """How a program is installed and run in a folder of its own, which gets these files."""

    version: str
    files: tuple[Path, ...]
    install: tuple[str, ...]
    run: str


def python(package: str, script: Path, *files: str) -> Program:
    """A program for Python, in an environment of its own."""
    environment, install = PIP
    others = tuple(HERE / name for name in files)
    return Program(
        package.partition("==")[2], (script, *others), (environment, f"{install} {package}"),
        f"env/bin/python {script.name}",
    )  # fmt: skip


NPM = "npm install --silent --no-audit --no-fund --no-save --prefix ."
PROGRAMS = {
    "curl": Program("", (HERE / "place.sh",), ("curl --version",), "sh place.sh"),
    "go": Program(
        "", (HERE / "place.go",), ("go version", "go build -o place place.go"), "./place"
    ),
    "ccxt": python("ccxt==4.5.90", BOTS / "unchanged.py"),
    "ccxt-node": Program(
        "4.5.84", (HERE / "place.mjs",), (f"{NPM} ccxt@4.5.84",), "node place.mjs"
    ),
    "mcp-ccxt": python("mcp-ccxt==1.0.0", HERE / "agent.py"),
    "freqtrade": python("freqtrade==2026.9", HERE / "until_filled.py", "freqtrade.json"),
}


def main(names: list[str]) -> int:
    """The exit code: 1 when a program did not trade. Other hosts are told: they are cut off."""
    unknown = [name for name in names if name not in PROGRAMS]
    if unknown:
        print(f"{unknown[0]} is none of {', '.join(PROGRAMS)}", file=sys.stderr)
        return 2
    good = True
    print("| program | version | profile | asked for | placed and read | anything else |")
    print("|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="venue-programs-") as place:
        for number, name in enumerate(names):
            folder = Path(place) / str(number)
            folder.mkdir()
            version = installed(PROGRAMS[name], folder)
            for profile in Profile:
                asked, placed, other = tried(PROGRAMS[name], folder, profile)
                good = good and placed == "yes"
                cells = (name, version, profile, asked, placed, other or "nothing")
                print(f"| {' | '.join(cells)} |", flush=True)
    return 0 if good else 1


def installed(program: Program, folder: Path) -> str:
    """Install a program; its version, or that of the tool that it is made with."""
    for file in program.files:
        shutil.copy(file, folder)
    said = ""
    for command in program.install:
        words = command.split()
        done = subprocess.run(
            words, cwd=folder, check=True, capture_output=True, text=True, timeout=INSTALL_S
        )
        said = said or done.stdout.partition("\n")[0]
    return program.version or NUMBER.findall(said)[0]


def tried(program: Program, folder: Path, profile: Profile) -> tuple[str, str, str]:
    """The operations that a program asked for, whether it placed an order and read it, and the
    other hosts."""
    (folder / "venue").mkdir(exist_ok=True)
    with Practice(folder / "venue", "--profile", profile) as practice:
        command = [sys.executable, "-m", "venue", "with", "alice", "--only-venue"]
        command += ["--url", practice.url, "--", *program.run.split()]
        done = subprocess.run(
            command, cwd=folder, check=False, capture_output=True, text=True, timeout=RUN_S
        )
        asked: dict[str, int] = {}
        for entry in Client(practice.url).wire(kind="REQUEST", limit=1_000)[1:]:
            if not entry.path.startswith("/_venue"):
                asked[entry.operation] = asked.get(entry.operation, 0) + 1
        orders = Client(
            practice.url, key="demo-alice", secret="demo-alice-secret", passphrase="demo"
        ).all_orders(symbol="BTCUSDT")
    said = done.stdout.split()
    read = done.returncode == 0 and said[-1:] == [DONE]
    placed = "yes" if read and orders else f"no: {done.returncode}, {' '.join(said)[-200:]}"
    others = [one for one in done.stderr.splitlines() if one.startswith(REFUSED)]
    if UNSURE in done.stderr:
        others.append("not known: this system cuts nothing off")
    told = ", ".join(f"{name} ({times})" for name, times in asked.items())
    return told, placed, "; ".join(one.removeprefix(REFUSED) for one in others)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(PROGRAMS)))

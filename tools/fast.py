"""Compile the hot modules with mypyc into build/fast: a whole copy of the package, run with
`PYTHONPATH=build/fast`. The sources' own folder never holds a compiled file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from distutils.ccompiler import new_compiler
from distutils.sysconfig import customize_compiler
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from mypyc.build import mypycify
from setuptools import Distribution  # type: ignore[import-untyped]

from venue.compiled import digests

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "venue"
TARGET = ROOT / "build" / "fast"
STAMP = TARGET / "stamp.json"
C_FILES = "../fast-c"  # from TARGET
# The library's functions call each other directly, and Python's without a stub between. Lines for a
# debugger would be those of the generated C, and take a fifth of the compiler's time.
FLAGS = ("-fvisibility=hidden", "-fno-plt", "-g0")
HOT = (
    "rewards",
    "book/book",
    "book/client_ids",
    "book/matching",
    "contract/admission",
    "contract/closing",
    "contract/collateral",
    "contract/conditional/trailing",
    "contract/conditional/triggers",
    "contract/conditional/waiting",
    "contract/consequences",
    "contract/ended",
    "contract/prices_in_doubt",
    "contract/risk/parking",
    "contract/fills",
    "contract/leverage",
    "contract/listing",
    "contract/margin",
    "contract/stakes",
    "contract/orders",
    "contract/order_plan",
    "contract/ordered_rows",
    "contract/position",
    "contract/reference/funding",
    "contract/reference/index",
    "contract/records",
    "contract/reference/prices",
    "contract/reference/records",
    "contract/risk/deleveraging",
    "contract/risk/liquidation",
    "contract/risk/ranking",
    "contract/risk/liquidation_run",
    "contract/risk/pool_watch",
    "contract/planned_pool",
    "copying/books",
    "copying/copying",
    "copying/people",
    "copying/repeating",
    "copying/shares",
    "copying/sizing",
    "copying/terms",
    "countdowns",
    "counters",
    "engine",
    "fee_tiers",
    "ledger/accounts",
    "ledger/benefits",
    "ledger/ledger",
    "listing",
    "owners",
    "spot/account",
    "spot/orders",
    "units",
)
# The way of an order to the core and back.
DOOR = (
    "api/names",
    "api/signing",
    "gateway/access/auth",
    "gateway/access/limits",
    "gateway/access/origins",
    "gateway/access/past_requests",
    "gateway/access/replay",
    "gateway/context",
    "gateway/dispatch/decode",
    "gateway/dispatch/dispatcher",
    "gateway/dispatch/known_queries",
    "gateway/dispatch/routes",
    "gateway/dispatch/shapes",
    "gateway/dispatch/wire_log",
    "gateway/operations/contract/orders",
    "gateway/operations/requests",
    "gateway/operations/spot/orders",
    "gateway/streams/frames",
    "gateway/streams/hub",
    "gateway/transport/connection",
    "gateway/transport/listener",
    "gateway/transport/request",
    "journal/chain",
    "journal/recent",
    "node/clock",
    "node/fair_queue",
    "node/venue_clock",
    "recording/changes",
    "recording/frames",
    "recording/items",
    "recording/numbering",
    "recording/reasons",
    "recording/recorder",
    "recording/spot_items",
    "recording/touched",
    "texts",
)
# Beside both: what time that is moved, and steps of learners, spend the most in.
MOVING = (
    "gym/contract_market",
    "gym/flow",
    "gym/market",
    "gym/observing",
    "lab/agents/chance",
    "lab/agents/contract",
    "lab/agents/ladder",
    "lab/agents/spot",
    "node/market_data/chart",
    "node/market_data/depth",
    "node/market_data/product",
    "node/market_data/reference",
    "node/market_data/views",
    "node/market_data/window",
    "node/outbox",
    "node/replies",
    "node/sequencer",
    "node/spot_changes",
)
# History's process: the rows of an order, and those of its frames.
HISTORY = (
    "history/projection/projector",
    "history/schema/frames",
)
MODULES = (*(f"core/{name}" for name in HOT), *DOOR, *MOVING, *HISTORY)


def main() -> int:
    """Build missing parts; 0 when build/fast holds the compiled core of today's sources."""
    if STAMP.is_file() and _stamped() == digests(SOURCES):
        print("build/fast is current")
        return 0
    shutil.rmtree(TARGET, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(SOURCES, TARGET / "venue", ignore=ignored)
    copied = digests(TARGET / "venue")
    print(f"compiling {len(MODULES)} modules into build/fast", flush=True)
    _compile()
    _check()
    STAMP.write_bytes(msgspec.json.encode(copied))
    return 0


def _stamped() -> dict[str, str]:
    return msgspec.json.decode(STAMP.read_bytes(), type=dict[str, str])


def _compile() -> None:
    os.chdir(TARGET)
    paths = ["--config-file=", *(f"venue/{name}.py" for name in MODULES)]
    modules = mypycify(
        paths, opt_level="3", multi_file=True, group_name="venue_core", target_dir=C_FILES
    )
    for module in modules:
        module.extra_compile_args = [*module.extra_compile_args, *FLAGS]
    distribution = Distribution({"name": "venue-core", "ext_modules": modules, "packages": []})
    command = distribution.get_command_obj("build_ext")
    command.inplace = True
    command.build_lib = C_FILES
    command.build_temp = C_FILES
    command.parallel = True
    _compile_files(modules[0])
    distribution.run_command("build_ext")


def _compile_files(library: Any) -> None:
    """Compile the library's files side by side: setuptools does so with extensions alone.

    As one file they took gcc twice the work, of one processor, and ran no faster.
    """
    compiler = new_compiler()
    customize_compiler(compiler)

    def compiled(source: str) -> list[str]:
        return compiler.compile(
            [source],
            output_dir=C_FILES,
            include_dirs=[*library.include_dirs, sysconfig.get_path("include")],
            extra_postargs=library.extra_compile_args,
        )

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        library.extra_objects = list(chain.from_iterable(pool.map(compiled, library.sources)))
    library.sources = []


def _check() -> None:
    """Every hot module must now be imported in its compiled form, by a process of its own.

    None may define a msgspec record: compiled, it loses its options and what its lists are of.
    """
    names = [f"venue.{name.replace('/', '.')}" for name in MODULES]
    script = (
        "import importlib, msgspec\n"
        f"for name in {names}:\n"
        "    module = importlib.import_module(name)\n"
        "    path = module.__file__\n"
        "    assert path.endswith('.so') and '/build/fast/' in path, path\n"
        "    for it in vars(module).values():\n"
        "        record = isinstance(it, type) and issubclass(it, msgspec.Struct)\n"
        "        assert not record or it.__module__ != name, f'{it} is a record: not compiled'\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(TARGET)}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)


if __name__ == "__main__":
    sys.exit(main())

"""Compile the engine into build/fast, unless what is there fits today's sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec

from venue.compiled import BUILD, CHECKOUT, COMPILED, ENGINE, STAMP, Stamp, unfit

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / BUILD
PACKAGE = TARGET / "venue"
SETUP = ("setup.py", "-q", "build", "--build-lib", str(TARGET), "--build-temp", f"{TARGET}-c")


def main() -> int:
    """Build it when that is needed; 0 when build/fast holds the compiled engine of today's sources.

    A build that ends half-way has no stamp, so nothing runs it.
    """
    if not unfit(PACKAGE, ROOT / CHECKOUT):
        print("build/fast is current")
        return 0
    shutil.rmtree(TARGET, ignore_errors=True)
    environment = {**os.environ, ENGINE: COMPILED}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run([sys.executable, *SETUP], cwd=ROOT, env=environment, check=False)
    if done.returncode == 0:
        _check()
    return done.returncode


def _check() -> None:
    """Every module must now be imported in its compiled form, by a process of its own.

    None may define a msgspec record: compiled, it loses its options and what its lists are of.
    """
    names = msgspec.json.decode((PACKAGE / STAMP).read_bytes(), type=Stamp).modules
    script = (
        "import importlib, msgspec\n"
        f"for name in {names}:\n"
        "    module = importlib.import_module(name)\n"
        "    path = module.__file__\n"
        f"    assert not path.endswith('.py') and path.startswith({str(PACKAGE)!r}), path\n"
        "    for it in vars(module).values():\n"
        "        record = isinstance(it, type) and issubclass(it, msgspec.Struct)\n"
        "        assert not record or it.__module__ != name, f'{it} is a record: not compiled'\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(TARGET)}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)


if __name__ == "__main__":
    sys.exit(main())

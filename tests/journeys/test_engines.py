"""Which engine a checkout runs: its build while that fits, otherwise the sources, in a sentence."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from venue import compiled

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "tools/fast.py")
FEW = '[tool.venue.compiled]\ncore = ["core.units"]\n'
WITHIN_S = 300
TOUCHED = "texts.py"  # nothing that is compiled imports it


def run(folder: Path, *command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with the sources there; no other variable is set."""
    environment = {
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(folder / "src"),
        **variables,
    }
    return subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
    )


def engine(folder: Path, **variables: str) -> str:
    """The engine, as `venue version` names it."""
    done = run(folder, "-m", "venue", "version", **variables)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()[1].removeprefix("engine ")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this one that compiles one module."""
    folder = tmp_path_factory.mktemp("checkout")
    ignored = shutil.ignore_patterns("*.egg-info", "__pycache__")
    shutil.copytree(ROOT / "src", folder / "src", ignore=ignored)
    (folder / "tools").mkdir()
    for name in NEEDED:
        shutil.copy(ROOT / name, folder / name)
    settings = folder / "pyproject.toml"
    few = re.sub(r"\[tool\.venue\.compiled\].*?\n\n", f"{FEW}\n", settings.read_text(), flags=re.S)
    settings.write_text(few)
    return folder


@pytest.fixture(scope="module")
def built(checkout: Path) -> Path:
    """The checkout with the build that `make fast` has made."""
    if not compiled.compiled():
        pytest.skip("it runs where there is a build: in make test-fast")
    shutil.copytree(ROOT / compiled.BUILD, checkout / compiled.BUILD)
    return checkout


@pytest.fixture
def stamp(built: Path) -> Iterator[Path]:
    """The stamp of the build, as it was again afterwards."""
    path = built / compiled.BUILD / "venue" / compiled.STAMP
    before = path.read_bytes()
    yield path
    path.write_bytes(before)


def test_a_checkout_without_a_build_says_how_to_make_one(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src" / "venue", tmp_path / "src" / "venue")
    (tmp_path / "pyproject.toml").touch()
    assert engine(tmp_path) == "interpreted: build/fast is missing; `make fast` compiles it"


@pytest.mark.parametrize("name", ["fast", "Compiled", " "])
@pytest.mark.parametrize("command", [("-m", "venue", "version"), ("setup.py", "--version")])
def test_an_engine_that_is_none_is_refused(
    command: tuple[str, ...], name: str, checkout: Path
) -> None:
    done = run(checkout, *command, VENUE_ENGINE=name)
    assert (done.returncode != 0, done.stdout) == (True, "")
    assert done.stderr == (
        f"venue: VENUE_ENGINE is {name!r}: it can be compiled or interpreted, or be left out\n"
    )


REPLAYING = ("open", "replay", "log", "fork", "verify", "repair", "rebuild-history", "prune")


@pytest.mark.parametrize("command", REPLAYING)
def test_a_command_that_replays_chooses_its_engine(command: str, tmp_path: Path) -> None:
    """A command that does not choose runs on the sources, whatever build there is."""
    shutil.copytree(ROOT / "src" / "venue", tmp_path / "src" / "venue")
    (tmp_path / "pyproject.toml").touch()
    done = run(tmp_path, "-m", "venue", command, "nothing.db", VENUE_ENGINE="compiled")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("venue: VENUE_ENGINE is compiled: build/fast is missing")


def test_an_engine_that_cannot_run_is_refused(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src" / "venue", tmp_path / "src" / "venue")
    asked = {"VENUE_ENGINE": "compiled"}
    installed = run(tmp_path, "-m", "venue", "version", **asked)
    (tmp_path / "pyproject.toml").touch()
    checked_out = run(tmp_path, "-m", "venue", "version", **asked)
    assert (installed.returncode, checked_out.returncode) == (2, 2)
    assert installed.stderr == (
        "venue: VENUE_ENGINE is compiled, and the interpreted engine is installed:"
        " `VENUE_ENGINE=compiled pip install .` installs the other, or says why it cannot\n"
    )
    assert checked_out.stderr == (
        "venue: VENUE_ENGINE is compiled: build/fast is missing; `make fast` compiles it\n"
    )


@pytest.mark.core
def test_a_build_that_fits_runs(built: Path) -> None:
    assert engine(built) == "compiled"
    assert engine(built, VENUE_ENGINE="interpreted") == "interpreted, as VENUE_ENGINE asks"
    again = run(built, "tools/fast.py")
    assert (again.returncode, again.stdout) == (0, "build/fast is current\n")


@pytest.mark.core
def test_the_sources_hold_nothing_compiled(built: Path) -> None:
    assert not list((built / "src").rglob("*.so"))
    assert list((built / compiled.BUILD).rglob("*.so"))


@pytest.mark.core
def test_a_build_of_other_sources_does_not_run(built: Path) -> None:
    """Neither by itself nor when its folder is named; a library of it refuses."""
    source = built / "src" / "venue" / TOUCHED
    before = source.read_bytes()
    source.write_bytes(before + b"\n")
    said = f"interpreted: build/fast does not fit src/venue/{TOUCHED}; `make fast` compiles it"
    try:
        assert engine(built) == said
        named = str(built / compiled.BUILD)
        assert engine(built, PYTHONPATH=named) == said
        library = run(built, "-c", "import venue; venue.Venue()", PYTHONPATH=named)
        assert f"does not fit src/venue/{TOUCHED}: run make fast" in library.stderr
    finally:
        source.write_bytes(before)
    assert engine(built) == "compiled"


@pytest.mark.core
@pytest.mark.parametrize(
    ("was", "is_now", "said"),
    [
        (rf'"{compiled.PYTHON}"', '"cpython 3.9"', "is one of cpython 3.9 on "),
        (r"\A\{", "", "was not finished"),
    ],
)
def test_a_build_that_cannot_be_used_says_why(
    was: str, is_now: str, said: str, stamp: Path, built: Path
) -> None:
    stamp.write_text(re.sub(was, is_now, stamp.read_text(), count=1))
    for given in (built / "src", built / compiled.BUILD):
        told = engine(built, PYTHONPATH=str(given))
        assert told.startswith(f"interpreted: build/fast {said}")
        assert told.endswith("; `make fast` compiles it")


@pytest.mark.core
def test_a_build_that_nobody_may_write_runs(built: Path) -> None:
    """A checkout that is read only, as in an image."""
    files = [built, *built.rglob("*")]
    modes = [path.stat().st_mode for path in files]
    for path in files:
        path.chmod(0o555)
    try:
        assert engine(built) == "compiled"
    finally:
        for path, mode in zip(files, modes, strict=True):
            path.chmod(mode)


COMPILER = """#!/bin/sh
case "$*" in *{refused}*) echo "no space left" >&2; exit 1;; esac
exec {compiler} "$@"
"""


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        ("tried.c", "there is no C compiler with Python's headers"),
        ("__native", "the C compiler failed"),
    ],
)
def test_a_compiler_that_fails_leaves_the_interpreted_engine(
    refused: str, said: str, checkout: Path, tmp_path: Path
) -> None:
    """At once, or half-way: what is installed holds nothing compiled and says why."""
    gcc = shutil.which("gcc")
    assert gcc is not None
    compiler = tmp_path / "cc"
    compiler.write_text(COMPILER.format(refused=refused, compiler=gcc))
    compiler.chmod(0o755)
    target = tmp_path / "lib"
    build = ("setup.py", "-q", "build", "--build-base", tmp_path / "base", "--build-lib", target)
    done = run(checkout, *build, CC=str(compiler))
    assert done.returncode == 0, done.stderr
    assert "the interpreted engine is installed" in done.stdout
    assert not list(target.rglob("*.so"))
    told = f"interpreted: what was installed holds nothing compiled: {said}"
    assert engine(tmp_path, PYTHONPATH=str(target)) == told
    again = run(checkout, *build, CC="false", VENUE_ENGINE="compiled")
    assert again.returncode != 0  # a second build in the same place tries again


def test_a_build_that_must_be_compiled_fails_without_a_compiler(
    checkout: Path, tmp_path: Path
) -> None:
    build = ("setup.py", "-q", "build", "--build-base", tmp_path)
    done = run(checkout, *build, CC="false", VENUE_ENGINE="compiled")
    assert done.returncode != 0
    assert "there is no C compiler with Python's headers" in done.stderr

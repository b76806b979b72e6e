"""The wheel in a fresh environment: it needs only packages of `requirements-run.lock`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from urllib.request import urlopen

import pytest

import venue
from venue.journal import built

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
LOCK = ROOT / "requirements-run.lock"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q")
WITHIN_S = 120
COMMIT = "0123456789abcdef" * 2 + "01234567"  # of the work tree that the wheel is built from


def run(*command: str | Path, folder: Path) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def locked(lock: Path) -> list[str]:
    """The names of the packages in a lock."""
    return re.findall(r"^([a-z0-9._-]+)==", lock.read_text(), re.MULTILINE)


def lend(name: str, packages: Path) -> None:
    """Put a package that is installed here into another environment too."""
    files = distribution(name).files
    assert files is not None
    for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
        (packages / top).symlink_to(Path(str(distribution(name).locate_file(top))))


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The `bin` of an environment with the wheel and what is locked for running: no network."""
    folder = tmp_path_factory.mktemp("installed")
    source = folder / "source"
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("*.egg-info"))
    for name in NEEDED:
        shutil.copy(ROOT / name, source)
    (source / ".git").mkdir()
    (source / ".git" / "HEAD").write_text(f"{COMMIT}\n")
    run(*PIP, "wheel", "--no-index", "--no-deps", "--no-build-isolation", source, folder=folder)
    (wheel,) = folder.glob("venue-*.whl")
    venv.create(folder / "fresh", symlinks=True)
    (packages,) = (folder / "fresh" / "lib").glob("python3*/site-packages")
    for name in locked(LOCK):
        lend(name, packages)
    there = folder / "fresh" / "bin"
    run(*PIP, "--python", there / "python", "install", "--no-index", wheel, folder=folder)
    yield there
    shutil.rmtree(folder)


def test_the_runtime_lock_is_a_part_of_the_whole_one() -> None:
    """The same versions with the same digests, and none of the tests' packages."""
    names = locked(LOCK)
    whole = (ROOT / "requirements.lock").read_text()
    assert len(names) <= 22
    for entry in re.findall(r"^\S+==\S+ \\\n(?:    --hash=\S+(?: \\)?\n)+", LOCK.read_text(), re.M):
        assert entry in whole
    assert not {"ccxt", "pytest", "mypy", "ruff", "hypothesis"} & set(names)


def test_the_wheel_says_its_version_and_commit(fresh: Path) -> None:
    core = built.core(ROOT / "src" / "venue")
    for asked in ("--version", "version"):
        told = run(fresh / "venue", asked, folder=fresh)
        assert told == f"{venue.__version__}+{COMMIT[:12]}.{core}\n"
    where = run(fresh / "python", "-c", "import venue; print(venue.__file__)", folder=fresh)
    assert where.startswith(str(fresh.parent))


def test_the_wheel_runs_a_venue(fresh: Path, tmp_path: Path) -> None:
    """History answers too: its process is started from the same environment."""
    ready = tmp_path / "ready.json"
    command = [fresh / "venue", "dev", "--port", "0", "--quiet", "--ready-file", ready]
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        url = json.loads(ready.read_text())["rest"]
        asked = f"{url}/capi/v3/market/fundingRate?symbol=BTCUSDT"
        with urlopen(asked, timeout=WITHIN_S) as answer:
            assert json.load(answer)
        process.terminate()
        assert process.wait(WITHIN_S) == 0
    finally:
        process.kill()
        process.wait(WITHIN_S)
        if process.stdout is not None:
            process.stdout.close()


def test_the_wheel_names_its_command_and_its_pythons(fresh: Path) -> None:
    """`pipx run` and `uvx --from` look for a command of the package's own name."""
    script = (
        "from importlib.metadata import distribution as d; one = d('venue');"
        "own = one.entry_points.select(group='console_scripts');"
        "print([e.name for e in own], one.metadata['Requires-Python'])"
    )
    assert run(fresh / "python", "-c", script, folder=fresh) == "['venue'] <3.14,>=3.11\n"


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_newer_interpreters_read_every_module(version: str, tmp_path: Path) -> None:
    """Where one is at hand. The packages that it imports are not, so nothing more is run."""
    python = _of_pyenv(version) or shutil.which(f"python{version}")
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    source = tmp_path / "venue"
    shutil.copytree(ROOT / "src" / "venue", source, ignore=shutil.ignore_patterns("__pycache__"))
    run(python, "-W", "error", "-m", "compileall", "-q", source, folder=tmp_path)


def _of_pyenv(version: str) -> str | None:
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = sorted(root.glob(f"{version}.*/bin/python"))
    return str(found[-1]) if found else None

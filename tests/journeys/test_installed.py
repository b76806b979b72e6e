"""The wheel in a fresh environment: it needs only packages of `requirements-run.lock`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from urllib.request import urlopen

import pytest

import venue
from venue import compiled
from venue.journal import built

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
LOCK = ROOT / "requirements-run.lock"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q")
WITHIN_S = 120
INTERPRETED = {compiled.ENGINE: compiled.INTERPRETED}
PAGES = ROOT / "src" / "venue" / "pages"
COMMIT = "0123456789abcdef" * 2 + "01234567"  # of the work tree that the wheel is built from


def run(*command: str | Path, folder: Path, **variables: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin", **variables},
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def locked(lock: Path) -> list[str]:
    """The names of the packages in a lock."""
    return re.findall(r"^([a-z0-9._-]+)==", lock.read_text(), re.MULTILINE)


def pinned(lock: Path) -> list[tuple[str, str]]:
    """Each package of a lock at its version, and its digests."""
    entry = r"^(\S+==\S+).*\\\n((?:    --hash=\S+(?: \\)?\n)+)"
    return re.findall(entry, lock.read_text(), re.MULTILINE)


def lend(name: str, packages: Path) -> None:
    """Put a package that is installed here into another environment too."""
    files = distribution(name).files
    assert files is not None
    for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
        (packages / top).symlink_to(Path(str(distribution(name).locate_file(top))))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the engine that runs. `make fast` has compiled the compiled one."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("*.egg-info"))
    for name in NEEDED:
        shutil.copy(ROOT / name, source)
    (source / ".git").mkdir()
    (source / ".git" / "HEAD").write_text(f"{COMMIT}\n")
    command: list[str | Path] = [sys.executable, "setup.py", "-q", "build"]
    command += ["--build-lib", source / "built", "bdist_wheel", "--dist-dir", folder]
    variables = INTERPRETED
    if compiled.compiled():
        shutil.copytree(ROOT / compiled.BUILD, source / "built")
        variables = {}
    run(*command, folder=source, **variables)
    (found,) = folder.glob("venue-*.whl")
    return found


@pytest.fixture(scope="module")
def fresh(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The `bin` of an environment with the wheel and what is locked for running: no network."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "fresh", symlinks=True)
    (packages,) = (folder / "fresh" / "lib").glob("python3*/site-packages")
    for name in locked(LOCK):
        lend(name, packages)
    there = folder / "fresh" / "bin"
    run(*PIP, "--python", there / "python", "install", "--no-index", wheel, folder=folder)
    yield there
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    "lock", [LOCK, ROOT / "requirements-compile.lock", ROOT / "requirements-core.lock"]
)
def test_a_lock_is_a_part_of_the_whole_one(lock: Path) -> None:
    """The same versions with the same digests; a part may need them on fewer machines."""
    assert {*pinned(lock)} <= {*pinned(ROOT / "requirements.lock")}
    assert len(pinned(lock)) == len(locked(lock))


def test_running_needs_few_packages() -> None:
    names = locked(LOCK)
    assert len(names) <= 22
    assert not {"ccxt", "pytest", "mypy", "numpy", "ruff", "hypothesis"} & set(names)


def test_a_build_sees_the_types_of_all_that_is_imported() -> None:
    """mypy refuses modules whose imports it does not find."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = settings["project"]
    compiling = project["optional-dependencies"]["compile"]
    assert {*project["dependencies"], *compiling} <= set(settings["build-system"]["requires"])


@pytest.mark.core
def test_the_wheel_says_its_version_commit_and_engine(fresh: Path) -> None:
    name = f"{venue.__version__}+{COMMIT[:12]}.{built.core(ROOT / 'src' / 'venue')}\n"
    assert run(fresh / "venue", "--version", folder=fresh) == name
    told = run(fresh / "venue", "version", folder=fresh)
    assert told == f"{name}engine {compiled.engine()}\n"
    where = run(fresh / "python", "-c", "import venue; print(venue.__file__)", folder=fresh)
    assert where.startswith(str(fresh.parent))


@pytest.mark.core
def test_the_wheel_runs_a_venue(fresh: Path, tmp_path: Path) -> None:
    trades(fresh, tmp_path, compiled.engine())


def test_the_wheel_has_the_hooks_of_programs(fresh: Path, tmp_path: Path) -> None:
    ask = "from urllib.request import urlopen; urlopen('https://api-spot.weex.com/api/v3/time')"
    hook = "import os, shlex; open(shlex.split(os.environ['NODE_OPTIONS'])[1])"
    led = "import socket; print(socket.getaddrinfo.__module__)"
    command = (fresh / "python", "-c", f"{ask}; {hook}; {led}")
    words = ("with", "alice", "--new", "--only-venue", "--", *command)
    assert run(fresh / "venue", *words, folder=tmp_path) == "sitecustomize\n"


def trades(there: Path, folder: Path, engine: str) -> None:
    """A venue of an environment fills an order. History answers too: its process is started from
    the same environment."""
    ready = folder / "ready.json"
    command = [there / "venue", "dev", "--port", "0", "--quiet", "--ready-file", ready]
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=folder,
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin"},
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
        with urlopen(f"{url}/_venue/health", timeout=WITHIN_S) as answer:
            assert json.load(answer)["engine"] == engine
        with urlopen(f"{url}/pages/vendor/preact.js", timeout=WITHIN_S) as answer:
            assert answer.read() == (PAGES / "vendor" / "preact.js").read_bytes()
        bought = run(there / "venue", "buy", "BTCUSDT", "0.01", "--url", url, folder=folder)
        assert "filled 0.01 at " in bought
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
def test_the_wheel_trades_on_other_pythons(version: str, wheel: Path, tmp_path: Path) -> None:
    """Where one is at hand, with the packages that the lock names for it."""
    python = _of_pyenv(version) or shutil.which(f"python{version}")
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    run(python, "-m", "venv", tmp_path / "fresh", folder=tmp_path)
    there = tmp_path / "fresh" / "bin"
    network = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    installed = (*PIP, "--python", there / "python", "install")
    run(*installed, "--require-hashes", "-r", LOCK, folder=tmp_path, **network)
    run(*installed, "--no-index", "--no-deps", wheel, folder=tmp_path)
    trades(there, tmp_path, compiled.INTERPRETED)


def _of_pyenv(version: str) -> str | None:
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = sorted(root.glob(f"{version}.*/bin/python"))
    return str(found[-1]) if found else None

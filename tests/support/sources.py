"""The project's own sources as tests of the house see them: files, syntax trees, imports."""

from __future__ import annotations

import ast
import functools
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
CODE_FOLDERS = ("src", "tests", "bench", "tools")


@functools.cache
def files() -> tuple[Path, ...]:
    """Every file of the project: tracked, or new and not ignored; without git, all but builds."""
    listed: list[Path] = []
    if (ROOT / ".git").exists() and shutil.which("git"):
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
        if done.returncode == 0:
            listed = [ROOT / os.fsdecode(name) for name in done.stdout.split(b"\0") if name]
    if not listed:
        listed = list(_walk(ROOT))
    return tuple(sorted({path for path in listed if path.is_file()}))


def _walk(folder: Path) -> Iterator[Path]:
    built = (".venv", ".git", "build", "__pycache__", ".hypothesis")
    for path in folder.iterdir():
        if path.is_dir():
            if path.name not in built and not path.name.endswith(("_cache", ".egg-info")):
                yield from _walk(path)
        elif path.suffix != ".so":
            yield path


@functools.cache
def text(path: Path) -> str:
    """A file's text; empty when it is not text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


@functools.cache
def trees() -> dict[Path, ast.Module]:
    """The syntax trees of all Python files, by path from the root."""
    return {
        path.relative_to(ROOT): ast.parse(text(path))
        for path in files()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in CODE_FOLDERS
    }


@functools.cache
def modules() -> dict[str, Path]:
    """The modules of the package: name to path from the root."""
    names: dict[str, Path] = {}
    for path in trees():
        if path.parts[0] == "src":
            parts = path.with_suffix("").parts[1:]
            names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def imports(tree: ast.AST, *, types: bool = False) -> Iterator[tuple[str, int]]:
    """Imports of a module when it runs, or also for `types` alone: dotted names with lines."""
    for node in ast.iter_child_nodes(tree):
        alone = isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        if alone and not types:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node.lineno
        else:
            yield from imports(node, types=types)


@functools.cache
def graph(*, types: bool = False) -> dict[str, tuple[str, ...]]:
    """Which modules of the package each of them imports, as `imports`."""
    known = modules()
    edges: dict[str, tuple[str, ...]] = {}
    for name, path in known.items():
        targets: list[str] = []
        for imported, _ in imports(trees()[path], types=types):
            target = imported if imported in known else imported.rpartition(".")[0]
            if target in known and target != name and target not in targets:
                targets.append(target)
        edges[name] = tuple(targets)
    return edges


def reached(starts: list[str], edges: Mapping[str, Iterable[str]] | None = None) -> list[str]:
    """The modules that `starts` import, directly or not, themselves included."""
    known = graph() if edges is None else edges
    found: list[str] = []
    waiting = list(starts)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.append(name)
            waiting.extend(known.get(name, ()))
    return found


def none(faults: list[str]) -> None:
    """There are no faults; each is shown."""
    assert not faults, "\n" + "\n".join(faults)

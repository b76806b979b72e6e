"""The exact name of the running version: files, refusals and bundles contain it.

`0.2.0+COMMIT.CORE`: CORE is the digest of the sources that decide a command's effect. COMMIT is the
commit that they were checked out of, or built from (`setup.py`), left out where neither is known.
Changes that are not committed alter CORE.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

import venue

PACKAGE: Final = Path(__file__).parents[1]
NOTE: Final = "commit.txt"  # beside the package's modules, in what was built
SHORT: Final = 12  # digits of a commit
DIGEST: Final = 4  # bytes of the core's digest

_COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@cache
def name() -> str:
    """Return the version that runs."""
    known = commit(PACKAGE)
    local = f"{known[:SHORT]}.{core(PACKAGE)}" if known else core(PACKAGE)
    return f"{venue.__version__}+{local}"


def core(package: Path) -> str:
    """Return the digest of the sources that decide a command's effect."""
    found = blake2b(digest_size=DIGEST)
    for path in [package / "vocabulary.py", *sorted((package / "core").rglob("*.py"))]:
        data = path.read_bytes()
        found.update(f"{path.relative_to(package).as_posix()} {len(data)}\n".encode() + data)
    return found.hexdigest()


def commit(package: Path) -> str:
    """Return the commit that a package was built from or is checked out of; empty when nobody
    knows."""
    for root in _roots(package):
        found = _checked_out(root)
        if found:
            return found
    return _commit_in(package / NOTE)


def _roots(package: Path) -> list[Path]:
    """Return the folder of the repository, when the package is inside one: as `src` or as `make
    fast` builds it. A package that is installed elsewhere in another repository does not belong to
    it."""
    for own, root in (("src/venue", package.parents[1]), ("build/fast/venue", package.parents[2])):
        if root / own == package and (root / "pyproject.toml").is_file():
            return [root]
    return []


def _checked_out(root: Path) -> str:
    """Return the commit of a work tree, read from git's own files: no other program is started."""
    git = root / ".git"
    if git.is_file():  # a further work tree of a repository
        git = root / _line(git).removeprefix("gitdir: ")
    head = _line(git / "HEAD")
    if not head.startswith("ref: "):
        return head if _COMMIT.fullmatch(head) else ""
    ref = head.removeprefix("ref: ")
    common = git / (_line(git / "commondir") or ".")
    for place in (git, common):
        found = _commit_in(place / ref)
        if found:
            return found
    for line in _text(common / "packed-refs").splitlines():
        found, _, called = line.partition(" ")
        if called == ref and _COMMIT.fullmatch(found):
            return found
    return ""


def _commit_in(path: Path) -> str:
    found = _line(path)
    return found if _COMMIT.fullmatch(found) else ""


def _line(path: Path) -> str:
    return _text(path).partition("\n")[0].strip()


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError):
        return ""

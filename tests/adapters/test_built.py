"""The version that runs names its commit and the digest of its core, wherever it came from."""

from __future__ import annotations

from pathlib import Path

import pytest

import venue
from venue.journal import built

COMMIT = "0123456789abcdef" * 2 + "01234567"
OTHER = COMMIT[::-1]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package in the work tree of a repository without commits."""
    found = tmp_path / "tree" / "src" / "venue"
    (found / "core" / "book").mkdir(parents=True)
    (found / "vocabulary.py").write_text("A = 1\n")
    (found / "core" / "book" / "book.py").write_text("B = 1\n")
    (tmp_path / "tree" / "pyproject.toml").write_text("")
    put(tmp_path / "tree" / ".git" / "HEAD", "ref: refs/heads/main\n")
    return found


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_the_name_is_of_the_version_that_runs() -> None:
    begin, _, local = built.name().partition("+")
    assert begin == venue.__version__
    assert local.split(".")[-1] == built.core(built.PACKAGE)


def test_a_branch_names_the_commit(package: Path) -> None:
    git = package.parents[1] / ".git"
    assert built.commit(package) == ""
    put(git / "packed-refs", f"# pack-refs\n{OTHER} refs/heads/mains\n{COMMIT} refs/heads/main\n")
    assert built.commit(package) == COMMIT
    put(git / "refs" / "heads" / "main", f"{OTHER}\n")
    assert built.commit(package) == OTHER
    put(git / "HEAD", f"{COMMIT}\n")
    assert built.commit(package) == COMMIT


def test_a_further_work_tree_has_a_commit_of_its_own(package: Path, tmp_path: Path) -> None:
    further = tmp_path / "further"
    package.parents[1].rename(further)
    (further / ".git").rename(tmp_path / "git")
    own = tmp_path / "git" / "worktrees" / "one"
    put(further / ".git", f"gitdir: {own}\n")
    put(own / "commondir", "../..\n")
    put(own / "HEAD", "ref: refs/heads/side\n")
    put(tmp_path / "git" / "refs" / "heads" / "side", f"{COMMIT}\n")
    assert built.commit(further / "src" / "venue") == COMMIT


@pytest.mark.parametrize("head", ["", "ref: ", "nonsense", "ref: ../../../etc/passwd", "\xff"])
def test_a_repository_that_cannot_be_read_names_none(package: Path, head: str) -> None:
    (package.parents[1] / ".git" / "HEAD").write_bytes(head.encode("latin-1"))
    assert built.commit(package) == ""
    put(package / built.NOTE, f"{COMMIT}\n")
    assert built.commit(package) == COMMIT


def test_a_package_that_was_built_has_a_note(package: Path, tmp_path: Path) -> None:
    installed = tmp_path / "site-packages" / "venue"
    installed.parent.mkdir()
    package.rename(installed)
    assert built.commit(installed) == ""
    put(installed / built.NOTE, f"{COMMIT}\n")
    assert built.commit(installed) == COMMIT
    put(installed / built.NOTE, "nonsense\n")
    assert built.commit(installed) == ""


def test_another_repository_around_an_installed_package_is_not_asked(tmp_path: Path) -> None:
    put(tmp_path / ".git" / "HEAD", f"{COMMIT}\n")
    put(tmp_path / "pyproject.toml", "")
    installed = tmp_path / ".venv" / "lib" / "python3.11" / "site-packages" / "venue"
    installed.mkdir(parents=True)
    assert built.commit(installed) == ""


def test_every_source_of_the_core_counts(package: Path) -> None:
    found = [built.core(package)]
    put(package / "gateway" / "any.py", "C = 1\n")
    assert built.core(package) == found[0]
    put(package / "vocabulary.py", "A = 2\n")
    found.append(built.core(package))
    put(package / "core" / "book" / "book.py", "B = 2\n")
    found.append(built.core(package))
    (package / "core" / "book" / "book.py").rename(package / "core" / "book.py")
    found.append(built.core(package))
    assert len(set(found)) == 4

"""Notes the commit in what is built: a wheel and an sdist have no repository to ask."""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "src"))

from venue.journal import built  # noqa: E402 - of the sources that are built


def note(package: Path) -> None:
    """Write the commit, if it is known, beside a package's modules."""
    known = built.commit(ROOT / "src" / "venue")
    if known and package.is_dir():
        (package / built.NOTE).write_text(f"{known}\n")


class Build(build_py):
    """The package as it is installed."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            note(Path(self.build_lib) / "venue")


class Source(sdist):
    """The sources as they are handed on."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        note(Path(base_dir) / "src" / "venue")


setup(cmdclass={"build_py": Build, "sdist": Source})

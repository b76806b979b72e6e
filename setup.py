"""Builds the package: notes its commit, and compiles the modules that `pyproject.toml` names.

VENUE_ENGINE=interpreted compiles nothing, VENUE_ENGINE=compiled fails where compiling fails. With
neither, the package is compiled where that is possible, and a note in it says why it was not.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

from distutils.ccompiler import new_compiler  # isort: skip
from distutils.errors import CCompilerError, DistutilsError  # isort: skip
from distutils.sysconfig import customize_compiler  # isort: skip

ROOT = Path(__file__).resolve().parent
SOURCES = ROOT / "src" / "venue"
sys.path.insert(0, str(ROOT / "src"))

from venue import compiled  # noqa: E402 - of the sources that are built
from venue.journal import built  # noqa: E402

GROUP = "venue_core"  # one library holds all modules: their functions call each other directly
# Python's functions are called without a stub between. Lines for a debugger would be those of the
# generated C, and take a fifth of the compiler's time.
FLAGS = ("-fvisibility=hidden", "-fno-plt", "-g0")
try:
    ENGINE = compiled.wanted()
except compiled.EngineRefused as problem:
    sys.exit(f"venue: {problem}")


def note(package: Path) -> None:
    """Write the commit, if it is known, beside a package's modules."""
    known = built.commit(SOURCES)
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


class Compile(build_ext):
    """The compiled modules beside their sources; never among those of a checkout."""

    def run(self) -> None:
        if self.editable_mode:
            return
        package = Path(self.build_lib) / "venue"
        if not compiled.unfit(package, SOURCES):
            say("what is compiled there is current")
            return
        try:
            self._compile()
        except (CCompilerError, DistutilsError, Impossible) as problem:
            if ENGINE == compiled.COMPILED:
                raise
            failure = str(problem) if isinstance(problem, Impossible) else "the C compiler failed"
            for file in Path(self.build_lib).rglob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}"):
                file.unlink()
            say(f"{failure}: the interpreted engine is installed")
            compiled.stamp(package, [], failure)
        else:
            compiled.stamp(package, modules(), "")

    def _compile(self) -> None:
        try_compiler()
        say(f"compiling {len(modules())} modules: checking types and writing C")
        files = Path(self.build_temp).absolute() / "c"
        with inside(ROOT / "src"):
            self.distribution.ext_modules = written(files)
        self.swig_opts = None
        self.finalize_options()  # takes the modules
        super().run()

    def build_extensions(self) -> None:
        library = self.extensions[0]
        library.extra_objects = objects(library, self.build_temp)
        library.sources = []
        self.parallel = True
        super().build_extensions()


class Impossible(Exception):
    """Nothing can be compiled here; the text says why."""


def modules() -> list[str]:
    """The names of the modules that are compiled."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups: dict[str, list[str]] = settings["tool"]["venue"]["compiled"]
    return [f"venue.{name}" for names in groups.values() for name in names]


def try_compiler() -> None:
    """Impossible where no C compiler works or Python's headers are missing."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "tried.c"
        source.write_text("#include <Python.h>\n")
        try:
            _objects([str(source)], folder, [])
        except CCompilerError as problem:
            raise Impossible("there is no C compiler with Python's headers") from problem


def written(files: Path) -> list[Extension]:
    """The modules, of which mypyc writes C files. Impossible: it is missing, or refuses one."""
    try:
        from mypyc.build import mypycify
    except ImportError as problem:
        raise Impossible("mypy, which compiles, is missing") from problem
    paths = [f"{name.replace('.', '/')}.py" for name in modules()]
    try:
        found: list[Extension] = mypycify(
            ["--config-file=", *paths],
            opt_level="3",
            multi_file=True,
            group_name=GROUP,
            target_dir=str(files),
        )
    except SystemExit as problem:
        raise Impossible("mypyc refuses a module") from problem
    for extension in found:
        extension.extra_compile_args = [*extension.extra_compile_args, *FLAGS]
    return found


def objects(library: Any, temporary: str) -> list[str]:
    """Compile the library's files side by side: setuptools does so with extensions alone.

    As one file they took gcc twice the work, of one processor, and ran no faster.
    """
    say(f"compiling {len(library.sources)} files of C, {os.cpu_count()} at a time")
    return _objects(
        library.sources, temporary, library.include_dirs, postargs=library.extra_compile_args
    )


def _objects(
    sources: list[str], temporary: str, include: list[str], postargs: list[str] | None = None
) -> list[str]:
    compiler = new_compiler()
    customize_compiler(compiler)

    def one(source: str) -> list[str]:
        found: list[str] = compiler.compile(
            [source],
            output_dir=temporary,
            include_dirs=[*include, sysconfig.get_path("include")],
            extra_postargs=postargs,
        )
        return found

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(chain.from_iterable(pool.map(one, sources)))


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Modules are named from the folder of the sources."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def say(text: str) -> None:
    print(f"venue: {text}", flush=True)


extensions = [] if ENGINE == compiled.INTERPRETED else [Extension(f"{GROUP}__mypyc", [])]
setup(cmdclass={"build_py": Build, "build_ext": Compile, "sdist": Source}, ext_modules=extensions)

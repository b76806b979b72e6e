"""The house rules that a program can check (docs/style.md); a failure lists every place."""

from __future__ import annotations

import ast
import builtins
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from support.sources import ROOT, files, graph, imports, modules, none, reached, text, trees
from venue import LAZY

FUNCTION_LINES = 60  # a function is shorter
YARDSTICKS = ("bench/floor_core.py",)  # stay as they were first measured
FILE_LINES = 500  # a file is shorter
LINE_LENGTH = 100
FOLDER_FILES = 22  # a folder of the package holds no more
ROOT_FILES = 8  # and its root no more than these: the ground, and its faces
POSITIONAL = 6  # arguments that a call may give without their names
# Wide for a reason; no other may be.
WIDE = {
    "venue.core.book.book.Order.__init__": "a record that is made once per order",
    "venue.core.contract.records.Algo.__init__": "a record that is made once per order",
    "venue.core.contract.fills.Fills._event": "the event's fields in their order",
    "venue.core.contract.admission.order_margin": "plain integers: compiled, an object would cost",
    "venue.core.contract.orders.Contracts.new_order": "the fields of an order in their order",
    "venue.core.contract.risk.deleveraging.trade_outside": "both sides of a trade",
    "venue.core.ledger.ledger.Ledger.settle": "plain integers: compiled, an object would cost",
}

# Flags that calls may give by place, each with the reason; no other may be.
FLAGS = {
    "venue.gateway.operations.operator.settings._switch.on": "the value that it spells",
}

ANCESTORS = (
    "msgspec.Struct",
    "typing.Protocol",
    "typing.Generic",
    *(f"enum.{kind}" for kind in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")),
    *(
        name
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    ),
)
# Other ancestors, each with the reason why composition does not do.
ANCESTORS_OF = {
    "typing.TypedDict": "keyword arguments that are handed on",
    "venue.history.tables.table.TableRow": "a table is told by its struct's fields and attributes",
    **dict.fromkeys(
        ("ContractFill", "ContractOrder", "Conditional", "SpotFill"),
        "an answer's row is the table's row and what the question adds",
    ),
    "asyncio.Protocol": "a transport calls it",
    "venue.client.methods.Methods": "the rows are methods of both clients",
    "str": "a JSON number keeps its own text and is told from a string",
    "typing.NamedTuple": "a record that is unpacked once per row",
    "apsw.VFS": "the place where a disk is made to fail",
    "apsw.VFSFile": "the place where a disk is made to fail",
    "pydantic.BaseModel": "FastAPI reads bodies so",
    "gymnasium.Env": "gymnasium makes, wraps and checks its subclasses",
    "pettingzoo.ParallelEnv": "pettingzoo wraps and checks its subclasses",
    "hypothesis.stateful.RuleBasedStateMachine": "hypothesis finds the rules on its subclass",
}

# Packages that users import names from, and how many statements these take.
FACADES = {
    "src/venue/testing/__init__.py": 4,
    "src/venue/__init__.py": 7,  # its version; it finds the library when it is asked for
    "src/venue/gym/__init__.py": 9,  # the environments, and their ids made known
}

CORE_IMPORTS = (
    "__future__",
    "bisect",
    "collections",
    "collections.abc",
    "enum",
    "hashlib",
    "heapq",
    "itertools",
    "msgspec",
    "typing",
)
CORE_CALLS = (
    "float",
    "complex",
    "hash",
    "id",
    "set",
    "frozenset",
    "print",
    "open",
    "input",
    "eval",
    "exec",
    "getattr",
    "setattr",
    "vars",
    "globals",
)
WIRE_PACKAGES = ("api", "gateway")  # where the interface's own names may stand
WIRE_WORDS = ("kline", "klines", "precision", "qty", "user", "nonce")  # and the one of a cipher


def test_the_house_is_seen() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in files()}
    assert {"pyproject.toml", "tests/test_house.py", "src/venue/core/engine.py"} <= names
    assert not [name for name in names if name.startswith((".venv/", "build/"))]
    assert "venue.core.book.matching" in graph()["venue.core.spot.orders"]
    assert "venue.core.units" in reached(["venue.core.engine"])


def test_functions_files_and_lines_are_short() -> None:
    none(
        [
            f"{path}:{line}: {fault}"
            for path, tree in trees().items()
            for line, fault in long(text(ROOT / path), tree, path.as_posix())
        ]
    )


def long(source: str, tree: ast.Module, path: str) -> Iterator[tuple[int, str]]:
    """The file, the lines and the functions that are too long."""
    lines = source.splitlines()
    if len(lines) >= FILE_LINES:
        yield len(lines), "the file is too long"
    for number, line in enumerate(lines, 1):
        if len(line) > LINE_LENGTH:
            yield number, f"{len(line)} characters"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            count = node.end_lineno - node.lineno + 1
            if count >= FUNCTION_LINES and path not in YARDSTICKS:
                yield node.lineno, f"{node.name} has {count} lines"


def test_length_is_seen() -> None:
    body = "    a = 0\n" * (FUNCTION_LINES - 1)
    planted = f"def f():\n{body}" + "\n" * (FILE_LINES - FUNCTION_LINES - 1) + "#" * 101
    found = long(planted, ast.parse(planted), "m.py")
    assert [line for line, _ in found] == [FILE_LINES, FILE_LINES, 1]
    good = f"def f():\n{body[10:]}" + "#" * 100
    assert list(long(good, ast.parse(good), "m.py")) == []


def test_folders_are_small() -> None:
    none(full(modules().values()))


def full(paths: Iterable[Path]) -> list[str]:
    """The folders that hold too many of the files."""
    counts: dict[Path, int] = {}
    for path in paths:
        counts[path.parent] = counts.get(path.parent, 0) + 1
    most = {Path("src/venue"): ROOT_FILES}
    return [f"{at}: {has} files" for at, has in counts.items() if has > most.get(at, FOLDER_FILES)]


def test_a_full_folder_is_seen() -> None:
    planted = [Path(f"a/m{number}.py") for number in range(FOLDER_FILES + 1)]
    assert full(planted) == ["a: 23 files"]
    assert full([*planted[1:], Path("a/b/m.py")]) == []
    root = [Path(f"src/venue/m{number}.py") for number in range(ROOT_FILES + 1)]
    assert (full(root), full(root[1:])) == (["src/venue: 9 files"], [])


def test_signatures_are_narrow() -> None:
    found = [name for module, path in modules().items() for name in wide(trees()[path], module)]
    none([f"{name} takes more than {POSITIONAL} arguments by place" for name in found
         if name not in WIDE])  # fmt: skip
    none([f"{name} is not wide any more" for name in WIDE if name not in found])


def wide(tree: ast.AST, inside: str) -> Iterator[str]:
    """The functions that take too many arguments by their places, as dotted names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from wide(node, f"{inside}.{node.name}")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            places = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
            if len([name for name in places if name not in ("self", "cls")]) > POSITIONAL:
                yield f"{inside}.{node.name}"


def test_a_wide_signature_is_seen() -> None:
    planted = (
        "class A:\n    def f(self, a, b, c, d, e, f, g): ...\ndef g(a, *, b, c, d, e, f, h): ..."
    )
    assert list(wide(ast.parse(planted), "m")) == ["m.A.f"]


def test_a_flag_is_named_where_it_is_given() -> None:
    found = [name for module, path in modules().items() for name in flags(trees()[path], module)]
    none([f"{name} is a flag: let calls name it" for name in found if name not in FLAGS])
    none([f"{name} is no flag by place any more" for name in FLAGS if name not in found])


def flags(tree: ast.AST, inside: str) -> Iterator[str]:
    """The arguments that are true or false and given by their places, as dotted names."""
    for node in ast.iter_child_nodes(tree):
        within = inside
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            within = f"{inside}.{node.name}"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            places = [*node.args.posonlyargs, *node.args.args]
            for arg in places:
                if arg.annotation is not None and yes_or_no(arg.annotation):
                    yield f"{within}.{arg.arg}"
        yield from flags(node, within)


def yes_or_no(annotation: ast.expr) -> bool:
    """Whether a value of this type is true or false, or nothing."""
    if isinstance(annotation, ast.BinOp):
        return yes_or_no(annotation.left) or yes_or_no(annotation.right)
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Annotated":
        assert isinstance(annotation.slice, ast.Tuple)
        return yes_or_no(annotation.slice.elts[0])
    return ast.unparse(annotation) == "bool"


def test_a_bare_flag_is_seen() -> None:
    planted = (
        "class A:\n    def f(self, a: int, b: bool, *, c: bool): ...\n"
        "def g(a: Annotated[bool, 1] = False, b: list[bool] | None = None):\n"
        "    async def h(a: bool | None): ..."
    )
    assert list(flags(ast.parse(planted), "m")) == ["m.A.f.b", "m.g.a", "m.g.h.a"]


def test_a_message_is_told_yes_or_no_by_name() -> None:
    messages = {
        node.name
        for path in modules().values()
        if path.parts[:4] == (*_CORE, "messages")
        for node in trees()[path].body
        if isinstance(node, ast.ClassDef)
    }
    assert "HaltInstrument" in messages
    none(
        [
            f"{path}:{line}: name the field of {name}"
            for path in modules().values()
            for name, line in bare_answers(trees()[path], messages)
        ]
    )


def bare_answers(tree: ast.AST, messages: set[str]) -> Iterator[tuple[str, int]]:
    """The messages that are given a plain True or False by its place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            answers = [arg for arg in node.args if isinstance(arg, ast.Constant)]
            if name in messages and any(isinstance(arg.value, bool) for arg in answers):
                yield name, node.lineno


def test_a_bare_answer_in_a_message_is_seen() -> None:
    planted = "Halt(a, True)\nm.Halt(a, False, b)\nHalt(a, halted=True)\nHalt(a, b)\ng(True)"
    assert list(bare_answers(ast.parse(planted), {"Halt"})) == [("Halt", 1), ("Halt", 2)]


def test_no_import_cycles() -> None:
    """Not even for types."""
    none(circles(graph(types=True)))


def circles(edges: Mapping[str, Iterable[str]]) -> list[str]:
    """The imports that lead back to the module that has them."""
    return [
        f"{name} imports {target}, which leads back to it"
        for name, targets in edges.items()
        for target in targets
        if name in reached([target], edges)
    ]


def test_a_circle_is_seen() -> None:
    edges = {"a": ("b",), "b": ("c",), "c": ("b",), "d": ()}
    assert [fault.split()[0] for fault in circles(edges)] == ["b", "c"]


def test_an_import_of_a_type_is_seen() -> None:
    planted = ast.parse(
        "import venue.a\nif TYPE_CHECKING:\n    import venue.b\n    from venue.c import C"
    )
    assert list(imports(planted)) == [("venue.a", 1)]
    every = [("venue.a", 1), ("venue.b", 3), ("venue.c.C", 4)]
    assert list(imports(planted, types=True)) == every


def test_floors() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache", "--no-logo"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_of_floors_names_every_part() -> None:
    """A reader that looks for a part finds its floor in docs/architecture.md."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    picture = page.partition("## Floors")[2].partition("```text\n")[2].partition("```")[0]
    parts = {name.split(".")[1] for name in graph() if name.count(".")}
    named = set(re.findall(r"[a-z_]+", picture))
    none(sorted(parts - named - {"__main__"}))


def test_inheritance_has_depth_one() -> None:
    none(
        [f"{path}:{line}: {fault}" for path, tree in trees().items() for line, fault in deep(tree)]
    )


def deep(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The classes that inherit from another than a class that all may inherit from."""
    named = {name.rpartition(".")[2]: name for name, _ in imports(tree)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        for base in node.bases:
            spelled = ast.unparse(base.value if isinstance(base, ast.Subscript) else base)
            head, _, rest = spelled.partition(".")
            full = named.get(head, head) + (f".{rest}" if rest else "")
            if full not in ANCESTORS and full not in ANCESTORS_OF:
                yield node.lineno, f"{node.name} inherits {full}"


def test_depth_is_seen() -> None:
    planted = "from venue.a import B\nclass C(B): ...\nclass D(C): ...\nclass E(Exception): ..."
    assert [fault for _, fault in deep(ast.parse(planted))] == [
        "C inherits venue.a.B", "D inherits C",
    ]  # fmt: skip


def test_each_package_has_one_docstring() -> None:
    faults: list[str] = []
    packages = {path.parent for path in modules().values()}
    for package in sorted(packages):
        path = package / "__init__.py"
        tree = trees().get(path)
        if tree is None:
            faults.append(f"{package}: no __init__.py")
            continue
        allowed = FACADES.get(path.as_posix(), 1)
        if ast.get_docstring(tree) is None or len(tree.body) != allowed:
            faults.append(f"{path}: must hold one docstring")
    none(faults)


def test_each_module_has_a_docstring() -> None:
    none([str(path) for path, tree in trees().items() if ast.get_docstring(tree) is None])


def test_the_core_is_deterministic() -> None:
    core = {path: tree for path, tree in trees().items() if path.parts[:3] == _CORE}
    assert len(core) > 10
    none([f"{path}:{line}: {fault}" for path, tree in core.items() for line, fault in chance(tree)])


_CORE = ("src", "venue", "core")


def chance(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The places that could make the core differ between two runs, or lose a fraction of money."""
    for name, line in imports(tree):
        room = name if name in CORE_IMPORTS else name.rpartition(".")[0] or name
        if room not in CORE_IMPORTS and not name.startswith(("venue.core", "venue.vocabulary")):
            yield line, f"imports {name}"
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and isinstance(node.value, float | complex):
            yield line, f"{node.value} is no integer"
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div):
            yield line, "/ makes a float"
        elif isinstance(node, ast.Set | ast.SetComp):
            yield line, "a set has the order of hashes"
        elif isinstance(node, ast.Name) and node.id in CORE_CALLS:
            yield line, f"{node.id} has no place here"
        elif isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.Global):
            yield line, f"{type(node).__name__} has no place here"


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "from datetime import datetime",
        "import venue.node.clock",
        "from os import urandom",
        "import decimal",
        "x = 0.5",
        "x = a / b",
        "x /= 2",
        "x = {1, 2}",
        "for x in set(y): pass",
        "x = hash(y)",
        "x = sorted(y, key=id)",
        "def f(x: float) -> None: ...",
        "def f():\n    import random",
        "print(1)",
    ],
)
def test_the_lint_sees(source: str) -> None:
    assert list(chance(ast.parse(source)))


def test_every_module_is_used() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    scripts = [entry.partition(":")[0] for entry in project["scripts"].values()]
    assert set(scripts) <= set(modules()), f"pyproject.toml names {scripts}"
    helpers = ["venue.explanation.helper", "venue.helpers.program", "venue.recompute.snapshot"]
    helpers += ["venue.history.process.worker", "venue.history.process.shared_worker"]
    helpers += ["venue.recompute.missed_events", *project["entry-points"]["pytest11"].values()]
    helpers += ["venue.testing.machine", "venue.redirect.hooks.sitecustomize"]  # users' choices
    helpers += [name for name in modules() if name.startswith("venue.cli.commands.")]  # found
    used = reached([*scripts, "venue.__main__", "venue.gym", *LAZY.values(), *helpers])
    packages = [name for name, path in modules().items() if path.name == "__init__.py"]
    none([name for name in modules() if name not in used and name not in packages])


def test_names_keep_to_the_words() -> None:
    """docs/style.md lists the words that are not ours; names of the wire stay at the wire."""
    page = text(ROOT / "docs" / "style.md")
    listed = re.search(r"^Never in a name: (.+?)\.$", page, re.MULTILINE | re.DOTALL)
    assert listed is not None
    banned = re.findall(r"\w+", listed.group(1))
    assert len(banned) > 10
    own = [word for word in banned if word not in WIRE_WORDS]
    none(
        [
            f"{path}:{line}: {fault}"
            for path, tree in trees().items()
            if path.parts[0] == "src"
            for line, fault in foreign(tree, own if of_wire(path) else banned)
        ]
    )


def of_wire(path: Path) -> bool:
    """Whether the interface's own names may stand there."""
    return path.parts[2] in WIRE_PACKAGES or path.as_posix() == "src/venue/client/methods.py"


def foreign(tree: ast.Module, banned: list[str]) -> Iterator[tuple[int, str]]:
    """The names that are made of a word that is not ours."""
    for name, line in names(tree):
        for word in re.findall(r"[a-z]+|[A-Z][a-z]*", name):
            if word.lower() in banned:
                yield line, f"{name}: {word}"


def test_a_foreign_word_is_seen() -> None:
    planted = "class OwnTopic:\n    def rooms(self, topics): self.last_topic = rooms_max = 0"
    assert [line for line, _ in foreign(ast.parse(planted), ["topic", "rooms"])] == [1, 2, 2, 2]


def names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The names a module gives: of classes, functions, arguments, variables and attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno

"""Ratchets of names and sizes (docs/style.md): wide classes, unused names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from support.sources import SRC, modules, none, text, trees
from venue.api.documents.table import ROWS

ATTRIBUTES = 12  # that an object of a class sets on itself
# Wide for a reason; no other may be.
WIDE_CLASSES = {
    "venue.crashtest.trial.TrialRun": "one run of a bot: its venue, its port, and its verdict",
    "venue.gateway.dispatch.wire_log.Exchange": "a record: a request and its answer",
    "venue.gateway.dispatch.wire_log.SocketExchange": "a record: a request and its answer",
    "venue.gateway.streams.sockets.Sockets": "the parts that all connections of a door share",
    "venue.core.book.book.Market": "a record: an instrument's numbers, read at every order",
    "venue.core.book.book.Order": "a record: the fields of an order, and its place in the book",
    "venue.core.contract.conditional.trailing.Trail": "a tree's node, and the sums below it",
    "venue.core.contract.records.Algo": "a record: the fields of a conditional order",
    "venue.core.contract.records.Modes": "a record: choices in a contract, and open orders there",
    "venue.core.contract.order_plan.Plan": "sums of one walk over the book, made once per order",
    "venue.core.contract.records.Perpetual": "a record: a contract's numbers, prices and orders",
    "venue.core.contract.records.Position": "a record: the sums of a position's life",
    "venue.core.contract.records.Terms": "a record: the fields that only a contract's order has",
    "venue.core.copying.people.Copy": "a record: the sums of a copy's life",
    "venue.core.copying.people.Following": "a record: a pair's settings and sums",
    "venue.core.engine.Engine": "the rules of all commands, one part of them each",
    "venue.core.ledger.accounts.Account": "a record: an owner's money and settings",
    "venue.gateway.door.Door": "the parts that callers of a venue pass, one each",
    "venue.node.node.Node": "one name for the parts of a running venue",
    "venue.gateway.dispatch.routes.Route": "a row compiled, read at every request",
    "venue.gateway.streams.connection.SocketConnection": "a connection's buffers, timers and turns",
    "venue.gateway.streams.hub.Hub": "the listeners of all channels, and their shapers",
    "venue.gateway.streams.session.Session": "a connection's login, channels and limits",
    "venue.gateway.streams.socket_orders.SocketOrders": "all that a connection's orders need",
    "venue.gateway.transport.connection.HttpConnection": "a connection's buffers, timers and turns",
    "venue.gateway.transport.request.Receiver": "a request as it comes in, piece by piece",
    "venue.history.process.client.History": "a helper's state, and the means to start it again",
    "venue.journal.sqlite.SqliteJournal": "a file's connection, its chain and its statements",
    "venue.node.sequencer.Sequencer": "the queue, the batch under way and the callers that wait",
    "venue.node.timekeeper.Timekeeper": "the followers of time, and the work that is due",
    "venue.node.venue_clock.VenueClock": "five modes, each with where its time began",
}

# Called by name from outside: by a transport, a parser, a driver's user or the interpreter.
CALLED = (
    "connection_lost", "eof_received", "pause_writing", "resume_writing",  # asyncio's transports
    "on_message_begin", "on_url", "on_header", "on_headers_complete", "on_body",  # httptools
    "on_message_complete",
    "paramstyle", "sqlite_version_info", "Binary", "fetchmany", "commit", "rollback",
    "create_function",
    "xOpen", "_FILES",  # SQLite's files: registered by being made
)  # fmt: skip

FOR_USERS = (
    "venue.api.repeating.",  # tools/documents.py writes its table
    "venue.client.",
    "venue.gym.",
    "venue.library.",
    "venue.testing.",
)  # users import these

ROW_MADE = r"^\w+(?:: .*)? = [A-Z]+\.(?:get|post|put|delete|patch)\("
UNITS = ("US_PER_MS", "US_PER_S", "SECOND_US", "MINUTE_US", "HOUR_US", "DAY_US")
FAMILY = 3  # modules of a folder whose names begin with the same word; more are a folder


def test_classes_are_narrow() -> None:
    found = [name for module, path in modules().items() for name in broad(trees()[path], module)]
    none([f"{name} has more than {ATTRIBUTES} attributes" for name in found
         if name not in WIDE_CLASSES])  # fmt: skip
    none([f"{name} is not wide any more" for name in WIDE_CLASSES if name not in found])


def broad(tree: ast.Module, module: str) -> Iterator[str]:
    """The classes whose objects set too many attributes on themselves."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            own = {
                part.attr
                for part in ast.walk(node)
                if isinstance(part, ast.Attribute)
                and isinstance(part.ctx, ast.Store)
                and isinstance(part.value, ast.Name)
                and part.value.id == "self"
            }
            if len(own) > ATTRIBUTES:
                yield f"{module}.{node.name}"


def test_a_wide_class_is_seen() -> None:
    sets = "\n".join(f"        self.a{number} = 0" for number in range(ATTRIBUTES + 1))
    planted = f"class A:\n    def f(self):\n{sets}\nclass B:\n    def f(self): self.a = 0"
    assert list(broad(ast.parse(planted), "m")) == ["m.A"]


def test_nothing_is_used_by_tests_alone() -> None:
    sources = {name: trees()[path] for name, path in modules().items()}
    idle = [name for name in unused(sources) if not name.startswith(FOR_USERS)]
    none([f"{name} is not used" for name in idle if name.rpartition(".")[2] not in CALLED])


def unused(sources: dict[str, ast.Module]) -> Iterator[str]:
    """The functions, classes, methods and constants that no module of the package names."""
    named: set[str] = set()
    for tree in sources.values():
        told = {id(node) for node in told_alone(tree)}
        for node in ast.walk(tree):
            if id(node) in told:
                continue
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                named.add(node.id)
            elif isinstance(node, ast.Attribute):
                named.add(node.attr)
            elif isinstance(node, ast.ImportFrom):
                named.update(alias.name for alias in node.names)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                named.update(re.findall(r"\w+", node.value) if len(node.value) < 100 else ())
    for module, tree in sources.items():
        for name in defined(tree.body):
            if name.rpartition(".")[2] not in named:
                yield f"{module}.{name}"


def told_alone(tree: ast.Module) -> Iterator[ast.expr]:
    """The strings that use nothing: docstrings, and the name that a new type is told."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("NewType", "TypeVar"):
            yield node.args[0]


def defined(body: list[ast.stmt]) -> Iterator[str]:
    """The names that a module or class defines: none with a decorator, and none with `__`."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if not node.decorator_list and not node.name.startswith("__"):
                yield node.name
            if isinstance(node, ast.ClassDef):
                inner = [
                    one for one in node.body if not isinstance(one, ast.Assign | ast.AnnAssign)
                ]
                yield from (f"{node.name}.{name}" for name in defined(inner))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            names = [one.id for one in node.targets if isinstance(one, ast.Name)]
            yield from (name for name in names if not name.startswith("__"))


def test_what_is_not_used_is_seen() -> None:
    planted = "A: Final = 1\ndef f(): return g()\nclass B:\n    x: int\n    def m(self): f()"
    assert list(unused({"m": ast.parse(planted), "n": ast.parse("def g(): ...")})) == [
        "m.A", "m.B", "m.B.m",
    ]  # fmt: skip
    told = '"""Of A and f."""\nA = NewType("A", int)\ndef f(): "As f does."'
    assert list(unused({"m": ast.parse(told)})) == ["m.A", "m.f"]
    assert list(unused({"m": ast.parse('A: Final = 1\nask(obj, "A")')})) == []


def test_no_family_lies_flat() -> None:
    none(families([path for path in modules().values() if path.name != "__init__.py"]))


def families(paths: list[Path]) -> list[str]:
    """The first words that too many modules of one folder share."""
    words: dict[tuple[Path, str], int] = {}
    for path in paths:
        word = path.stem.partition("_")[0]
        words[path.parent, word] = words.get((path.parent, word), 0) + 1
    return [f"{folder}: {count} x {word}" for (folder, word), count in words.items()
            if count > FAMILY]  # fmt: skip


def test_a_family_is_seen() -> None:
    planted = [Path(f"a/b{rest}.py") for rest in ("", "_c", "_d", "_e")]
    assert families([*planted, Path("c/b_f.py")]) == ["a: 4 x b"]


def test_no_class_has_anothers_name() -> None:
    """Modules for users have the plain names: their Order is one of several in here."""
    own = {
        name: trees()[path] for name, path in modules().items() if not name.startswith(FOR_USERS)
    }
    none(twice(own))


def twice(sources: dict[str, ast.Module]) -> list[str]:
    """The names that two classes have."""
    places: dict[str, list[str]] = {}
    for module, tree in sources.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(module)
    return [f"{name}: {', '.join(found)}" for name, found in places.items() if len(found) > 1]


def test_a_name_given_twice_is_seen() -> None:
    planted = {"m": ast.parse("class A: ..."), "n": ast.parse("def f():\n    class A: ...")}
    assert twice(planted) == ["A: m, n"]


def test_members_have_one_literal() -> None:
    words = ast.parse(text(SRC / "venue" / "vocabulary.py"))
    enums = {node.name for node in words.body if isinstance(node, ast.ClassDef)}
    none(
        [
            f"{path}:{line}: a literal of {name} stands in venue.vocabulary"
            for path in modules().values()
            if path.name != "vocabulary.py"
            for name, line in copies(trees()[path], enums)
        ]
    )


def copies(tree: ast.Module, enums: set[str]) -> Iterator[tuple[str, int]]:
    """The constants of a module that are a member of a vocabulary."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            found = re.fullmatch(r"int\((\w+)\.\w+\)|(\w+)\.\w+\.value", ast.unparse(node.value))
            if found and (found[1] or found[2]) in enums:
                yield found[1] or found[2], node.lineno


def test_a_copy_of_a_member_is_seen() -> None:
    planted = "A: Final = int(Side.BUY)\nB = Kind.C.value\nC = Other.D.value\nD = 0"
    assert list(copies(ast.parse(planted), {"Side", "Kind"})) == [("Side", 1), ("Kind", 2)]


def test_a_row_is_a_line() -> None:
    """Each operation is one line of `venue.api`; its name and its path stand there alone."""
    named = {row.name: row for row in ROWS}
    assert len(named) == len(ROWS)
    paths = {row.path for row in ROWS}
    none(
        [
            f"{path}:{line}: {fault}"
            for path in modules().values()
            for line, fault in split_rows(trees()[path], paths)
        ]
    )


def split_rows(tree: ast.Module, paths: set[str]) -> Iterator[tuple[int, str]]:
    """The rows that take more than a line, and the paths of rows that are spelled elsewhere."""
    for node in tree.body:
        long = isinstance(node, ast.Assign | ast.AnnAssign) and node.end_lineno != node.lineno
        if long and re.search(ROW_MADE, ast.unparse(node)):
            yield node.lineno, "a row takes one line"
    for part in ast.walk(tree):
        if isinstance(part, ast.Constant) and isinstance(part.value, str | bytes):
            spelled = part.value if isinstance(part.value, str) else part.value.decode("latin-1")
            if spelled in paths:
                yield part.lineno, f"{spelled} is the path of a row: take it from there"


def test_a_split_row_is_seen() -> None:
    planted = 'a = READ.get(\n    "/a", (1, 1), Empty, Empty\n)\nb = READ.get("/b", (1, 1))\n'
    asked = 'ask("/v/a")\nask(b"/v/a")'
    assert list(split_rows(ast.parse(planted), {"/v/a"})) == [(1, "a row takes one line")]
    assert [line for line, _ in split_rows(ast.parse(asked), {"/v/a"})] == [1, 2]


def test_statuses_follow_the_table() -> None:
    """Only `Order.become` gives an order a status; a snapshot gives it back the one it had."""
    core = {name: trees()[path] for name, path in modules().items() if ".core." in name}
    own = ("venue.core.book.book", "venue.core.state")
    none([
        f"{name}:{line}: Order.become gives a status"
        for name, tree in core.items()
        if not name.startswith(own)
        for line in given(tree)
    ])  # fmt: skip


def given(tree: ast.Module) -> Iterator[int]:
    """The lines that give an order a status by hand."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if ast.unparse(target).endswith(("order.status", "maker.status")):
                yield node.lineno


def test_a_status_given_by_hand_is_seen() -> None:
    assert list(given(ast.parse("order.status = FILLED\nself.order.status = a = NEW"))) == [1, 2]


def test_units_have_one_constant() -> None:
    """Spans of time, in µs: the core has its own, as it knows no candles."""
    found = [
        f"{name}: {unit} stands in venue.times, venue.candles or venue.core.units"
        for name, path in modules().items()
        if name not in ("venue.times", "venue.candles", "venue.core.units")
        for unit in defined(trees()[path].body)
        if unit in UNITS
    ]
    none(found)


def test_a_unit_of_ones_own_is_seen() -> None:
    assert [name for name in defined(ast.parse("DAY_US: Final = 1").body) if name in UNITS]


def test_no_row_is_known_by_a_part_of_its_name() -> None:
    """A column of the table says what an operation is: another name would change a limit."""
    found = [
        f"{path}:{line}"
        for name, path in modules().items()
        for line in told_by_parts(trees()[path])
    ]
    none(found)


def told_by_parts(tree: ast.Module) -> Iterator[int]:
    """The lines that look into the name of a `row`, or for something else than a parameter into its
    path. How a path begins is its product."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            looked = node.func.attr in ("startswith", "endswith")
            parts = [node.func.value] if looked else []
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            parts = list(node.comparators) if isinstance(node.left, ast.Constant) else []
            if ast.unparse(node.left) == "'{'":
                continue
        else:
            continue
        asked = [ast.unparse(part) for part in parts]
        if "row.name" in asked or ("row.path" in asked and isinstance(node, ast.Compare)):
            yield node.lineno


def test_a_row_known_by_a_part_of_its_name_is_seen() -> None:
    planted = "row.name.startswith('place_')\n'batch' in row.path\n'{' in row.path"
    assert list(told_by_parts(ast.parse(planted))) == [1, 2]

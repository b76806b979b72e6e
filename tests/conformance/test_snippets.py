"""Every snippet of the README and of docs/ works as pasted, against a venue of its own."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.metadata import packages_distributions
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from support.listening import Listener, login
from support.real_venue import real_venue
from support.server import Server
from support.tools import needed
from support.waits import WAIT_S

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGE_TEXTS = {path.name: path.read_text() for path in PAGES}
EXAMPLES = ROOT / "examples"
BACKTEST = EXAMPLES / "backtest.py"
BACKTEST_LINES_MAX = 25
OF_EXAMPLES = (
    "crashtest.md",
    "pytest.md",
    "with.md",
)  # they show parts of programs that other tests run
HOST = "127.0.0.1:8787"
README_LINES_MAX = 150  # three screens
# Fields that a venue chooses each time: an answer must have them, not these values.
CHOSEN = ("orderId", "transactTime")
LEFT = {"text", "json"}  # pictures and answers, which say nothing that could be run
OF_RUNS = "runs.md"
OF_A_REAL_VENUE = "serve.md"
# Pages that change time or prices, or have requests go wrong: the options of a venue that is as it
# began before each snippet.
OF_ITS_OWN = {
    "clock.md": ("--no-agents",),
    "copy-trading.md": ("--no-agents",),
    "explain.md": ("--no-agents",),
    "faults.md": ("--no-agents",),
    OF_RUNS: ("--no-agents",),
    "snapshots.md": ("--no-agents",),
    "prices.md": (),
    "wire-log.md": ("--no-agents",),
}

IN_PROCESS = ("gym.md", "library.md")  # pages whose programs are venues themselves


class Snippet(NamedTuple):
    page: str
    kind: str
    text: str


SNIPPETS = [
    Snippet(path.name, kind, text)
    for path in PAGES
    for kind, text in re.findall(r"^```(\w+)\n(.*?)^```$", path.read_text(), re.M | re.S)
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(folder=tmp_path_factory.mktemp("snippets")) as running:
        yield running
        assert running.stop() == 0


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with real_venue(tmp_path_factory.mktemp("real")) as running:
        yield running
        assert running.stop() == 0


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Server]]:
    """Gives the venue of a page that has one to itself, as it began; pages of equal options share
    it, but for those of runs: all that happened is in a run, also what was reverted."""
    running: dict[tuple[str, ...], Server] = {}

    def given(page: str) -> Server:
        options = (*OF_ITS_OWN[page], "--clock", "manual", "--at", "2026-01-01T00:00:00Z")
        kind = (*options, page) if page == OF_RUNS else options
        if kind not in running:
            folder = tmp_path_factory.mktemp("fresh")
            running[kind] = closing.enter_context(Server(*options, folder=folder))
        operator = running[kind].client()
        assert operator.post("/_venue/reset", {}).status == 200
        assert operator.get("/_venue/faults").json == []
        return running[kind]

    with ExitStack() as closing:
        yield given


def of(kind: str) -> list[Any]:
    """All snippets of a kind, as a test's parameters."""
    found = [one for one in SNIPPETS if one.kind == kind]
    return [pytest.param(one, id=f"{one.page}-{at}") for at, one in enumerate(found)]


def run(command: list[str], folder: Path, url: str = "") -> str:
    """The output of a command, which must succeed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command,
        env={**os.environ, "VENUE_URL": url, "PATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def here(snippet: Snippet, server: Server) -> str:
    """The snippet with the documented address replaced by the test's."""
    return snippet.text.replace(HOST, server.url.removeprefix("http://"))


def test_every_snippet_is_of_a_kind_that_is_run() -> None:
    assert {one.kind for one in SNIPPETS} - LEFT == {"console", "sh", "python", "toml", "frames"}
    for path in PAGES:
        fences = len(re.findall(r"^\s*```", path.read_text(), re.M))
        kinds = sum(one.page == path.name for one in SNIPPETS)
        assert fences == 2 * kinds, f"{path.name}: a block without a kind"


def test_the_readme_fits_three_screens() -> None:
    assert len(PAGES[0].read_text().splitlines()) <= README_LINES_MAX


def test_pages_say_how_to_install_what_their_programs_import() -> None:
    lock = (ROOT / "requirements-run.lock").read_text()
    there = {canonical(name) for name in re.findall(r"^([\w.-]+)==", lock, re.M)} | {"venue"}
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    provided = packages_distributions()
    untold = []
    for snippet in SNIPPETS:
        page = PAGE_TEXTS[snippet.page]
        told = set(re.findall(r"pip install ([\w-]+)", page))
        for extra in re.findall(r"pip install -e '\.\[(\w+)\]'", page):
            told |= {re.split("[<>=]", wanted)[0] for wanted in extras[extra]}
        for module in imported(snippet.text) if snippet.kind == "python" else ():
            names = {canonical(name) for name in provided.get(module, ())}
            if module not in sys.stdlib_module_names and not names & (there | told):
                untold.append(f"{snippet.page}: {module}")
    assert untold == []


def imported(program: str) -> set[str]:
    """The top modules that a program imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(dedent(program))):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def canonical(name: str) -> str:
    """A distribution's name as indexes write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_links_between_pages_lead_somewhere() -> None:
    for path in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text()):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


@pytest.mark.parametrize("snippet", of("sh"))
def test_shell(
    server: Server, real: Server, fresh: Callable[[str], Server], snippet: Snippet
) -> None:
    for program in ("bash", "curl", "openssl"):
        needed(program)
    if snippet.page in OF_ITS_OWN:
        server = fresh(snippet.page)
    if snippet.page == OF_A_REAL_VENUE:
        server = real
    command = ["bash", "-eu", "-o", "pipefail", "-c", here(snippet, server)]
    out = run(command, ROOT, server.url)
    assert out.strip()
    assert '"code":-' not in out, out
    if snippet.page != OF_A_REAL_VENUE:
        left = server.client().get("/_venue/faults").json
        assert left == [], "the next snippet would meet these faults"


def is_part(snippet: Snippet) -> bool:
    """Whether it stands in an example, which other tests run."""
    return any(snippet.text in path.read_text() for path in EXAMPLES.rglob("*.py"))


@pytest.mark.parametrize("snippet", of("python"))
def test_python(server: Server, snippet: Snippet) -> None:
    """Each prints first whether its order is open, or whether its checksum agrees; those of a venue
    in the process need no server, and print something; parts of examples stand in them."""
    readme = snippet.page == PAGES[0].name
    if snippet.page in OF_EXAMPLES or (readme and is_part(snippet)):
        assert is_part(snippet)
        return
    if snippet.page in IN_PROCESS:
        out = run([sys.executable, "-c", snippet.text], ROOT)
        assert out.strip()
        if snippet.text == BACKTEST.read_text():
            check_backtest(out)
        return
    first, *more = run([sys.executable, "-c", here(snippet, server)], ROOT).splitlines()
    assert first == ("True" if "crc32" in snippet.text else "open")
    if "create_order" in snippet.text:
        assert float(more[0].split()[0]) > 0
        assert "free" in more[0] + more[1]


@pytest.mark.parametrize("page", IN_PROCESS)
def test_notebook(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs of a page as the cells of one notebook, whose thread runs a loop already."""
    for variable in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(variable, str(tmp_path))
    programs = [one.text for one in SNIPPETS if one.kind == "python" and one.page == page]
    book = new_notebook(cells=[new_code_cell(text) for text in programs])
    NotebookClient(
        book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    assert programs
    for cell in book.cells:
        assert "stream" in [output.output_type for output in cell.outputs]
        shown = [out.data["text/html"] for out in cell.outputs if out.output_type != "stream"]
        last = cell.source.splitlines()[-1]
        assert [html.startswith("<svg ") for html in shown] == [True] * (last == "chart")


def check_backtest(out: str) -> None:
    """Equity at each minute and before the first, of a bot that traded."""
    lines = out.splitlines()
    count, number = lines[0].split()
    assert (count, float(number)) == ("count", 9)
    fills, fees = lines[-1].split(" fills, fees ")
    assert int(fills) >= 2
    assert list(ast.literal_eval(fees)) == ["BTC", "USDT"]  # of buys and of sells
    assert all(fee > 0 for fee in ast.literal_eval(fees).values())


def test_the_backtest_of_the_pages_is_the_example() -> None:
    """So that running the pages runs it; a user can read it at a glance."""
    text = BACKTEST.read_text()
    assert text in [one.text for one in SNIPPETS if one.page == "library.md"]
    assert len(text.splitlines()) <= BACKTEST_LINES_MAX


@pytest.mark.parametrize("snippet", of("frames"))
def test_frames(server: Server, snippet: Snippet) -> None:
    """Messages of a client, and the answers to them."""
    account = server.account("alice")
    with Listener(server.port, "/spot/v3/ws/private", login(account)) as listener:
        said: dict[str, Any] = {}
        for line in snippet.text.splitlines():
            mark, _, text = line.partition(" ")
            if mark == ">":
                said = listener.ask(json.loads(text))
            else:
                assert mark == "<", line
                assert _without_chosen(said) == _without_chosen(json.loads(text)), line


def _without_chosen(message: dict[str, Any]) -> dict[str, Any]:
    """The message with the venue's own choices shown by their names alone."""
    result = message.get("result")
    if not isinstance(result, dict):
        return message
    return {**message, "result": {name: name in CHOSEN or result[name] for name in result}}


def test_console(tmp_path: Path) -> None:
    """Lines typed at a prompt, in the pages' order; a venue is stopped before the next line."""
    for snippet in [one for one in SNIPPETS if one.kind == "console"]:
        for line in snippet.text.splitlines():
            prompt, *words = line.split()
            assert prompt == "$", line
            if words[:2] in (["venue", "dev"], ["venue", "serve"]):
                with Server(*words[2:], folder=tmp_path, command=words[1]) as running:
                    assert running.stop() == 0
            elif words[0] == "venue":
                assert run(words, tmp_path).strip()
            else:
                needed("make")
                assert "venue dev" in run([*words, "--dry-run"], ROOT)


@pytest.mark.parametrize("snippet", of("toml"))
def test_configuration_file(snippet: Snippet, tmp_path: Path) -> None:
    if snippet.page == "scenarios.md":
        (tmp_path / "one.toml").write_text(snippet.text)
        assert "as expected" in run(["venue", "run", "one.toml"], tmp_path)
        return
    assert tomllib.loads(snippet.text) == {"dev": {"batch-place": True, "seed": 7}}
    (tmp_path / "venue.toml").write_text(snippet.text)
    with Server("--no-agents", folder=tmp_path) as running:
        settings = running.client().get("/_venue/settings")
        assert settings.json == {
            "batchPlace": True,
            "batchCancelWording": "document",
            "contractBatchPlace": True,
            "contractBatchCancelEnvelope": "object",
            "apiClosed": ["WXBUSDT"],
        }
        assert running.stop() == 0

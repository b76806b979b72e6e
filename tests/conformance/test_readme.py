"""Every snippet of the README works as pasted, against a venue on a port of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.server import Server
from support.tools import needed

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(folder=tmp_path_factory.mktemp("readme")) as running:
        yield running
        assert running.stop() == 0


def pasted(kind: str) -> list[str]:
    return [text for found, text in BLOCKS if found == kind]


def run(command: list[str], text: str, server: Server) -> str:
    """Run a snippet with the README's address replaced by the test's."""
    here = text.replace("http://127.0.0.1:8787", server.url)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [*command, here],
        env={**os.environ, "VENUE_URL": server.url, "PATH": path},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_snippets_of_each_kind() -> None:
    assert {kind for kind, _ in BLOCKS} == {"console", "sh", "python", "toml"}


@pytest.mark.parametrize("text", pasted("sh"))
def test_shell(server: Server, text: str) -> None:
    for program in ("bash", "curl", "openssl"):
        needed(program)
    out = run(["bash", "-eu", "-o", "pipefail", "-c"], text, server)
    assert out.strip()
    assert '"code":-' not in out, out


@pytest.mark.parametrize("text", pasted("python"))
def test_python(server: Server, text: str) -> None:
    out = run([sys.executable, "-c"], text, server).splitlines()
    assert out[0] == "open"
    assert float(out[1].split()[0]) > 0
    assert "free" in out[2]


@pytest.mark.parametrize("text", pasted("toml"))
def test_configuration_file(text: str, tmp_path: Path) -> None:
    assert tomllib.loads(text) == {"dev": {"batch-place": True, "seed": 7}}
    (tmp_path / "venue.toml").write_text(text)
    with Server("--no-agents", folder=tmp_path) as running:
        settings = running.client().get("/_venue/settings")
        assert settings.json == {
            "batchPlace": True,
            "batchCancelWording": "document",
            "contractBatchPlace": True,
            "contractBatchCancelEnvelope": "object",
        }
        assert running.stop() == 0

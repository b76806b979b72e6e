"""Two type checkers infer the parameters and the replies of the clients' methods from the rows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from support.tools import needed
from support.waits import WAIT_S

ROOT: Final = Path(__file__).resolve().parents[2]
PROGRAM: Final = ROOT / "tests" / "files" / "typed_calls.py"
PYRIGHT: Final = ROOT / "tests" / "typescript" / "node_modules" / ".bin" / "pyright"
# Each is wrong: a mark that no checker needs, a reply that is taken for another, a wrong name.
PLANTED: Final = (
    "client.depth(symbol='BTCUSDT')  # type: ignore",
    "assert_type(client.open_orders(), OrderAck)",
    "client.open_orders(symbl='BTCUSDT')",
    "client.place_order(symbol='S', side='BUY', type='MARKET', quantity=0.1)",
)


CHECKERS: Final = {
    "mypy": [sys.executable, "-m", "mypy", "--no-error-summary"],
    "pyright": [str(PYRIGHT), "--pythonpath", sys.executable],
}


def told(checker: str, program: Path, folder: Path) -> list[str]:
    """The lines that a checker has to say of a program. Pyright would take the settings of any
    folder above: it gets its own, in a `folder`."""
    program_of, *options = CHECKERS[checker]
    settings = folder / "settings.json"
    settings.write_text(json.dumps({"include": [os.path.relpath(program, folder)]}))
    asked = ["-p", str(settings)] if checker == "pyright" else [str(program)]
    command = [needed(program_of), *options, *asked]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=WAIT_S)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert done.returncode == any(" error: " in line for line in lines), done.stdout
    return lines


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_checker_infers_the_calls(checker: str, tmp_path: Path) -> None:
    assert not [line for line in told(checker, PROGRAM, tmp_path) if " error: " in line]


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_checker_sees_what_is_wrong(checker: str, tmp_path: Path) -> None:
    lines = PROGRAM.read_text().splitlines()
    first = len(lines) + 2
    lines += ["def planted(client: Client) -> None:", *(f"    {line}" for line in PLANTED)]
    planted = tmp_path / "planted.py"
    planted.write_text("\n".join(lines))
    found = [line for line in told(checker, planted, tmp_path) if " error: " in line]
    wrong = {
        number for number in range(len(lines) + 1) if any(f":{number}:" in one for one in found)
    }
    assert wrong == set(range(first, first + len(PLANTED))), found

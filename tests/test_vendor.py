"""The libraries of the pages are those that the npm lock pins, with their licences."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from tools import vendor

from support.tools import needed

TYPESCRIPT = vendor.NODE / "node_modules" / ".bin" / "tsc"


def committed() -> dict[str, Path]:
    return {
        path.relative_to(vendor.VENDOR).as_posix(): path
        for path in vendor.VENDOR.rglob("*")
        if path.is_file()
    }


def test_the_files_are_those_of_the_locked_packages() -> None:
    needed(str(TYPESCRIPT))  # `make setup` installs the packages where npm is
    wanted = vendor.vendored()
    assert set(committed()) == set(wanted)
    for name, text in wanted.items():
        assert (vendor.VENDOR / name).read_text() == text, f"{name} is old: make vendor"


def test_the_list_tells_each_file_as_it_is() -> None:
    rows = json.loads((vendor.VENDOR / vendor.LIST).read_text())
    lock = json.loads((vendor.NODE / "package-lock.json").read_text())["packages"]
    assert {row["file"] for row in rows} == {name for name in committed() if name.endswith(".js")}
    for row in rows:
        content = (vendor.VENDOR / row["file"]).read_bytes()
        assert row["sha256"] == hashlib.sha256(content).hexdigest(), row["file"]
        pinned = lock[f"node_modules/{row['package']}"]
        for field, value in (("version", row["version"]), ("integrity", row["integrity"])):
            assert pinned[field] == value, row["file"]
        assert row["licence"] == pinned["license"]
        name = row["package"].removeprefix("@").replace("/", "-")
        assert (vendor.VENDOR / "licences" / f"{name}.txt").stat().st_size > 500


def test_imports_become_relative() -> None:
    text = (
        'import{h as r}from"preact";export{h}from"preact/hooks";import"htm"\n//# sourceMappingURL=a'
    )
    assert vendor.bundled(text) == (
        'import{h as r}from "./preact.js";export{h}from "./preact-hooks.js";import "./htm.js"\n'
    )
    with pytest.raises(ValueError, match="other is imported and not copied"):
        vendor.bundled('import a from"other"')

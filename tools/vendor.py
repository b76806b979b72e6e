"""Copies the pages' libraries, as single files, from the packages of the npm lock."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Final

import msgspec

ROOT: Final = Path(__file__).resolve().parents[1]
NODE: Final = ROOT / "tests" / "typescript"
MODULES: Final = NODE / "node_modules"
VENDOR: Final = ROOT / "src" / "venue" / "pages" / "vendor"
LIST: Final = "list.json"
_IMPORT: Final = re.compile(r'(\bfrom|\bimport)\s*"([^"./][^"]*)"')
_SOURCE_MAP: Final = re.compile(r"\s*//# sourceMappingURL=\S+\s*\Z")


class Library(msgspec.Struct, frozen=True):
    """A file of a package, the name that programs import it by, and its name in the pages."""

    package: str
    imported: str
    source: str
    file: str


LIBRARIES: Final = (
    Library("preact", "preact", "dist/preact.mjs", "preact.js"),
    Library("preact", "preact/hooks", "hooks/dist/hooks.mjs", "preact-hooks.js"),
    Library(
        "@preact/signals-core",
        "@preact/signals-core",
        "dist/signals-core.mjs",
        "signals-core.js",
    ),
    Library("@preact/signals", "@preact/signals", "dist/signals.mjs", "signals.js"),
    Library("htm", "htm", "dist/htm.mjs", "htm.js"),
    Library(
        "lightweight-charts",
        "lightweight-charts",
        "dist/lightweight-charts.standalone.production.mjs",
        "lightweight-charts.js",
    ),
)
FILES: Final = {library.imported: library.file for library in LIBRARIES}


class VendoredFile(msgspec.Struct, frozen=True):
    """A row of the list: the package as the lock pins it, and the file that was made of it."""

    file: str
    package: str
    version: str
    licence: str
    integrity: str
    sha256: str


def vendored() -> dict[str, str]:
    """Each file of the folder by its name there: libraries, their types, licences and the list."""
    lock = json.loads((NODE / "package-lock.json").read_text())["packages"]
    found: dict[str, str] = {}
    rows = []
    for library in LIBRARIES:
        pinned = lock[f"node_modules/{library.package}"]
        text = bundled((MODULES / library.package / library.source).read_text())
        found[library.file] = text
        found[library.file.replace(".js", ".d.ts")] = typed(library)
        licence = (MODULES / library.package / "LICENSE").read_text()
        found[f"licences/{library.package.removeprefix('@').replace('/', '-')}.txt"] = licence
        digest = hashlib.sha256(text.encode()).hexdigest()
        rows.append(
            VendoredFile(
                library.file,
                library.package,
                pinned["version"],
                pinned["license"],
                pinned["integrity"],
                digest,
            )
        )
    listed = msgspec.json.format(msgspec.json.encode(rows), indent=1).decode()
    return found | {LIST: f"{listed}\n"}


def bundled(text: str) -> str:
    """The text of a library with relative imports, without the name of its source map.

    ValueError where it imports something that is not copied.
    """

    def relative(found: re.Match[str]) -> str:
        if found[2] not in FILES:
            raise ValueError(f"{found[2]} is imported and not copied")
        return f'{found[1]} "./{FILES[found[2]]}"'

    return _SOURCE_MAP.sub("", _IMPORT.sub(relative, text)) + "\n"


def typed(library: Library) -> str:
    """The types of a library: those of its package."""
    default = 'export { default } from "htm";\n' if library.package == "htm" else ""
    return f'export * from "{library.imported}";\n{default}'


def main() -> None:
    """Write all files."""
    for name, text in vendored().items():
        (VENDOR / name).parent.mkdir(parents=True, exist_ok=True)
        (VENDOR / name).write_text(text)
        sys.stdout.write(f"{(VENDOR / name).relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()

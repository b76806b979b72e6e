"""Writes a report as one HTML file, which a browser opens from a disk and which asks for nothing.

The modules of the pages and the data are packed in the file. A small script unpacks them, and makes
a module of each after those that it imports. The policy of the file lets nothing else run, and
nothing in from outside.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from gzip import compress
from hashlib import sha256
from html import escape
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Final

import msgspec

import venue
from venue.files import private_files
from venue.report.data import ReportData

PAGES: Final = Path(venue.__file__).parent / "pages"
FIRST: Final = "report/report.js"
STYLES: Final = ("style.css", "panels.css", "report/report.css")
# Modules of a page that has a venue, and those that a report has in their places.
INSTEAD: Final = {
    "components/again.js": "report/again.js",
    "route.js": "report/route.js",
    "session.js": "report/session.js",
}
_IMPORT: Final = re.compile(r"""(\bfrom\s*|\bimport\s*)(["'])(\.{1,2}/[^"']+\.js)\2""")
_COMMENT: Final = re.compile(r"/\*\*.*?\*/\s*", re.DOTALL)

_LOADER: Final = """
const unpacked = async (id) => {
  const letters = atob(document.getElementById(id).textContent);
  const bytes = Uint8Array.from(letters, (one) => one.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
};
const start = async () => {
  const [modules, data] = await Promise.all([unpacked("modules"), unpacked("data")]);
  globalThis.venueReport = JSON.parse(data);
  const made = {};
  let last = "";
  for (const [name, text] of JSON.parse(modules)) {
    const own = text.replace(/"venue:([^"]+)"/g, (_, other) => JSON.stringify(made[other]));
    last = made[name] = URL.createObjectURL(new Blob([own], { type: "text/javascript" }));
  }
  await import(last);
};
start().catch((problem) => {
  document.getElementById("page").textContent =
    `This report cannot be shown: ${problem}. It needs a browser of 2024 or later.`;
});
"""


def write(path: str | Path, data: ReportData) -> int:
    """Write a report that its user alone can read; return its bytes. OSError."""
    content = document(data).encode()
    private_files.put(Path(path), content)
    return len(content)


def document(data: ReportData) -> str:
    """Return a report's HTML."""
    style = "".join((PAGES / name).read_text() for name in STYLES)
    policy = (
        f"default-src 'none'; script-src {_hash(_LOADER)} blob:; style-src {_hash(style)};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
    # Base64 has no character that could end an element.
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{escape(data.title)}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
<div id="page"><p class="starting">Unpacking the report…</p></div>
<noscript><p class="starting">This report needs JavaScript.</p></noscript>
<script type="text/plain" id="modules">{_pack(_modules())}</script>
<script type="text/plain" id="data">{_pack(msgspec.json.encode(data))}</script>
<script>{_LOADER}</script>
</html>
"""


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _pack(data: bytes) -> str:
    return b64encode(compress(data, mtime=0)).decode()


@cache
def _modules() -> bytes:
    """Return the modules as JSON, each after those that it imports."""
    found: dict[str, str] = {}
    _add(FIRST, found, ())
    return msgspec.json.encode(list(found.items()))


def _add(name: str, found: dict[str, str], above: tuple[str, ...]) -> None:
    """Add a module and all that it imports. ValueError: modules import each other."""
    if name in above:
        raise ValueError(f"{name} imports itself by way of {', '.join(above)}")
    if name in found:
        return
    text = (PAGES / name).read_text()
    for wanted in _imports(name, text):
        _add(wanted, found, (*above, name))
    own = _IMPORT.sub(lambda one: f'{one[1]}"venue:{_resolve(name, one[3])}"', text)
    found[name] = own if name.startswith("vendor/") else _COMMENT.sub("", own)


def _imports(name: str, text: str) -> Iterator[str]:
    for one in _IMPORT.finditer(text):
        yield _resolve(name, one[3])


def _resolve(name: str, given: str) -> str:
    """Return the module that another imports by a relative path, in a report."""
    path = normpath((PurePosixPath(name).parent / given).as_posix())
    return INSTEAD.get(path, path)

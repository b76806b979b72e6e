"""Reports that were written: their data, and all their text."""

from __future__ import annotations

import base64
import gzip
import re
from pathlib import Path

import msgspec

from venue.report.data import ReportData


def _parts(path: Path) -> dict[str, str]:
    packed = re.findall('type="text/plain" id="([a-z]+)">([^<]*)<', path.read_text())
    return {name: gzip.decompress(base64.b64decode(data)).decode() for name, data in packed}


def whole_text(path: Path) -> str:
    """All of a report's file, and its packed parts as text."""
    return path.read_text() + _parts(path)["modules"] + _parts(path)["data"]


def data_of(path: Path) -> ReportData:
    return msgspec.json.decode(_parts(path)["data"], type=ReportData)

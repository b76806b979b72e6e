"""One venue for every table of refusals."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.refusals.stage import Stage


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    found = Stage(tmp_path_factory.mktemp("stage"))
    yield found
    found.close()

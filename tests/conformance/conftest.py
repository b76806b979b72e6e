"""One venue for every table of refusals, and one for those of the contract side."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.refusals.contract_stage import contract_venue
from support.refusals.stage import Stage, spot_venue


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    found = Stage(tmp_path_factory.mktemp("stage"), spot_venue)
    yield found
    found.close()


@pytest.fixture(scope="session")
def contract_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    found = Stage(tmp_path_factory.mktemp("contract-stage"), contract_venue)
    yield found
    found.close()

"""One venue for every table of refusals, and one for those of the contract side."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import pytest
from tools.documents import differences

from support.refusals.contract_stage import contract_venue, post_indexes
from support.refusals.stage import Stage, spot_venue
from support.server import PROFILE
from venue.api.profile import Profile

BELOW = "tests/"
FRESH_S = 3.0  # an index is stale after ten seconds


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave tests of the document's letter out where servers follow the live exchange."""
    if PROFILE != Profile.LIVE:
        return
    letter = tuple(f"{BELOW}{test}" for row in differences() for test in row.letter)
    out = [item for item in items if item.nodeid.startswith(letter)]
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if item not in out]


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    found = Stage(tmp_path_factory.mktemp("stage"), spot_venue)
    yield found
    found.close()


@pytest.fixture
def contract_stage(contract_venue_of_session: Stage) -> Stage:
    """With indexes that are not stale, however long the tests before it took."""
    found = contract_venue_of_session
    if monotonic() - found.posted_s > FRESH_S:
        found.posted_s = monotonic()
        post_indexes(found)
    return found


@pytest.fixture(scope="session")
def contract_venue_of_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    found = Stage(tmp_path_factory.mktemp("contract-stage"), contract_venue)
    yield found
    found.close()

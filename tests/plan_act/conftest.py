"""What most tests of a plan-act run share."""

from __future__ import annotations

from zlib import crc32

import pytest
from support.plan_act import TWINS, Invoke, twin


@pytest.fixture
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by the twin that the test's name chooses: the checks know of neither.

    The tests of what may differ (calls, pauses, limits, failures) have a fixture that runs them by both.
    """
    return twin(TWINS[crc32(request.node.name.encode()) % len(TWINS)])

"""Broken schedules are made as small as can be, however busy the machine is."""

import pytest

from tests.waiting import LONG
from tinytf.testing.schedules import exploring


@pytest.fixture(autouse=True)
def time_to_shrink(monkeypatch):
    monkeypatch.setattr(exploring, "SHRINK_SECONDS", LONG)

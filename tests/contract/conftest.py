"""The boards, each as a fixture that closes what it opened."""

import pytest

from tests.contract.rigs import RIGS


@pytest.fixture
def open_rig(monkeypatch):
    """Return a function that opens a rig by name; all are closed at the end."""
    opened = []

    def open_it(name, **how):
        rig = RIGS[name](monkeypatch, **how)
        opened.append(rig)
        return rig

    yield open_it
    for rig in opened:
        rig.close()


@pytest.fixture(params=RIGS)
def rig_name(request):
    return request.param


@pytest.fixture
def rig(rig_name, open_rig):
    """A rig that has begun: lines settled, what stood at the start told."""
    opened = open_rig(rig_name)
    opened.began()
    return opened

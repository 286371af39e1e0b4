"""The boards, each as a fixture that closes what it opened."""

import pytest

from tests.contract.rigs import EVERY, RIGS


@pytest.fixture
def open_rig(monkeypatch):
    """Return a function that opens a rig by name; all are closed at the end."""
    opened = []

    def open_it(name, **how):
        rig = (EVERY | RIGS)[name](monkeypatch, **how)
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


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.hil) if name == "hil" else name for name in EVERY])
def every_name(request):
    """The name of a rig: a Pi's, the one without hardware, or (marked `hil`) a real Pi with wires."""
    return request.param


@pytest.fixture
def every_rig(every_name, open_rig):
    """A rig of any kind that has begun."""
    opened = open_rig(every_name)
    opened.began()
    return opened

"""Safe mode: GO is asked for before anything else, and the line is free again for the board."""

import fcntl
import os
from types import SimpleNamespace

import pytest

from firmware import commands
from hal.pi import held
from hal.pi.gpiochip import Chip
from wiring.load import load_unit

TRIPLE_PLAY = load_unit("triple-play")


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """A GPIO chip whose one line is what `high` says; `asked` is what was requested, `line` its descriptor."""
    (tmp_path / "gpiochip0").touch()
    kernel = SimpleNamespace(dev=tmp_path, high=True, asked=None, line=None)

    def ioctl(device, what, answer):
        if what == held.GET_LINE:
            kernel.asked = held.REQUEST.unpack(answer)
            kernel.line = os.open(tmp_path / "gpiochip0", os.O_RDONLY)
            answer[-4:] = kernel.line.to_bytes(4, "little")
        else:
            assert (device, what) == (kernel.line, held.GET_VALUES)
            answer[:8] = int(kernel.high).to_bytes(8, "little")

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    monkeypatch.setattr(held, "header_chip", lambda dev: Chip(0, "gpiochip0", "pinctrl-bcm2835", 54))
    monkeypatch.setattr(held, "SETTLE_S", 0)
    return kernel


@pytest.mark.parametrize("high, closed", [(True, False), (False, True)])
def test_a_contact_to_ground_is_held_when_its_line_is_low(kernel, high, closed):
    kernel.high = high
    assert held.is_held(23, kernel.dev) is closed
    assert kernel.asked[:4] == (23, b"pilelight".ljust(32, b"\0"), 0x104, 0)
    with pytest.raises(OSError, match="Bad file descriptor"):  # closed again: the line is free
        os.fstat(kernel.line)


def test_the_request_is_as_long_as_the_kernel_wants_it():
    assert held.REQUEST.size == held.GET_LINE >> 16 & 0x3FFF
    assert held.VALUES.size == held.GET_VALUES >> 16 & 0x3FFF


def test_without_a_header_nothing_is_held(tmp_path):
    assert held.is_held(23, tmp_path) is False


def test_a_line_that_somebody_has_is_not_held(monkeypatch):
    def busy(gpio):
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(held, "is_held", busy)
    assert commands.go_is_held(TRIPLE_PLAY) is False


def test_go_is_what_is_asked_for(monkeypatch):
    asked = []
    monkeypatch.setattr(held, "is_held", lambda gpio: asked.append(gpio) or True)
    assert commands.go_is_held(TRIPLE_PLAY) and asked == [23]

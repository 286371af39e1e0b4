"""The jig itself, on a desktop: its file is right, its fingers press, and a wire that is missing is named."""

import time
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from hal.open import Machine
from hal.pi.buzzer import KernelPwm, Note
from hal.pi.pins import InputPins, Line
from hal.ports import Contact
from tests.contract import hil
from tests.contract.hil import BENCH, HilRig, Jig, Wire, load_jig

GO = Wire("go", 22, 23, 1_000)


class Table(MockFactory):
    """A Pi on a desk: lines that are wired to others follow them, as pull-ups and open drains do."""

    def __init__(self, wires):
        self.wires = {wire.finger: wire.contact for wire in wires}
        factory = self

        class Pin(MockPWMPin):
            def _set_function(self, value):
                super()._set_function(value)
                self._spread()

            def _set_state(self, value):
                super()._set_state(value)
                self._spread()

            def _spread(self):
                wired = factory.wires.get(self._number)
                if wired is None:
                    return
                other = factory.pin(wired)
                low = self._function == "output" and not self._state
                other.drive_low() if low else other.drive_high()

        super().__init__(pin_class=Pin)


@pytest.mark.parametrize("path", sorted(BENCH.glob("*.toml")), ids=lambda path: path.stem)
def test_every_jig_names_lines_of_the_header_once_each(path):
    jig = load_jig(path)
    wires = [*jig.wires, *([jig.tone] if jig.tone else [])]
    lines = [line for wire in wires for line in (wire.finger, wire.contact)]
    assert len(lines) == len({hil.place(line) for line in lines})
    assert all(wire.resistor_ohm >= 330 for wire in wires), "two outputs against each other must not hurt"
    assert {"go", "pile1"} <= {wire.name for wire in jig.wires}


def test_the_document_shows_every_wire():
    text = (Path(__file__).resolve().parents[2] / "docs" / "hil.md").read_text()
    jig = load_jig(BENCH / "loopback.toml")
    for wire in [*jig.wires, jig.tone]:
        assert hil.place(wire.finger) in text
        assert hil.place(wire.contact) in text


def test_a_missing_wire_skips_and_is_named(monkeypatch):
    jig = Jig("lgpio", (GO,), None)
    named = r"no wire from GPIO22 \(pin 15\) through 1000 ohm to GPIO23 \(pin 16\)"
    with pytest.raises(pytest.skip.Exception, match=named):
        HilRig(monkeypatch, factory=Table([]), jig=jig)


def test_a_machine_that_is_no_pi_skips_and_names_the_wires(monkeypatch):
    monkeypatch.setattr(hil, "this_machine", lambda: Machine(None, ()))
    with pytest.raises(pytest.skip.Exception, match=r"no Raspberry Pi; on one, wire GPIO22 \(pin 15\)"):
        HilRig(monkeypatch, jig=Jig("lgpio", (GO,), None))


def test_with_its_wires_a_finger_is_heard_by_the_board(monkeypatch):
    monkeypatch.setattr(time, "sleep", lambda pause_s: None)
    rig = HilRig(monkeypatch, factory=Table([GO]), jig=Jig("lgpio", (GO,), None))
    try:
        rig.began()
        told = [Contact("go", closed, rig.drive("go", closed)) for closed in (True, False)]
        assert rig.agrees(rig.hear(5_000), told)
    finally:
        rig.close()


@pytest.mark.hil
@pytest.mark.parametrize("pitch_hz", [262, 1_047, 2_093])
def test_a_tone_on_the_kernels_pwm_has_its_pitch(monkeypatch, pitch_hz):
    """On a real Pi: the edges of half a second, counted by another line."""
    jig = load_jig()
    rig = HilRig(monkeypatch, jig=jig)
    edges = []
    ear = InputPins(rig.factory, [Line("ear", jig.tone.contact, "none")], edges.append)
    pwm = KernelPwm(jig.tone.finger)
    try:
        ear.claim()
        pwm.write(Note(pitch_hz, 5))
        time.sleep(0.5)
        pwm.write(Note(0, 0))
        if not edges:
            hil.missing(jig.tone)
        assert len(edges) / 2 / 0.5 == pytest.approx(pitch_hz, rel=0.02)
    finally:
        pwm.close()
        ear.close()
        rig.close()

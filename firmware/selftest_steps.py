"""What a self-test asks, part by part: what is shown meanwhile, what is said to the person, where to look if it fails.

Inputs come first, the main button before all others: it answers the questions about lights, display and buzzer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from firmware.agenda import MS, SECOND
from firmware.glyphs import can_show
from firmware.outputs import BLANK, Colour, Face, Look, Pattern, Tone
from firmware.tones import ICON_PITCHES_HZ
from wiring.model import Contact, Light, PressurePad, UnitWiring

COLOURS = (Colour.RED, Colour.GREEN, Colour.BLUE, Colour.WHITE)
LED_US = 200 * MS
ALL_US = 1_500 * MS
SEGMENT_US = 500 * MS
DIGIT_US = 400 * MS
TONE_US = 480 * MS
REST_US = 1 * SECOND
LOUDEST, MIDDLE = 5, 3
CUE = Look(Colour.WHITE, Pattern.SLOW_BLINK)
SINGLE_SEGMENTS = "‾’i_‚‘-"
"""The characters that light one segment each: a to g."""
SWEEP = tuple(f"sweep {number}" for number in range(1, len(ICON_PITCHES_HZ) + 1))
"""Tones for `tones.tune(name, SWEEP)`: each is higher than the one before, over the whole range of the icons."""


BEGINS = (Look(Colour.WHITE, Pattern.SLOW_BLINK), "tESt")
PASSED, FAILED = Look(Colour.GREEN, Pattern.SLOW_BLINK), Look(Colour.RED, Pattern.FAST_BLINK)


class Way(Enum):
    """How a step is answered."""

    PRESS = "press"  # a contact closes and opens
    MOVE = "move"  # a switch goes through its positions
    TURN = "turn"  # the wheel goes round
    SHOW = "show"  # a person says yes or no


class Picture(NamedTuple):
    """What is shown for a while. Lights that are not named are off."""

    lasts_us: int
    lights: Mapping[str, Look] = {}
    face: Face = BLANK
    tone: Tone | None = None


class Step(NamedTuple):
    """One thing to try: of which *part*, *what* of it, how it is answered, and what the person is asked."""

    part: str
    what: str
    way: Way
    ask: str
    advice: str
    pictures: tuple[Picture, ...]
    positions: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the table of results calls it."""
        return f"{self.part} {self.what}".rstrip()


def led_names(leds: int) -> tuple[str, ...]:
    """The names of single LEDs, as people count."""
    return tuple(f"led {number}" for number in range(1, leds + 1))


def single_leds(leds: int) -> tuple[Light, ...]:
    """Lights of one LED each, for a strip that is to show them singly."""
    return tuple(Light(name, (led,), {}) for led, name in enumerate(led_names(leds)))


def steps_of(
    wiring: UnitWiring, main: str, contacts: Sequence[str], switches: Mapping[str, Sequence[str]],
    lamps: Sequence[str], slots: int,
) -> tuple[Step, ...]:
    """Return the steps for a unit, in their order.

    *contacts* and *switches* are what the unit knows of, *lamps* the lights to go through one by one, *slots* those of
    the wheel.
    """
    found = (
        *_inputs(wiring, main, contacts), *_switches(wiring, switches), *_wheel(wiring, slots),
        *_strip(wiring, lamps), *_display(wiring), *_buzzer(wiring),
    )  # fmt: skip
    return tuple(found)


def announcement(lamps: Sequence[str]) -> Picture:
    """What says that a self-test begins: all lights blink white together, and the display says so."""
    look, text = BEGINS
    return Picture(SECOND, dict.fromkeys(lamps, look), Face(text))


def outcome(lamps: Sequence[str], failures: int) -> Picture:
    """What says how a self-test ended: all lights in one colour and rhythm, and on the display how much failed."""
    look, text = (FAILED, f"F{failures:>3}") if failures else (PASSED, "good")
    return Picture(SECOND, dict.fromkeys(lamps, look), Face(text))


def only(steps: Sequence[Step], parts: Collection[str]) -> tuple[Step, ...]:
    """Return the steps of *parts*; of all if none is named. Raises ValueError for a part that is not there."""
    there = dict.fromkeys(step.part for step in steps)
    if unknown := [part for part in parts if part not in there]:
        raise ValueError(f"there is no part '{unknown[0]}'; there are {', '.join(there)}")
    return tuple(step for step in steps if not parts or step.part in parts)


def _inputs(wiring: UnitWiring, main: str, contacts: Sequence[str]) -> Iterator[Step]:
    wired: dict[str, Contact | PressurePad] = {contact.name: contact for contact in wiring.contacts}
    wired.update((pad.name, pad) for pad in wiring.pressure_pads)
    lights = set(wiring.light_names)
    for name in sorted(contacts, key=lambda name: name != main):
        each = wired.get(name)
        cue = Picture(SECOND, {name: CUE} if name in lights else {}, Face(_short(name)))
        label = each.label if each is not None else name
        yield Step(name, "", Way.PRESS, f"Press the {_low(label)}, and let it go.", _input_advice(each), (cue,))


def _input_advice(each: Contact | PressurePad | None) -> str:
    if each is None:
        return "it is not in the wiring file"
    if isinstance(each, PressurePad):
        return f"look at the sensor on channel {each.channel}, then run pilelight calibrate"
    ground = f"ground, pin {each.ground_pin}" if each.ground_pin is not None else "ground"
    return f"look at the wires to GPIO{each.gpio} and {ground}"


def _switches(wiring: UnitWiring, switches: Mapping[str, Sequence[str]]) -> Iterator[Step]:
    wired = {switch.name: switch for switch in wiring.switches}
    for name, positions in switches.items():
        each = wired.get(name)
        label = _low(each.label) if each is not None else f"switch {name}"
        ask = f"Move the {label} to each of its positions: {', '.join(positions)}."
        lines = ", ".join(f"GPIO{gpio}" for gpio in each.closed.values()) if each is not None else "its lines"
        advice = f"look at the wires to {lines}"
        yield Step(name, "", Way.MOVE, ask, advice, (Picture(SECOND, {}, Face(_short(name))),), tuple(positions))


def _wheel(wiring: UnitWiring, slots: int) -> Iterator[Step]:
    if wiring.wheel is not None and slots:
        ask = "Turn the wheel clockwise, slowly, once round and a little more."
        advice = "look at the sensor's wires, and at the distance to its magnet"
        yield Step("wheel", "", Way.TURN, ask, advice, (Picture(SECOND, {}, Face("SPin")),))


def _strip(wiring: UnitWiring, lamps: Sequence[str]) -> Iterator[Step]:
    if wiring.lights is None:
        return
    wire = f"the data wire (GPIO{wiring.lights.data}), the level shifter, 5 V and ground"
    advice = f"look at {wire}; if colours are swapped, at order under [lights]"
    noun = "LEDs" if "led 1" in lamps else "lights"
    for colour in COLOURS:
        look = Look(colour)
        one_by_one = (Picture(LED_US, {lamp: look}, Face(str(number))) for number, lamp in enumerate(lamps, 1))
        together = Picture(ALL_US, dict.fromkeys(lamps, look))
        ask = f"Do the {len(lamps)} {noun} light up {colour.value}, one after the other, then all together?"
        yield Step("strip", colour.value, Way.SHOW, ask, advice, (*one_by_one, together))


def _display(wiring: UnitWiring) -> Iterator[Step]:
    if wiring.display is None:
        return
    chip = wiring.display.chip.upper()
    advice = f"look at the {chip}'s power and at its two wires; a segment that stays dark is the module's own fault"
    single = (Picture(SEGMENT_US, {}, Face(character * 4)) for character in SINGLE_SEGMENTS)
    ask = "Does each of the seven segments light up alone, on all four digits?"
    yield Step("display", "segments", Way.SHOW, ask, advice, tuple(single))
    digits = (Picture(DIGIT_US, {}, Face("8".rjust(digit).ljust(4))) for digit in range(1, 5))
    ask = "Does an 8 walk from the left to the right, then four of them stand together?"
    yield Step("display", "digits", Way.SHOW, ask, advice, (*digits, Picture(ALL_US, {}, Face("8888"))))


def _buzzer(wiring: UnitWiring) -> Iterator[Step]:
    if wiring.buzzer is None:
        return
    advice = f"look at the wire to GPIO{wiring.buzzer.gpio}, and whether the piezo is a passive one"
    sweep = (Picture(TONE_US, tone=Tone(name, MIDDLE)) for name in SWEEP)
    ask = f"Do you hear {len(SWEEP)} tones, each higher than the one before?"
    yield Step("buzzer", "tones", Way.SHOW, ask, advice, (*sweep, Picture(REST_US)))
    louder = (Picture(TONE_US, {}, Face(str(volume)), Tone("beep", volume)) for volume in range(1, LOUDEST + 1))
    ask = f"Do you hear {LOUDEST} beeps, each louder than the one before?"
    yield Step("buzzer", "volumes", Way.SHOW, ask, advice, (*louder, Picture(REST_US)))


def _low(label: str) -> str:
    """A label inside a sentence: `Pile pad 1` is written small, `GO button` is not."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def _short(name: str) -> str:
    """A name for four digits: `go` is `go`, `pile2` is `P  2`; blank if seven segments cannot show it."""
    letters = name.rstrip("0123456789")
    number = name[len(letters) :]
    text = f"{letters[:1].upper()}{number:>3}" if number else name[:4]
    return text if can_show(text) else ""

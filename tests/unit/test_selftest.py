"""A maker has soldered the last wire, and walks through the parts: what is asked, what counts as an answer."""

import random
from pathlib import Path

import pytest

from firmware.chart import After
from firmware.charts import drawings
from firmware.selftest import HOLD_FOR_NO_US, PAUSE_US, SelfTest
from firmware.selftest_steps import SWEEP, Step, Way, led_names, only, steps_of
from firmware.selftest_walk import CHART, OVER, Verdict
from firmware.tones import tune
from firmware.units import UNITS
from hal.ports import Answered, Battery, Broke, Contact, Mended, Moved, Seeded, WheelAt
from tests.desk import make_unit
from wiring.load import load_unit, unit_names

SECOND = 1_000_000
TAP_US = 100_000
ROOT = Path(__file__).resolve().parents[2]


class Maker:
    """Somebody with a unit before them, its self-test running; `asked` is the last thing that was asked."""

    def __init__(self, unit="triple-play", parts=(), wiring=None, within_us=None, singly=False):
        core = make_unit(unit)
        wired = wiring or load_unit(unit)
        main = core.kind.main.contacts[0]
        lamps = led_names(wired.lights.leds) if singly else core.lights
        slots = core.kind.slots(core.rules)
        steps = steps_of(wired, main, list(core.contacts), core.switches, lamps, slots)
        self.test = SelfTest(only(steps, parts), list(core.contacts), main, (*lamps, *core.lights), slots=slots,
                             within_us=within_us)
        self.now_us = 0
        self.asked, self.moments = None, []
        self._see(self.test.tick(0))

    def _see(self, moments):
        self.moments += moments
        for moment in moments:
            for event in moment.events:
                if event["event"] == "self-test":
                    self.asked = event["ask"]

    def wait(self, for_us=PAUSE_US):
        self.now_us += for_us
        self._see(self.test.tick(self.now_us))

    def give(self, kind, *what, after_us=0, **more):
        self.now_us += after_us
        self._see(self.test.feed(kind(*what, self.now_us, **more)))

    def tap(self, name, for_us=TAP_US):
        self.give(Contact, name, True)
        self.give(Contact, name, False, after_us=for_us)
        self.wait()

    def say(self, word):
        self.give(Answered, word)
        self.wait()

    @property
    def results(self):
        """The results as (name, verdict, detail)."""
        return [(result.step.name, result.verdict.value, result.detail) for result in self.test.walk.results]


# -- a walk from beginning to end ------------------------------------------------------------------------------------


def test_a_unit_that_is_built_well_passes_part_by_part():
    maker = Maker(singly=True)
    maker.wait()
    asked = []
    for act in (
        lambda: maker.tap("go"), lambda: maker.tap("pile1"), lambda: maker.tap("pile2"), lambda: maker.tap("pile3"),
        lambda: [maker.give(Moved, "power", to) for to in ("on", "off")],
        lambda: [maker.give(Moved, "timer", to) for to in ("on", "off")],
        *[lambda: maker.tap("go")] * 4, lambda: maker.say("yes"), *[lambda: maker.tap("go")] * 3,
    ):  # fmt: skip
        asked.append(maker.asked)
        act()
        maker.wait()
    assert asked == [
        "Press the GO button, and let it go.",
        "Press the pile pad 1, and let it go.",
        "Press the pile pad 2, and let it go.",
        "Press the pile pad 3, and let it go.",
        "Move the power switch to each of its positions: off, on.",
        "Move the timer switch to each of its positions: off, on.",
        "Do the 21 LEDs light up red, one after the other, then all together?",
        "Do the 21 LEDs light up green, one after the other, then all together?",
        "Do the 21 LEDs light up blue, one after the other, then all together?",
        "Do the 21 LEDs light up white, one after the other, then all together?",
        "Does each of the seven segments light up alone, on all four digits?",
        "Does an 8 walk from the left to the right, then four of them stand together?",
        "Do you hear 12 tones, each higher than the one before?",
        "Do you hear 5 beeps, each louder than the one before?",
    ]
    assert maker.test.over
    assert {(verdict, detail) for _, verdict, detail in maker.results} == {("ok", "")}
    over = maker.moments[-1].events[0]
    assert (over["event"], over["failed"], over["of"]) == ("self-test-over", 0, 14)
    assert over["parts"] == {step.name: ["ok", ""] for step in maker.test.walk.steps}
    assert maker.moments[-1].states == []


@pytest.mark.parametrize("name", unit_names())
def test_every_part_of_every_wiring_is_asked_for(name):
    wired = load_unit(name)
    core = make_unit(wired.unit)
    main = core.kind.main.contacts[0]
    steps = steps_of(wired, main, list(core.contacts), core.switches, core.lights, core.kind.slots(core.rules))
    there = [*wired.input_names, *(switch.name for switch in wired.switches)]
    there += [part for part in ("wheel", "display", "buzzer") if getattr(wired, part) is not None]
    there += ["strip"] if wired.lights is not None else []
    assert {step.part for step in steps} == set(there)
    assert steps[0].part == main, "what answers the questions is tried first"
    assert all(step.ask and step.advice and step.pictures for step in steps)


def test_only_some_parts_and_one_that_is_not_there():
    maker = Maker(parts=("buzzer", "pile2"))
    assert [step.name for step in maker.test.walk.steps] == ["pile2", "buzzer tones", "buzzer volumes"]
    with pytest.raises(ValueError, match=r"there is no part 'wheel'; there are go, pile1, pile2, pile3, power, timer"):
        Maker(parts=("wheel",))


def test_with_pads_that_feel_pressure_the_converter_is_named():
    maker = Maker(wiring=load_unit("triple-play-fsr"), parts=("pile2",))
    advice = maker.test.walk.steps[0].advice
    assert advice == "look at the sensor on channel 1, then run pilelight calibrate"


def test_a_unit_without_display_and_buzzer_is_not_asked_for_them():
    bare = load_unit("master")._replace(display=None, buzzer=None)
    maker = Maker("master", wiring=bare)
    assert [step.part for step in maker.test.walk.steps] == ["timer", "speed", "strip", "strip", "strip", "strip"]


# -- buttons and pads ------------------------------------------------------------------------------------------------


def test_a_pad_must_open_again():
    maker = Maker(parts=("pile2",))
    maker.wait()
    maker.give(Contact, "pile2", True)
    maker.wait(5 * SECOND)
    assert maker.results == []
    maker.give(Contact, "pile2", False)
    maker.wait()
    assert maker.results == [("pile2", "ok", "")]
    assert maker.test.walk.results[0].seconds == pytest.approx(5)


def test_bounces_are_counted_and_are_no_second_press():
    maker = Maker(parts=("go", "pile1"))
    maker.wait()
    for closed in (True, False, True, False, True):
        maker.give(Contact, "go", closed, after_us=1_000)
    for closed in (False, True, False):
        maker.give(Contact, "go", closed, after_us=40_000 if closed is False else 1_000)
    maker.wait()
    maker.wait()
    assert maker.results == [("go", "ok", "bounced 3 times")]
    assert maker.asked == "Press the pile pad 1, and let it go."


def test_crossed_wires_are_seen():
    """The maker presses pile 2, and what closes is pile 3."""
    maker = Maker(parts=("pile2",))
    maker.wait()
    maker.tap("pile3")
    assert maker.results == []
    maker.say("no")
    assert maker.results == [("pile2", "failed", "somebody said no; instead closed: pile3")]


@pytest.mark.parametrize("first, second", [("pile2", "pile3"), ("pile3", "pile2")])
def test_wires_that_touch_are_seen_whichever_closes_first(first, second):
    maker = Maker(parts=("pile2",))
    maker.wait()
    maker.give(Contact, first, True)
    maker.give(Contact, second, True, after_us=20)
    maker.give(Contact, first, False, after_us=TAP_US)
    maker.give(Contact, second, False)
    maker.wait()
    assert maker.results == [("pile2", "failed", "pile3 closed with it: do their wires touch?")]


def test_a_pad_that_is_closed_from_the_start():
    """A short to ground is no press; a hand that lets go is forgiven."""
    maker = Maker(parts=("pile1", "pile2"))
    for pad in ("pile1", "pile2"):
        maker.give(Contact, pad, True, at_start=True)
    maker.wait()
    maker.give(Contact, "pile1", False)
    maker.wait()
    assert maker.results == [], "letting go is no press"
    maker.tap("pile1")
    maker.wait()
    maker.say("no")
    assert maker.results == [
        ("pile1", "ok", ""),
        ("pile2", "failed", "somebody said no; it is closed since the start: a wire to ground, or held down"),
    ]


def test_to_say_yes_is_not_to_press():
    maker = Maker(parts=("pile1",))
    maker.wait()
    maker.say("yes")
    assert maker.results == [] and not maker.test.over


# -- switches and the wheel ------------------------------------------------------------------------------------------


def test_a_switch_must_reach_every_position():
    maker = Maker("master", parts=("speed",))
    maker.give(Moved, "speed", "6")
    maker.wait()
    maker.give(Moved, "speed", "8")
    maker.give(Moved, "speed", "4")
    assert maker.results == [], "6 is where it stood, but it has not been moved there yet"
    maker.give(Moved, "speed", "6")
    assert maker.results == [("speed", "ok", "")]


def test_a_switch_whose_line_is_broken():
    maker = Maker("master", parts=("speed",))
    maker.wait()
    maker.give(Moved, "speed", "8")
    maker.give(Moved, "power", "on")
    maker.say("no")
    assert maker.results == [("speed", "failed", "somebody said no; seen: 8")]


def turn(maker, slots):
    for slot in slots:
        maker.give(WheelAt, slot % 36, after_us=20_000)


def test_a_wheel_that_goes_round():
    maker = Maker("spin", parts=("wheel",))
    maker.give(WheelAt, 30)
    maker.wait()
    turn(maker, [31, 30, *range(31, 66)])
    assert maker.results == []
    turn(maker, [66])
    assert maker.results == [("wheel", "ok", "all 36 slots seen")]


def test_a_wheel_that_counts_backwards():
    maker = Maker("spin", parts=("wheel",))
    maker.wait()
    turn(maker, range(40, 0, -1))
    assert maker.results == [
        ("wheel", "failed", "it counts backwards: turn reversed under [wheel] into its opposite")]


def test_a_wheel_with_a_magnet_too_few():
    maker = Maker("spin", parts=("wheel",))
    maker.wait()
    turn(maker, [slot for slot in range(80) if slot % 36 not in (8, 9)])
    maker.say("no")
    assert maker.results == [("wheel", "failed", "somebody said no; 34 of 36 slots seen")]


# -- what a person sees and hears ------------------------------------------------------------------------------------


def test_held_for_a_second_the_button_says_no_and_its_release_says_nothing():
    maker = Maker(parts=("buzzer",))
    maker.wait()
    maker.give(Contact, "go", True)
    maker.wait(HOLD_FOR_NO_US)
    maker.wait()
    assert maker.results == [("buzzer tones", "failed", "somebody said no")]
    assert maker.asked == "Do you hear 5 beeps, each louder than the one before?"
    maker.give(Contact, "go", False)
    maker.wait()
    assert len(maker.results) == 1
    maker.tap("go")
    assert maker.results[1] == ("buzzer volumes", "ok", "")


def test_a_contact_in_doubt_does_not_say_no():
    """Opened just before the second is over: that was a tap."""
    maker = Maker(parts=("buzzer",))
    maker.wait()
    maker.give(Contact, "go", True)
    maker.give(Contact, "go", False, after_us=HOLD_FOR_NO_US - 10_000)
    maker.wait()
    assert maker.results == [("buzzer tones", "ok", "")]


def test_a_contact_that_bounces_through_the_second_still_says_no():
    maker = Maker(parts=("buzzer",))
    maker.wait()
    maker.give(Contact, "go", True)
    maker.give(Contact, "go", False, after_us=HOLD_FOR_NO_US - 10_000)
    maker.give(Contact, "go", True, after_us=20_000)
    assert maker.results == [("buzzer tones", "failed", "somebody said no")]


def test_other_buttons_do_not_answer():
    maker = Maker(parts=("buzzer",))
    maker.wait()
    maker.tap("pile1")
    assert maker.results == []


def test_what_is_typed():
    maker = Maker(parts=("strip",))
    maker.wait()
    for word in ("yes", "no", "skip", "yes"):
        maker.say(word)
        maker.wait()
    assert maker.results == [
        ("strip red", "ok", ""), ("strip green", "failed", "somebody said no"), ("strip blue", "skipped", ""),
        ("strip white", "ok", ""),
    ]  # fmt: skip


def test_each_result_is_heard():
    """C-17: a good one as an accepted press, a bad one as a refused one."""
    maker = Maker(parts=("pile1", "pile2"))
    maker.wait()
    maker.tap("pile1")
    maker.wait()
    maker.say("no")
    told = [(event["part"], event["verdict"], [tone.name for tone in moment.tones])
            for moment in maker.moments for event in moment.events if event["event"] == "tested"]
    assert told == [("pile1", "ok", ["beep"]), ("pile2", "failed", ["denied"])]


def test_the_pad_that_is_asked_for_is_shown():
    maker = Maker(parts=("pile2",))
    maker.wait()
    assert {light: str(look) for light, look in maker.moments[-1].lights.items()} == {"pile2": "white slow-blink"}
    assert maker.moments[-1].face.text == "P  2"
    maker.tap("pile2")
    lights, faces = {}, []
    for moment in maker.moments:
        lights.update(moment.lights or {})
        faces += [moment.face.text] if moment.face is not None else []
    assert {str(look) for look in lights.values()} == {"off"} and faces == ["P  2", ""]


def test_between_two_steps_everything_is_dark():
    maker = Maker(parts=("strip",))
    maker.wait()
    maker.wait(300_000)
    maker.say("yes")
    shown = {}
    for moment in maker.moments[:-1]:
        shown.update(moment.lights or {})
    assert {str(look) for look in shown.values()} == {"off"}


# -- parts that fail -------------------------------------------------------------------------------------------------


def test_a_part_that_is_broken_is_not_asked_for():
    maker = Maker(parts=("display", "buzzer"))
    maker.give(Broke, "display", "no answer at 0x70")
    maker.give(Battery, True)
    maker.give(Seeded, 7)
    for _ in range(3):
        maker.wait()
    assert maker.results == [
        ("display segments", "failed", "no answer at 0x70"), ("display digits", "failed", "no answer at 0x70")]
    assert maker.asked.startswith("Do you hear 12 tones")


def test_a_part_that_breaks_while_it_is_tried_and_one_that_is_back():
    maker = Maker(parts=("strip",))
    maker.wait()
    maker.give(Broke, "display", "not the one that is tried")
    maker.give(Broke, "strip", "a frame does not leave")
    maker.give(Mended, "strip")
    maker.wait()
    maker.tap("go")
    assert maker.results == [("strip red", "failed", "a frame does not leave"), ("strip green", "ok", "")]


# -- on a jig --------------------------------------------------------------------------------------------------------


def test_on_a_jig_what_gets_no_answer_in_time_has_failed():
    maker = Maker(parts=("pile1", "timer", "buzzer"), within_us=2 * SECOND)
    maker.wait()
    maker.give(Contact, "pile1", True)
    maker.wait(60 * SECOND)
    assert maker.test.over
    assert maker.results == [
        ("pile1", "failed", "it closes, but does not open again"),
        ("timer", "failed", "no answer in time; seen: no position"),
        ("buzzer tones", "failed", "no answer in time"),
        ("buzzer volumes", "failed", "no answer in time"),
    ]
    assert [result.seconds for result in maker.test.walk.results] == [2, 2, 2, 2]


def test_with_a_person_nothing_runs_out():
    maker = Maker(parts=("pile1", "buzzer"))
    maker.wait(3_600 * SECOND)
    assert maker.results == [] and maker.asked == "Press the pile pad 1, and let it go."


# -- the chart -------------------------------------------------------------------------------------------------------


def test_the_chart_is_sound():
    assert CHART.lint(endings=[OVER]) == []
    assert {row.trigger.setting for row in CHART.rows if isinstance(row.trigger, After)} == {
        "announcement", "pause", "patience"}


def test_the_chart_is_drawn_with_the_others():
    assert drawings()["self-test.md"].startswith("<!-- Drawn by `pilelight charts`")
    assert (ROOT / "docs/charts/self-test.md").read_text() == drawings()["self-test.md"]


@pytest.mark.parametrize("unit", UNITS)
def test_whatever_happens_in_whatever_order_the_walk_comes_to_its_end(unit):
    """A careless hand: no error, time never goes back, one result a step, in order."""
    hand = random.Random(f"a careless hand on {unit}")
    maker = Maker(unit, within_us=SECOND)
    core = make_unit(unit)
    inputs = [Contact(name, closed, 0, at_start) for name in core.contacts for closed in (True, False)
              for at_start in (False, closed)]
    inputs += [Moved(switch, to, 0) for switch, places in core.switches.items() for to in places]
    inputs += [Answered(word, 0) for word in ("yes", "no", "skip")] + [WheelAt(slot, 0) for slot in (0, 1, 35)]
    inputs += [kind(part, *why, 0) for part in core.parts for kind, why in ((Broke, ("gone",)), (Mended, ()))]
    last_us = 0
    while not maker.test.over:
        given = hand.choice(inputs)
        at_us = maker.test.now_us + hand.randrange(60_000)
        for moment in maker.test.feed(given._replace(at_us=at_us)):
            assert last_us <= moment.at_us <= at_us
            last_us = moment.at_us
    walk = maker.test.walk
    assert [result.step for result in walk.results] == list(walk.steps)
    assert maker.test.deadline_us is None or maker.test.deadline_us > last_us


def test_the_sweep_rises_all_the_way():
    tops = [tune(name, SWEEP)[-1].pitch_hz for name in SWEEP]
    assert tops == sorted(set(tops)) and len(tops) == 12


def test_a_step_that_was_never_reached_is_not_forgotten():
    maker = Maker(parts=("pile1", "pile2"))
    maker.wait()
    maker.tap("pile1")
    assert [result.verdict for result in maker.test.walk.all_results] == [Verdict.OK, Verdict.UNTRIED]


def test_a_step_says_what_it_is():
    assert Step("go", "", Way.PRESS, "", "", ()).name == "go"
    assert Step("strip", "red", Way.SHOW, "", "", ()).name == "strip red"

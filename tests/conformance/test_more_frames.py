"""What the strip is sent: `--frames` (docs/spec/bench.md; C-18, C-19, C-20, C-21 in docs/spec/common.md)."""

import signal
import subprocess
import threading
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from bench_client import SEED, WALL, Bench, Result, arguments, plus, run_script
from rounds import PILES, settled

UNIT = "triple-play"
WIRING = Path(__file__).resolve().parents[2] / "wiring" / "units"
GAME = ['{"t": 0, "switch": "timer", "to": "on"}', '{"t": 0, "switch": "power", "to": "on"}',
        '{"t": 1, "tap": "go"}', '{"t": 3, "tap": "go"}', '{"t": 5, "tap": "pile1"}', '{"t": 6, "press": "pile2"}',
        '{"t": 9, "release": "pile2"}', '{"t": 10, "tap": "go"}', '{"t": 12, "tap": "pile1"}', '{"t": 14, "tap": "go"}',
        '{"t": 30, "tap": "pile3"}', '{"t": 31, "tap": "go"}', '{"t": 32, "run": true}']


def frames(outputs):
    """Return (t, bytes) of every frame."""
    return [(o["t"], bytes.fromhex(o["frame"])) for o in outputs if "frame" in o]


def play(unit=UNIT, lines=GAME, **more):
    """Run a script with --frames; all outputs."""
    result = run_script(unit, lines, args=["--frames"], **more)
    assert result.status == 0
    return result.lines[1:]


def test_a_frame_only_when_its_bytes_change():
    """BENCH each frame differs from the one before; all have the strip's length; times never go back."""
    shown = frames(play())
    assert len(shown) > 50
    assert len({len(data) for _, data in shown}) == 1 and len(shown[0][1]) % 3 == 0
    assert all(a != b for (_, a), (_, b) in pairwise(shown))
    assert [t for t, _ in shown] == sorted(t for t, _ in shown)


def test_frames_change_nothing_else():
    """BENCH with and without --frames all other outputs are the same."""
    with_frames = [line for line in play() if "frame" not in line]
    assert with_frames == run_script(UNIT, GAME).lines[1:]
    assert not frames(run_script(UNIT, GAME).lines)


def test_steady_lights_send_nothing():
    """BENCH C-18 white piles and green counters do not move: no frame for a minute."""
    with Bench(UNIT, args=["--frames"], settings=settled()) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        assert frames(b.outputs) and any(frames(b.outputs)[-1][1])
        assert b.run_for(60) == []


def test_a_flash_is_on_and_off_four_times_a_second():
    """C-18 BENCH ready: the blue counters are on and off four times in every second."""
    with Bench(UNIT, args=["--frames"]) as b:
        b.power_on()
        b.tap("go", 1)
        b.run_until(2)
        shown = frames(b.run_until(5))
        dark = [t for (t, data) in shown if not any(data)]
        assert len(dark) == 12, f"dark {len(dark)} times in 3 s"
        lit = [data for _, data in shown if any(data)]
        assert len(set(lit)) == 1 and len(lit) == 12


@pytest.mark.parametrize("presses, a_second", [(2, 1), (4, 3)])
def test_levels_differ_in_their_pattern(presses, a_second):
    """C-18 TP-9 limit 6: yellow goes out once a second, red three times."""
    with Bench(UNIT, args=["--frames"], settings=settled(6)) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        b.fill(1, 1)
        b.run_for(1)
        green = frames(b.outputs)[-1][1]
        b.fill(1, presses)
        b.run_for(1)
        assert b.lights["counter1"] == {1: "yellow slow-blink", 3: "red fast-blink"}[a_second]
        shown = [data for _, data in frames(b.run_for(4))]
        least = min(shown, key=sum)
        assert shown.count(least) == 4 * a_second
        assert green not in shown


def test_the_strip_is_sent_nothing_while_it_is_broken():
    """C-20 BENCH no frame from the fault to the mend; then the present one in full."""
    with Bench(UNIT, args=["--frames"]) as b:
        b.power_on()
        b.break_part("strip", "errno 5", 1)
        assert not frames(b.tap("go", 2) + b.run_until(5))
        assert any(any(data) for _, data in frames(b.mend("strip") + b.run_until(6)))


@pytest.mark.parametrize("how", ["power off", "sleep"])
def test_dark_is_all_zero(how):
    """C-1 C-6 off and asleep are dark to the last byte, and stay so."""
    with Bench(UNIT, args=["--frames"]) as b:
        b.start_round()
        b.run_for(2)
        if how == "power off":
            b.power_off()
        b.run_for(200)
        assert b.state in ("off", "asleep")
        last_t, last = frames(b.outputs)[-1]
        assert not any(last) and last_t < plus(b.now, -50)


def party_lines():
    """Return a Party script with every look of its ring."""
    lines = ['{"t": 0, "switch": "power", "to": "on"}', '{"t": 1, "tap": "reverse"}', '{"t": 2, "press": "go"}',
             '{"t": 3.5, "release": "go"}']
    names = ("next", "go", "next", "go", "reverse", "go")
    return [*lines, *(f'{{"t": {n + 4}, "tap": "{name}"}}' for n, name in enumerate(names)), '{"t": 20, "run": true}']


def spin_lines():
    """Return a Spin script: a full turn to each of three icons, and a virtual spin."""
    lines = ['{"t": 0, "wheel": 1}', '{"t": 0, "switch": "power", "to": "on"}']
    slots = [n % 36 for n in range(1, 140)]
    lines += [f'{{"t": {1 + n / 20 + n // 45 * 2:g}, "wheel": {slot}}}' for n, slot in enumerate(slots)]
    return [*lines, '{"t": 40, "tap": "go"}', '{"t": 41, "tap": "go"}', '{"t": 50, "run": true}']


@pytest.mark.parametrize("unit, lines, settings", [
    ("triple-play", GAME, settled(2)),
    ("master", ['{"t": 1, "tap": "timer"}', '{"t": 2, "tap": "timer"}', '{"t": 20, "run": true}'], {}),
    ("party", party_lines(), {"party.players": 16}),
    ("spin", spin_lines(), {}),
])
def test_no_frame_draws_more_than_the_supply_gives(unit, lines, settings):
    """C-19 the current of each frame, by the numbers of the wiring file, is within its max_ma."""
    light = tomllib.loads((WIRING / f"{unit}.toml").read_text(encoding="utf-8"))["lights"]
    per_channel, idle, limit = light.get("ma_per_channel", 20), light.get("ma_idle", 1), light["max_ma"]
    shown = frames(play(unit, lines, settings=settings))
    assert len(shown) > 3
    for t, data in shown:
        drawn = sum(data) * per_channel / 255 + idle * len(data) // 3
        assert drawn <= limit, f"{drawn:.0f} mA of {limit} at {t}"


@pytest.mark.parametrize("unit, lines", [("triple-play", GAME), ("party", party_lines()), ("spin", spin_lines())])
def test_brightness_scales_the_frames_and_nothing_else(unit, lines):
    """C-24 half the light: the same times, the same LEDs lit, half of each byte; all other outputs are the same."""
    full, half = (play(unit, lines, settings={"common.brightness": share}) for share in (1, 0.5))
    assert [o for o in half if "frame" not in o] == [o for o in full if "frame" not in o]
    assert full == play(unit, lines), "1 is the default"
    bright, dim = frames(full), frames(half)
    assert [t for t, _ in dim] == [t for t, _ in bright]
    for (t, big), (_, small) in zip(bright, dim, strict=True):
        assert [byte > 0 for byte in small] == [byte > 0 for byte in big], t
        limit = max(big)        # where the supply bounds the bright frame, the dim one may have more than half of it
        assert all(abs(byte - other / 2) <= 1 or limit < 200 for byte, other in zip(small, big, strict=True)), t


def test_colour_patterns_change_the_frames_and_nothing_else():
    """C-25 each colour has LEDs of its own: other frames, at the same times, and no other output differs."""
    plain, signs = (play(settings={"common.colour_patterns": on}) for on in (False, True))
    assert [o for o in signs if "frame" not in o] == [o for o in plain if "frame" not in o]
    assert plain == play(), "off by default"
    assert [t for t, _ in frames(signs)] == [t for t, _ in frames(plain)]
    pairs = [(few, all_) for (_, few), (_, all_) in zip(frames(signs), frames(plain), strict=True)]
    assert all(not byte or other for few, all_ in pairs for byte, other in zip(few, all_, strict=True))
    assert any(few != all_ for few, all_ in pairs)


@pytest.mark.parametrize("taps", [1, 2])
def test_a_stop_leaves_the_strip_dark(taps):
    """C-21 SIGTERM: the last frame is all 00, exit status 0, while the input is still open."""
    process = subprocess.Popen(arguments(UNIT, SEED, args=["--frames"]), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    alarm = threading.Timer(WALL, process.kill)
    alarm.start()
    try:
        lines = ['{"t": 0, "switch": "power", "to": "on"}', *(f'{{"t": {n + 1}, "tap": "go"}}' for n in range(taps)),
                 f'{{"t": {taps + 2}, "run": true}}']
        process.stdin.write("\n".join([*lines, ""]).encode())
        process.stdin.flush()
        said = [process.stdout.readline()]
        while b'"ok": %d' % len(lines) not in said[-1].replace(b'"ok":', b'"ok": ').replace(b"  ", b" "):
            said.append(process.stdout.readline())
            assert said[-1], "the bench ended before it was stopped"
        process.send_signal(signal.SIGTERM)
        said += process.stdout.read().splitlines()
        status = process.wait()
    finally:
        alarm.cancel()
        process.stdin.close()
        process.stdout.close()
    shown = frames(Result(status, b"\n".join(line.strip() for line in said), b"", 0).lines)
    assert status == 0 and any(any(data) for _, data in shown) and not any(shown[-1][1])


def test_a_pile_light_is_seen_in_the_frame():
    """BENCH C-18 a pile that goes dark, and nothing else, changes the frame."""
    with Bench(UNIT, args=["--frames"], settings=settled()) as b:
        start = b.start_round()
        b.run_until(plus(start, 2))
        before = frames(b.outputs)[-1][1]
        seen = {before}
        for pile in PILES[:2]:
            (_, data), = frames(b.break_part(pile, "cable"))
            seen.add(data)
        assert len(seen) == 3

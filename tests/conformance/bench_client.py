"""A small client of the bench protocol (docs/spec/bench.md). Standard library only.

    with Bench("triple-play", settings={"triple_play.turn_seconds": 6}) as b:
        start = b.start_round(timer=True)               # power, go, go
        answer = b.tap(f"pile{b.lit_piles()[0]}")       # or simply b.play()
        assert answer.event("played")["count"] == 1
        answer = b.run_until(plus(start, 6.5))
        assert b.count("timeout") == 1 and b.display == "6"

The command under test is taken from the environment variable PILELIGHT_BENCH, by default `python -m firmware bench` of
this checkout; the seed from PILELIGHT_SEED, by default 1. Times are seconds rounded to the microsecond, so `==` is safe
when the expected value went through `plus()`.

Bench(unit, seed=1, settings={}, args=(), state=None, env=None), a context manager
    inputs      press release tap (name, at=None), hold(name, seconds, at=None), bounce(name, offsets, at=None),
                switch(name, to), wheel(slot), battery(level), break_part(part, why), mend(part), run_until(t),
                run_for(seconds), send(raw line, may_refuse=True for a line that must be refused).
                Each sends one line (hold, bounce: several), reads up to its `ok`, returns the outputs as an Answer.
                `at` is the time of the line, by default `now`.
    now         time of the last answer          header    the first line of the bench
    lights      {name: look}, the present looks  display, pattern, state   what is shown and reported at present
    events      all events so far                tones     all tones so far (lists of dicts with `t`)
    outputs     everything so far, an Answer     announced what the last event `turn` lit
    sent, refusals, slot, closed, status         lines sent, refused lines, wheel slot, contacts down, exit status
    count(name), events_named(name), last_event(name), dark()
    close()     end of input; the exit status    kill()    SIGKILL
    reborn(**changes)   kills; a new Bench on the same state folder, to be entered with `with`
    transcript()        the command and the last 30 protocol lines (added to every failure inside `with`)
  Triple Play   power_on(timer=False) power_off() start_round(timer=False) lit_piles() unlit_piles() play(pile=None)
                clear(pile=None) bring(pile) fill(pile, times) next_turn_with_unlit()
  Master        master_on(speed="6") master_run(speed="6")
  Spin          spin_on(slot=1) turn_wheel(slots, step=0.02)
Answer, a list of outputs, oldest first
    events(name=None) event(name) tones() states() displays() looks(light) when(**fields)   .refused
run_script(unit, lines, ...) feeds a whole script: Result with status stdout stderr seconds lines header oks refusals
    outputs
functions       plus soon stamp line_of arguments command kind_of chi_square check_look check_stream check_order
constants       SEED WALL (real seconds before a silent product has failed) TAIL SLACK KINDS COLOURS PATTERNS
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shlex
import subprocess
import sys
import threading
import time
from collections import deque
from typing import Self

SEED = int(os.environ.get("PILELIGHT_SEED", "1"))    # every case must hold for every seed
WALL = 10.0         # real seconds after which a silent product has failed
TAIL = 30           # protocol lines shown with a failure
SLACK = 0.1         # virtual seconds granted where debouncing or the wording leaves the exact moment open
TAP_DOWN = 0.1      # a `tap` line opens the contact after this time ...
TAP_ANSWER = 0.15   # ... and its answer covers this much
KINDS = ("event", "state", "lights", "display", "tone")     # the order within one moment
COLOURS = {"white", "red", "yellow", "green", "blue", "purple"}
PATTERNS = {"flash", "slow-blink", "fast-blink", "fade", "chase", "chase-back"}


class BenchError(AssertionError):
    """The product broke the protocol, hung or died."""


def command() -> list[str]:
    given = os.environ.get("PILELIGHT_BENCH")
    return shlex.split(given) if given else [sys.executable, "-m", "firmware", "bench"]


def arguments(unit, seed=None, settings=None, args=()) -> list[str]:
    line = [*command(), unit]
    if seed is not None:
        line += ["--seed", str(seed)]
    for name, value in (settings or {}).items():
        line += ["--set", f"{name}={json.dumps(value, separators=(',', ':'))}"]
    return line + [str(a) for a in args]


def plus(t: float, seconds: float) -> float:
    """t + seconds, to the microsecond."""
    return round(t + seconds, 6)


def soon(t: float, wanted: float, slack: float = SLACK) -> bool:
    """True when t is `wanted` or at most `slack` later (a microsecond of rounding is forgiven)."""
    return wanted - 2e-6 <= t <= wanted + slack + 2e-6


def stamp(t: float) -> str:
    """A time as the protocol writes it: at most six digits, no exponent."""
    text = f"{t:.6f}".rstrip("0").rstrip(".")
    return text if text not in ("", "-0") else "0"


def line_of(t: float, **fields) -> str:
    """One input line; `break_` stands for the keyword `break`."""
    body = json.dumps({name.rstrip("_"): value for name, value in fields.items()})
    return '{"t": ' + stamp(t) + ", " + body[1:]


def kind_of(output: dict) -> str | None:
    return next((k for k in KINDS if k in output), None)


def chi_square(observed, odds) -> float:
    """Pearson's statistic of counts against odds (any scale)."""
    total, scale = sum(observed), sum(odds)
    return sum((o - total * p / scale) ** 2 / (total * p / scale) for o, p in zip(observed, odds, strict=True))


class Answer(list):
    """The outputs that one input line brought, oldest first."""

    refused: str | None = None

    def __add__(self, more) -> Answer:
        return Answer([*self, *more])

    def events(self, name=None) -> list[dict]:
        return [o for o in self if "event" in o and name in (None, o["event"])]

    def event(self, name) -> dict:
        found = self.events(name)
        assert len(found) == 1, f"expected one event {name!r}, got {len(found)} in {list(self)}"
        return found[0]

    def tones(self) -> list[str]:
        return [o["tone"] for o in self if "tone" in o]

    def states(self) -> list[str]:
        return [o["state"] for o in self if kind_of(o) == "state"]     # `resumed` names a state, too

    def displays(self) -> list[tuple[float, str]]:
        return [(o["t"], o["display"]) for o in self if "display" in o]

    def looks(self, light) -> list[tuple[float, str]]:
        return [(o["t"], o["lights"][light]) for o in self if "lights" in o and light in o["lights"]]

    def when(self, **wanted) -> float:
        """The time of the one output that has all the given fields."""
        found = [o for o in self if all(o.get(k) == v for k, v in wanted.items())
                 and ("state" not in wanted or "event" in wanted or kind_of(o) == "state")]
        assert len(found) == 1, f"expected one output with {wanted}, got {len(found)} in {list(self)}"
        return found[0]["t"]


class Bench:
    """One process of the bench, driven line by line."""

    def __init__(self, unit, seed=SEED, settings=None, args=(), state=None, env=None):
        self.unit = unit
        self._made_of = {"unit": unit, "seed": seed, "settings": settings, "args": args, "state": state, "env": env}
        extra = list(args) + (["--state", str(state)] if state is not None else [])
        self.argv = arguments(unit, seed, settings, extra)
        self.env = {**os.environ, **(env or {})}
        self.now = 0.0
        self.sent = 0
        self.state = "off"
        self.lights: dict[str, str] = {}
        self.display, self.pattern = "", None
        self.slot = 0
        self._turn_at = -1.0
        self.announced: list[int] = []      # what the last turn lit
        self.closed: set[str] = set()       # contacts that are down
        self.outputs = Answer()
        self.refusals: list[dict] = []
        self.status: int | None = None
        self._tail: deque[str] = deque(maxlen=TAIL)
        self._errors: deque[str] = deque(maxlen=TAIL)
        self._lines: queue.Queue[bytes | None] = queue.Queue()

    # -- the process

    def __enter__(self) -> Self:
        try:
            self._process = subprocess.Popen(self.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             stderr=subprocess.PIPE, env=self.env)
        except OSError as why:
            raise BenchError(f"cannot start {' '.join(self.argv)}: {why}") from None
        threading.Thread(target=self._pump_stdout, daemon=True).start()
        self._stderr_pump = threading.Thread(target=self._pump_stderr, daemon=True)
        self._stderr_pump.start()
        try:
            self.header = self._receive(time.monotonic() + WALL, "its first line")
            if self.header.get("bench") != 1:
                raise BenchError("the first line is not the bench header")
            self.lights = dict.fromkeys(self.header.get("lights", []), "off")
        except BaseException as why:
            why.add_note(self.transcript())
            self.kill()
            raise
        return self

    def __exit__(self, kind, why, trace) -> None:
        if why is not None:
            why.add_note(self.transcript())
            self.kill()
        else:
            self.close()

    def _pump_stdout(self) -> None:
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put(line)
        self._lines.put(None)

    def _pump_stderr(self) -> None:
        with self._process.stderr as lines:
            for line in lines:
                self._errors.append(line.decode("utf-8", "replace").rstrip())

    def close(self) -> int:
        """End of input; the exit status."""
        if self.status is None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            try:
                self.status = self._process.wait(WALL)
            except subprocess.TimeoutExpired:
                self.kill()
                raise BenchError(f"the bench did not end within {WALL:g} s after end of input\n"
                                 + self.transcript()) from None
        return self.status

    def kill(self) -> None:
        """The plug is pulled: SIGKILL, nothing is said before."""
        self._process.kill()
        self.status = self._process.wait()
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def reborn(self, **changes) -> Bench:
        """Kill this one; the next one on the same state folder (not yet entered, power still off)."""
        self.kill()
        return Bench(**{**self._made_of, **changes})

    def transcript(self) -> str:
        parts = ["command: " + " ".join(self.argv), f"last {len(self._tail)} protocol lines:", *self._tail]
        if self._errors:
            parts += ["stderr:", *self._errors]
        return "\n".join(parts)

    # -- one line and its answer

    def send(self, line: str | bytes, answer_at: float | None = None, may_refuse: bool = False) -> Answer:
        """Send one line as it is, read up to its answer. Refused lines raise unless `may_refuse`."""
        raw = line.encode() if isinstance(line, str) else line
        self.sent += 1
        self._tail.append("> " + raw[:300].decode("utf-8", "replace"))
        try:
            self._process.stdin.write(raw + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise BenchError(f"the bench is gone before line {self.sent}") from None
        if not raw.strip():
            return Answer()             # skipped but counted: no answer
        answer, until = Answer(), time.monotonic() + WALL
        while True:
            output = self._receive(until, f"the answer to line {self.sent}")
            if "ok" in output:
                if output["ok"] != self.sent:
                    raise BenchError(f"line {self.sent} was sent, line {output['ok']} was answered")
                if answer_at is not None and abs(output["t"] - answer_at) > 1e-6:
                    raise BenchError(f"line {self.sent} was answered for t = {output['t']}, not {answer_at}")
                self.now = max(self.now, output["t"])
                return answer
            elif "error" in output:
                self.refusals.append(output)
                if output.get("line") != self.sent:
                    raise BenchError(f"line {self.sent} was sent, line {output.get('line')} was refused")
                if not may_refuse:
                    raise BenchError(f"line {self.sent} was refused: {output['error']}")
                answer.refused = output["error"]
                return answer
            else:
                self._take(output)
                answer.append(output)

    def _receive(self, until: float, what: str) -> dict:
        try:
            raw = self._lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise BenchError(f"no end of {what} within {WALL:g} s") from None
        if raw is None:
            self._stderr_pump.join(1.0)
            raise BenchError(f"the bench ended while {what} was awaited")
        text = raw.decode("utf-8", "replace").rstrip("\n")
        self._tail.append("< " + text[:300])
        try:
            output = json.loads(text)
        except ValueError:
            output = None
        if not isinstance(output, dict):
            raise BenchError(f"not a JSON object: {text[:300]}")
        if "bench" not in output and "error" not in output:
            if not isinstance(output.get("t"), (int, float)):
                raise BenchError(f"no time in {text[:300]}")
            output["t"] = round(output["t"], 6)
        return output

    def _take(self, output: dict) -> None:
        self.outputs.append(output)
        if output.get("event") in ("turn", "resumed") and "lit" in output:
            self.announced, self._turn_at = output["lit"], output["t"]
        if kind_of(output) == "state":
            self.state = output["state"]
        if "lights" in output:
            self.lights.update(output["lights"])
        if "display" in output:
            self.display, self.pattern = output["display"], output.get("pattern")

    # -- inputs

    def _input(self, at, may_refuse=False, covers=0.0, **fields) -> Answer:
        t = self.now if at is None else round(at, 6)
        return self.send(line_of(t, **fields), plus(t, covers), may_refuse)

    def press(self, name, at=None) -> Answer:
        self.closed.add(name)
        return self._input(at, press=name)

    def release(self, name, at=None) -> Answer:
        self.closed.discard(name)
        return self._input(at, release=name)

    def tap(self, name, at=None) -> Answer:
        """Down for 0.1 s; afterwards 0.15 s have passed."""
        return self._input(at, tap=name, covers=TAP_ANSWER)

    def hold(self, name, seconds, at=None) -> Answer:
        """Down for `seconds`, then 0.1 s more for the debouncing. The answers are joined."""
        answer = self.press(name, at)
        start = self.now
        answer += self.release(name, plus(start, seconds))
        answer += self.run_until(plus(start, seconds + 0.1))
        return answer

    def bounce(self, name, offsets, at=None) -> Answer:
        """Raw contact edges, each the opposite of the one before, at the given seconds after `at`."""
        start, answer = self.now if at is None else at, Answer()
        for offset in offsets:
            edge = self.release if name in self.closed else self.press
            answer += edge(name, plus(start, offset))
        return answer

    def switch(self, name, to, at=None, may_refuse=False) -> Answer:
        return self._input(at, may_refuse, switch=name, to=to)

    def wheel(self, slot, at=None) -> Answer:
        self.slot = slot
        return self._input(at, wheel=slot)

    def battery(self, level, at=None) -> Answer:
        return self._input(at, battery=level)

    def break_part(self, part, why="broken by the test", at=None) -> Answer:
        return self._input(at, break_=part, why=why)

    def mend(self, part, at=None) -> Answer:
        return self._input(at, mend=part)

    def run_until(self, t) -> Answer:
        return self._input(t, run=True)

    def run_for(self, seconds) -> Answer:
        return self.run_until(plus(self.now, seconds))

    # -- what happened

    @property
    def events(self) -> list[dict]:
        return self.outputs.events()

    @property
    def tones(self) -> list[dict]:
        return [o for o in self.outputs if "tone" in o]

    def events_named(self, name) -> list[dict]:
        return self.outputs.events(name)

    def count(self, name) -> int:
        return len(self.events_named(name))

    def last_event(self, name) -> dict:
        found = self.events_named(name)
        assert found, f"no event {name!r} yet"
        return found[-1]

    def dark(self) -> bool:
        return all(look == "off" for look in self.lights.values())

    # -- Triple Play

    def power_on(self, timer=False) -> Answer:
        """Mode switches first, then the power switch."""
        if self.unit == "triple-play":
            self.switch("timer", "on" if timer else "off")
        return self.switch("power", "on")

    def power_off(self) -> Answer:
        return self.switch("power", "off")

    def start_round(self, timer=False) -> float:
        """From power off to the first turn; the moment at which the round began."""
        self.power_on(timer)
        self.run_for(0.5)
        self.tap("go")
        self.run_for(0.35)
        start = self.now
        self.tap("go")
        assert self.state == "playing", f"the round did not start: state {self.state!r}"
        return start

    def lit_piles(self) -> list[int]:
        """Piles that may be played: the white ones. While a light is hidden by the blink between two turns, a
        refusal or a hold, what the turn announced counts."""
        announced = self.announced if self.state in ("playing", "holding") else []
        blinking = self.now - self._turn_at < 0.2
        found = []
        for pile in (1, 2, 3):
            look = self.lights.get(f"pile{pile}", "off")
            hidden = look in ("red flash", "white flash") or (blinking and look == "off")
            if look == "white" or (hidden and pile in announced):
                found.append(pile)
        return found

    def unlit_piles(self) -> list[int]:
        lit = self.lit_piles()
        return [pile for pile in (1, 2, 3) if pile not in lit]

    def play(self, pile=None) -> Answer:
        """Tap a lit pile (the first one unless named)."""
        lit = self.lit_piles()
        assert lit, f"no pile is lit in state {self.state!r}"
        pile = lit[0] if pile is None else pile
        assert pile in lit, f"pile {pile} is not lit, {lit} are"
        return self.tap(f"pile{pile}")

    def clear(self, pile=None) -> Answer:
        """Hold a lit pile until it is cleared, and let go."""
        lit = self.lit_piles()
        pile = lit[0] if pile is None else pile
        assert pile in lit, f"pile {pile} is not lit, {lit} are"
        return self.hold(f"pile{pile}", 2.05)

    def bring(self, pile) -> None:
        """Clear other piles until this one is lit: the counts of the others are lost, its own is kept."""
        for _ in range(6):
            if pile in self.lit_piles():
                return
            self.clear()
        raise AssertionError(f"pile {pile} was not lit for 6 turns")

    def fill(self, pile, times) -> Answer:
        """Play one pile so often; the answer to the last tap."""
        answer = Answer()
        for _ in range(times):
            self.bring(pile)
            answer = self.play(pile)
        return answer

    def next_turn_with_unlit(self) -> int:
        """Go on until some pile is dark; its number."""
        for _ in range(4):
            if self.unlit_piles():
                return self.unlit_piles()[0]
            self.play()
        raise AssertionError("all piles were lit for 5 turns")

    # -- Master

    def master_on(self, speed="6") -> Answer:
        """On and waiting (Master has no power switch)."""
        self.switch("speed", speed)
        self.run_for(0.5)
        answer = self.tap("timer")
        self.run_for(0.35)
        assert self.state == "waiting", f"Master is not waiting: {self.state!r}"
        return answer

    def master_run(self, speed="6") -> float:
        """On and running; the moment at which the countdown began. The button is up."""
        self.master_on(speed)
        start = self.now
        self.tap("timer")
        assert self.state == "running", f"Master is not running: {self.state!r}"
        return start

    # -- Spin

    def spin_on(self, slot=1) -> None:
        self.wheel(slot)
        self.power_on()
        self.run_for(0.5)
        self.wheel(slot)
        self.run_for(1.5)
        assert self.state == "idle", f"Spin is not idle: {self.state!r}"

    def turn_wheel(self, slots, step=0.02) -> Answer:
        """Turn slot by slot; negative is the other way. Afterwards the last movement is `now`."""
        answer = Answer()
        for _ in range(abs(slots)):
            answer += self.wheel((self.slot + (1 if slots > 0 else -1)) % 36, plus(self.now, step))
        return answer


class Result:
    """What a whole script brought."""

    def __init__(self, status, stdout, stderr, seconds):
        self.status, self.stdout, self.stderr, self.seconds = status, stdout, stderr, seconds
        self.lines = []
        for raw in stdout.splitlines():
            line = json.loads(raw)
            assert isinstance(line, dict), f"not a JSON object: {raw[:200]!r}"
            self.lines.append(line)
        self.header = self.lines[0] if self.lines else {}
        self.oks = [line for line in self.lines if "ok" in line]
        self.refusals = [line for line in self.lines if "error" in line]
        self.outputs = Answer(line for line in self.lines[1:] if kind_of(line) and "error" not in line)


def run_script(unit, lines, seed=SEED, settings=None, args=(), env=None, wall=30.0) -> Result:
    """Feed all lines at once (str or bytes), end the input, collect everything."""
    data = b"".join((x.encode() if isinstance(x, str) else x) + b"\n" for x in lines)
    argv, begin = arguments(unit, seed, settings, args), time.monotonic()
    try:
        done = subprocess.run(argv, input=data, capture_output=True, timeout=wall, env={**os.environ, **(env or {})})
    except subprocess.TimeoutExpired:
        raise BenchError(f"{' '.join(argv)} did not end within {wall:g} s of real time") from None
    except OSError as why:
        raise BenchError(f"cannot start {' '.join(argv)}: {why}") from None
    return Result(done.returncode, done.stdout, done.stderr, time.monotonic() - begin)


# -- rules that every stream of outputs obeys


def check_look(look: str) -> None:
    words = look.split(" ")
    good = look == "off" or (words[0] in COLOURS and (len(words) == 1 or (len(words) == 2 and words[1] in PATTERNS)))
    assert good, f"not a look: {look!r}"


def check_stream(outputs, header) -> None:
    """Names, looks, times that never go back, and 'on change' for state, lights and display."""
    last, state, display, lights = 0.0, None, None, {}
    for output in outputs:
        assert output["t"] >= last, f"time went back from {last}: {output}"
        last = output["t"]
        if "lights" in output:
            assert output["lights"], f"no light in {output}"
            for name, look in output["lights"].items():
                assert name in header["lights"], f"{name} is not in the header"
                check_look(look)
                assert lights.get(name) != look, f"{name} did not change: {output}"
                lights[name] = look
        elif "display" in output:
            assert len(output["display"]) <= 4, f"more than 4 characters: {output}"
            assert (output["display"], output.get("pattern")) != display, f"the display did not change: {output}"
            display = (output["display"], output.get("pattern"))
        elif "tone" in output:
            assert output["tone"] in header["tones"], f"{output['tone']} is not in the header"
            assert output["volume"] in range(6), f"volume out of range: {output}"
        elif kind_of(output) == "state":
            assert output["state"] != state, f"the state did not change: {output}"
            state = output["state"]


def check_order(outputs) -> None:
    """Within one moment: event, state, lights, display, tone. Only for streams without coincidences."""
    moment, rank = None, 0
    for output in outputs:
        here = KINDS.index(kind_of(output))
        assert output["t"] != moment or here >= rank, f"out of order at {moment}: {output}"
        moment, rank = output["t"], here

"""An evening: one board that stays open, and what people wish on it."""

import argparse
import json
import socket

import pytest

from firmware import memory, playing
from firmware.assembly import all_settings, fitted, known_kind
from firmware.boards import pi_settings
from firmware.clerk import Clerk
from firmware.commands import unit_from_header
from firmware.playing import Evening
from firmware.reception import Reception
from firmware.record import replay
from firmware.settings import SettingsError, from_file
from hal.ports import Contact, Moved, Stop, Wish
from hal.virtual import VirtualBoard
from tests.desk import make_unit
from wiring.load import load_unit

S = 1_000_000
IN_FORCE = all_settings(None, [])
OUTPUTS = {"event", "state", "lights", "display", "tone"}


class TableBoard(VirtualBoard):
    """A virtual board without parts to drive, that tells what a page would be told."""

    def __init__(self, script, end_us=0):
        super().__init__(script, end_us)
        self.strip = self.display = self.buzzer = None
        self.pages, self.told, self.replies = [], [], []

    def turn_to(self, page, parse):
        self.pages.append(page)

    def reply(self, number, why):
        self.replies.append((number, why))

    def hear(self, moment):
        self.told += [json.loads(line) for line in moment.lines]

    def events(self, name):
        return [told for told in self.told if told.get("event") == name]


@pytest.fixture
def evening(tmp_path):
    clerks = []
    options = argparse.Namespace(
        unit="triple-play", seed=1, state=str(tmp_path / "state"), record=None, wiring=None, panel=False, board=None,
        config=None, set=[],
        panel_socket=None, lab=False, watch=None)
    put_together = []

    def begin(unit="triple-play", **given):
        clerks.append(Clerk())
        given_too = argparse.Namespace(**{**vars(options), **given})
        put_together.append(Evening(given_too, known_kind(unit), all_settings(None, []), clerks[-1]))
        put_together[-1].clerk = clerks[-1]
        return put_together[-1]

    yield begin
    for one in put_together:
        one.close()
    for clerk in clerks:
        clerk.close()


def tap(name, at_us):
    return [Contact(name, True, at_us), Contact(name, False, at_us + 100_000)]


ROUND = [Moved("power", "on", 0), *tap("go", S), *tap("go", 2 * S)]


def test_other_settings_go_on_with_the_round(evening):
    """C-5: the round of the old settings is resumed with the new ones, on a unit whose power stays on."""
    table = evening()
    wish = Wish({"settings": {"triple_play": {"timeout_cards": 9}, "common": {"sleep_after": 30}}}, 5 * S)
    board = TableBoard([*ROUND, wish, Stop(60 * S)])
    table.play_on(board)
    assert [event["t"] for event in board.events("resumed")] == [5]
    assert board.pages[0]["header"]["settings"]["triple_play"]["timeout_cards"] == 9
    assert board.events("asleep")[0]["t"] == 35


def test_settings_made_on_a_page_are_there_again_at_the_next_start(evening):
    """Each unit has its own; another one in between does not touch them."""
    wishes = [
        Wish({"settings": {"triple_play": {"timeout_cards": 9}, "common": {"brightness": 0.5}}}, S),
        Wish({"unit": "spin"}, 2 * S), Wish({"settings": {"spin": {"at_rest": 0.5}}}, 3 * S),
        Wish({"unit": "triple-play"}, 4 * S), Stop(5 * S),
    ]
    table = evening()
    table.play_on(TableBoard(wishes))
    assert table.values["triple_play"]["timeout_cards"] == 9
    table.close()
    table.clerk.close()
    again = evening()
    assert (again.values["triple_play"]["timeout_cards"], again.values["common"]["brightness"]) == (9, 0.5)
    assert again.values["spin"]["at_rest"] == 0.8, "of the unit that is not played nothing is looked at"
    again.grant(Wish({"unit": "spin"}, 0))
    assert again.values["spin"]["at_rest"] == 0.5
    assert again.unit.rules["at_rest"] == 0.5


def test_another_unit_begins_fresh_and_the_first_one_is_kept(evening):
    """C-5: a unit that is left for another one resumes its round when it is chosen again."""
    table = evening()
    board = TableBoard([
        *ROUND, Wish({"unit": "party"}, 5 * S), Moved("power", "on", 6 * S), Wish({"unit": "triple-play"}, 8 * S),
        Moved("power", "on", 9 * S), Stop(10 * S),
    ])
    table.play_on(board)
    assert [page["header"]["unit"] for page in board.pages] == ["party", "triple-play"]
    assert [(event["t"], event["state"]) for event in board.events("resumed")] == [(9, "playing")]


def test_a_unit_that_another_program_plays_is_refused_and_the_game_goes_on(evening, tmp_path, capsys):
    """C-5: two programs on one state directory; neither ends for the other's sake."""
    table = evening()
    other = memory.Memory(str(tmp_path / "state"), "spin")
    board = TableBoard([*ROUND, Wish({"unit": "spin"}, 5 * S, 7), Wish({"unit": "triple-play"}, 7 * S, 8), Stop(9 * S)])
    table.play_on(board)
    other.close()
    why = f"--state {other.path} is in use: another pilelight plays spin on it"
    assert board.replies == [(7, why), (8, None)] and why in capsys.readouterr().err
    assert [page["header"]["unit"] for page in board.pages] == ["triple-play", "triple-play"]
    assert [event["t"] for event in board.events("resumed")] == [5]


def test_what_came_with_a_wish_is_not_lost(evening):
    """A switch that was moved in the same moment as the wish counts in the next game."""
    table = evening()
    board = TableBoard([Wish({"record": "start"}, S), Moved("power", "on", S), Stop(2 * S)])
    table.play_on(board)
    assert [told for told in board.told if "state" in told] == [{"t": 1, "state": "standby"}]


@pytest.mark.parametrize("unit", ["triple-play", "master"])
def test_a_wished_record_replays(evening, unit):
    """C-22: it begins in the middle of a round and says what it needs to begin there again."""
    table = evening(unit)
    before = ROUND if unit == "triple-play" else [*tap("timer", S), *tap("timer", 2 * S)]
    button = "go" if unit == "triple-play" else "timer"
    board = TableBoard([
        *before, Wish({"record": "start"}, 3 * S), *tap(button, 4 * S), *tap(button, 5 * S),
        Wish({"record": "stop"}, 30 * S), Stop(40 * S),
    ])
    table.play_on(board)
    lines = table.record_as_text().splitlines(keepends=True)
    shown = [line for line in lines[1:] if OUTPUTS & set(json.loads(line))]
    assert shown
    assert replay(lines, unit_from_header, "tape") == len(shown)


def test_the_settings_in_force_can_be_taken_home(evening, tmp_path):
    """What the page exports is a file that --config reads back."""
    table = evening("spin")
    table.grant(Wish({"settings": {"spin": {"at_rest": 0.5}}}, 0))
    file = tmp_path / "mine.toml"
    file.write_text(table.settings_as_toml(), encoding="utf-8")
    _, read = from_file(str(file))
    assert read == {section: table.values[section] for section in ("common", "spin")}
    assert read["spin"]["at_rest"] == 0.5 and len(read["spin"]["icons"]) == 9


def test_a_ready_made_choice_is_wished_as_the_page_is_told_it(evening):
    """The page wishes what it was offered, and is then told what is in force."""
    table = evening("master")
    gentle = next(choice for choice in table.page()["presets"] if choice["name"] == "gentle")
    board = TableBoard([Wish({"settings": gentle["settings"]}, S), Stop(2 * S)])
    table.play_on(board)
    told = board.pages[0]
    assert told["header"]["settings"]["master"].items() >= gentle["settings"]["master"].items()
    assert told["header"]["switches"] == {"speed": ["10", "15", "20"]}


def test_beside_a_real_board_the_choices_leave_the_speeds_of_the_switch_alone(evening):
    """MA-4: what is offered there is not refused."""
    table = evening("master")
    offered = {choice["name"]: choice["settings"]["master"] for choice in table.page_beside()["presets"]}
    assert offered == {
        "sheet": {"speeds": [4, 6, 8], "penalty_cards": 2, "tick_seconds": 3},
        "quick": {"penalty_cards": 4, "tick_seconds": 3},
        "gentle": {"penalty_cards": 1, "tick_seconds": 5},
    }
    for choice in offered.values():
        assert Reception(table.unit, built=table.values).understand({"settings": {"master": choice}}, 0)


def test_a_board_that_dims_is_dimmed_as_soon_as_that_is_wished(evening):
    """C-24: the display at once; the strip with the next game's frames."""

    class DimBoard(TableBoard):
        dimmed = ()

        def dim(self, share):
            self.dimmed += (share,)

    board = DimBoard([
        Wish({"settings": {"common": {"brightness": 0.3}}}, S), Wish({"record": "start"}, 2 * S), Stop(3 * S)])
    evening().play_on(board)
    assert board.dimmed == (0.3, 0.3)


def test_the_strip_is_dimmer_from_the_next_frame_on(evening):
    """C-24, C-25: white piles, green counters; then half the light, then green has its own LED as before."""
    shown = []
    board = VirtualBoard(
        [*ROUND, Wish({"settings": {"common": {"brightness": 0.5}}}, 5 * S), Stop(7 * S)], write_down=shown.append)
    evening().play_on(board)
    frames = [(one.at_us, one.what) for one in shown if one.part == "strip" and any(one.what)]
    before = [frame for at_us, frame in frames if at_us < 5 * S][-1]
    after = [frame for at_us, frame in frames if at_us >= 5 * S][-1]
    assert max(before) == 220 and after == bytes(byte // 2 for byte in before)


def test_a_table_is_told_the_groups_of_its_settings(evening):
    page = evening("party").page()
    groups = {(setting["section"], setting["name"]): setting["group"] for setting in page["settings"]}
    assert groups["party", "players"] == "house" and groups["common", "colour_patterns"] == "light"
    assert page["presets"] == []


def test_kept_settings_that_do_not_fit_the_wires_are_set_aside(evening, tmp_path, monkeypatch, capsys):
    """MA-4: also where nobody has named the board."""
    folder = tmp_path / "state"
    folder.mkdir()
    (folder / "master.settings.toml").write_text("[master]\nspeeds = [5, 7]\n")
    monkeypatch.setattr(playing, "chosen_board", lambda asked: "pi")
    assert evening("master").values["master"]["speeds"] == [4, 6, 8]
    assert "master.settings.toml: not used; kept as master.settings.damaged" in capsys.readouterr().err


# -- from settings to a real board -------------------------------------------------------------------------------


def test_a_pi_is_told_the_brightness_of_its_display(tmp_path):
    """C-24."""
    hardware = {"gpio": "lgpio", "gpiochip": -1, "calibration": str(tmp_path / "none.toml")}
    told = pi_settings(make_unit("spin", {"common.brightness": 0.4}), hardware)
    assert (told.brightness, told.wheel_slots) == (0.4, 36)


def test_other_speeds_are_those_of_the_switch_in_its_order():
    """MA-4: the wiring calls its positions 4, 6 and 8; the settings say what they mean."""
    wiring = load_unit("master")
    unit = make_unit("master", {"master.speeds": [10, 15, 20]})
    (switch,) = fitted(wiring, unit).switches
    assert switch.closed == {"10": 23, "15": 24, "20": 25} and switch.positions == unit.switches["speed"]
    for at_us, position in enumerate(switch.positions):
        unit.feed(Moved("speed", position, at_us))


@pytest.mark.parametrize("speeds", [[4, 6, 8], [8, 6, 4], [2, 4, 6, 8]])
def test_a_switch_whose_positions_all_are_speeds_keeps_their_names(speeds):
    """MA-4."""
    wiring = load_unit("master")
    assert fitted(wiring, make_unit("master", {"master.speeds": speeds})) == wiring


def test_a_switch_with_an_open_position_keeps_it():
    wiring = load_unit("master")
    two = wiring.switches[0]._replace(closed={"4": 23}, open="8")
    (switch,) = fitted(wiring._replace(switches=(two,)), make_unit("master", {"master.speeds": [9, 3]})).switches
    assert (switch.open, switch.closed) == ("9", {"3": 23})


def test_more_speeds_than_the_switch_has_positions_are_refused():
    """MA-4: said before the first game, not in the middle of it."""
    with pytest.raises(SettingsError) as caught:
        fitted(load_unit("master"), make_unit("master", {"master.speeds": [5, 7]}))
    assert str(caught.value).endswith(
        "master.toml: [switches] speed has the positions 4, 6, 8, but the settings have 5, 7: set as many as there are")


@pytest.mark.parametrize("name", ["triple-play", "triple-play-fsr", "spin", "spin-hall", "party"])
def test_the_switches_of_the_other_units_are_as_they_are_wired(name):
    wiring = load_unit(name)
    assert fitted(wiring, make_unit(wiring.unit)) == wiring


@pytest.mark.parametrize(("given", "said"), [
    ({}, "the round goes on at the next start"), ({"state": None}, "without --state the round is gone"),
])
def test_a_plug_pulled_on_the_page_is_said_where_the_program_ends(evening, capsys, given, said):
    """C-5: whoever looks at the terminal learns why the program is over, and what became of the round."""
    evening(**given).play_on(TableBoard(ROUND))
    assert capsys.readouterr().err == f"the plug was pulled on the page: {said}\n"


def test_a_full_disk_is_said_in_the_log_and_the_status_and_the_game_goes_on(evening, monkeypatch, tmp_path, capsys):
    """C-5 C-20: `systemctl status` says in words what is wrong, within half of the watchdog's time."""
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(tmp_path / "notify"))
    manager.setblocking(False)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    monkeypatch.setenv("WATCHDOG_USEC", "10000000")
    really_write, is_full = memory._write, []

    def write(file, content):
        if is_full:
            raise OSError(28, "No space left on device")
        really_write(file, content)

    monkeypatch.setattr(memory, "_write", write)

    def script():
        yield from ROUND
        is_full.append(True)
        yield from tap("pile1", 3 * S)
        yield from tap("pile2", 12 * S)
        is_full.clear()
        yield from tap("pile3", 20 * S)
        yield Stop(30 * S)

    table = evening()
    board = TableBoard(script())
    table.play_on(board)
    assert [(told["part"], told["t"]) for told in board.events("fault")] == [("memory", 3.13)]
    assert [told["t"] for told in board.events("healed")] == [12.13]
    with manager:
        said = [message for message in iter(lambda: _heard(manager), None) if not message.startswith("WATCHDOG")]
    assert said == [
        "READY=1\nSTATUS=playing", "STATUS=playing; the round is not kept: No space left on device", "STATUS=playing"]
    assert capsys.readouterr().err.splitlines() == [
        "the round is not kept, the game goes on: No space left on device",
        "the board: playing; the round is not kept: No space left on device",
        "the round is kept again",
        "the board: playing",
    ]


def _heard(manager):
    try:
        return manager.recv(4096).decode()
    except BlockingIOError:
        return None


@pytest.mark.parametrize("message, said", [
    ({"unit": "chess"}, "unknown unit; there are triple-play, master, spin, party"),
    ({"unit": "spin", "press": "go"}, "'unit' must stand alone"),
    ({"record": "pause"}, "'record' must be start or stop"),
    ({"settings": [1]}, "'settings' must be sections"),
    ({"settings": {"triple_play": {"turn_secs": 6}}}, "did you mean turn_seconds?"),
    ({"settings": {"triple_play": {"turn_seconds": 0}}}, "must be seconds from 1 to 9999"),
])
def test_a_wish_that_cannot_be_granted_is_refused_in_words(message, said):
    """BENCH the page is told what would be right, and nothing changes."""
    with pytest.raises(ValueError, match=r".") as refusal:
        Reception(make_unit("triple-play")).understand(message, 0)
    assert said in str(refusal.value)


def test_a_page_beside_the_real_board_presses_nothing():
    """Its unit has buttons of its own."""
    with pytest.raises(ValueError, match="use the unit's own buttons"):
        Reception(make_unit("triple-play"), built=IN_FORCE).understand({"press": "go"}, 0)


@pytest.mark.parametrize("unit, message, said", [
    ("spin", {"unit": "master"}, "this unit is wired as it is; another one is played where that is built"),
    ("spin", {"settings": {"spin": {"icons": [{"id": name, "code": "A", "colour": "white"} for name in "ab"]}}},
     'settings: spin.icons = [{"id": "a", "code": "A", "colour": "white"}, {"id": "b", "…: must be as it is wired, '
     "until it starts anew"),
    ("master", {"settings": {"master": {"speeds": [5, 7, 9], "penalty_cards": 3}}},
     "settings: master.speeds = [5, 7, 9]: must be as it is wired, until it starts anew"),
    ("triple-play", {"settings": {"triple_play": {"turn_seconds": 0}}},
     "settings: triple_play.turn_seconds = 0: must be seconds from 1 to 9999, like 10"),
    ("triple-play", {"record": "pause"}, "'record' must be start or stop"),
])
def test_beside_the_real_board_nothing_is_wished_that_would_need_other_wires(unit, message, said):
    """What is in force stays in force; every setting that is meant is named."""
    with pytest.raises(ValueError, match=r".") as refusal:
        Reception(make_unit(unit), built=IN_FORCE).understand(message, 0)
    assert str(refusal.value) == said


def test_beside_the_real_board_settings_and_records_are_wished():
    reception = Reception(make_unit("master"), built=IN_FORCE)
    for what in ({"settings": {"master": {"penalty_cards": 3}, "common": {"volume": 1}}}, {"record": "start"}):
        assert reception.understand(what, 7) == [Wish(what, 7)]


def test_settings_error_is_a_value_error():
    """So that a panel, which knows nothing of settings, can tell people."""
    assert issubclass(SettingsError, ValueError)

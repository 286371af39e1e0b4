"""The room all pages share: what happens between several browsers, without any socket."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.panel.room import MAX_MESSAGE, OUTBOX_MOMENTS, Page, Refused, Room
from hal.ports import Contact, Unplugged
from tests.browser.scripted import HEADERS, TONES, parse

PAGE = {"header": HEADERS["triple-play"], "tones": TONES}


@pytest.fixture
def room():
    return Room(PAGE, parse)


def enter(room):
    page = Page()
    room.join(page, 0)
    room.take(page)
    return page


def told(room, page):
    return [json.loads(text) for text in room.take(page)]


def test_a_page_that_comes_late_is_greeted_with_the_unit_as_it_stands(room):
    early = enter(room)
    room.hear([{"state": "playing"}, {"lights": {"pile1": "white"}}, {"display": "10"}], ["…"], 1_000_000)
    room.message(early, '{"switch": "timer", "to": "on"}', 1_100_000)
    late = Page()
    room.join(late, 1_200_000)

    (hello,) = told(room, late)

    assert hello["header"] == PAGE["header"] and hello["tones"] == TONES
    assert (hello["hello"], hello["version"], hello["pages"], hello["now"]) == (1, "0.1.0", 2, 1_200_000)
    assert hello["snapshot"] == {
        "at": 1_000_000, "state": "playing",
        "lights": {"pile1": "white", **dict.fromkeys(("pile2", "pile3", "counter1", "counter2", "counter3"), "off")},
        "display": {"text": "10", "pattern": ""}, "events": [], "switches": {"power": "off", "timer": "on"},
        "down": [], "broken": [], "battery": "ok", "wheel": None,
    }


def test_a_moment_reaches_every_page_as_one_message(room):
    pages = [enter(room), enter(room)]
    room.take(pages[0])
    lines = ['{"t":1,"event":"awake"}', '{"t":1,"state":"ready"}']
    room.hear([{"event": "awake"}, {"state": "ready"}], lines, 1_000_000)
    assert [room.take(page) for page in pages] == [["\n".join(lines)]] * 2


def test_a_pad_is_down_as_long_as_anybody_holds_it(room):
    ann, ben = enter(room), enter(room)
    assert room.message(ann, '{"press": "pile1"}', 1) == [Contact("pile1", True, 1)]
    assert room.message(ben, '{"press": "pile1"}', 2) == []
    assert room.message(ann, '{"release": "pile1"}', 3) == []
    assert room.message(ben, '{"release": "pile1"}', 4) == [Contact("pile1", False, 4)]


def test_a_page_that_leaves_lets_go_of_what_only_it_held(room):
    ann, ben = enter(room), enter(room)
    for message in ('{"press": "pile1"}', '{"press": "pile2"}', '{"press": "go"}'):
        room.message(ann, message, 1)
    room.message(ben, '{"press": "pile2"}', 2)
    assert room.leave(ann, 3) == [Contact("go", False, 3), Contact("pile1", False, 3)]
    assert room.leave(ann, 4) == []
    assert room.snapshot.down == {"pile2"}


def test_all_pages_see_what_one_of_them_moves():
    room = Room({**PAGE, "lab": True}, parse)
    ann, ben = enter(room), enter(room)
    room.take(ann)
    messages = [{"press": "go"}, {"release": "go"}, {"switch": "power", "to": "on"}, {"wheel": 17}, {"battery": "low"},
                {"break": "display", "why": "unplugged"}, {"mend": "display"}]
    for message in messages:
        room.message(ann, json.dumps(message), 1)
    assert told(room, ann) == told(room, ben) == [{"input": message} for message in messages]


@pytest.mark.parametrize(("text", "why"), [
    ("", "not JSON: "),
    ("{", "not JSON: {"),
    ("[" * 900, "not JSON: " + "[" * 80),
    ("7", 'not a JSON object like {"press": "go"}: 7'),
    ('{"press": "pile9"}', "unknown input 'pile9'; this unit has pile1, pile2, pile3, go, timer, reverse, next"),
    ('{"press": 3}', 'not an input: {"press": 3}'),
    ('{"hello": "there"}', 'not an input: {"hello": "there"}'),
    ('{"release": "pile1"}', "pile1 is not down on this page"),
    ("x" * (MAX_MESSAGE + 1), f"a message has at most {MAX_MESSAGE} characters, this one has {MAX_MESSAGE + 1}"),
])
def test_nonsense_is_refused_in_words_counted_and_changes_nothing(room, text, why):
    ann, ben = enter(room), enter(room)
    room.take(ann)
    before = room.snapshot.data()
    assert room.message(ann, text, 1) == []
    assert told(room, ann) == [{"error": why}] and told(room, ben) == []
    assert room.snapshot.data() == before
    assert (room.refusals, ann.refusals, ben.refusals) == (1, 1, 0)


@pytest.mark.parametrize("message", [
    {"battery": "low"}, {"break": "display"}, {"mend": "display"}, {"unplug": True}, {"late": 100}])
def test_without_the_fault_bench_no_page_can_break_anything(room, message):
    ann = enter(room)
    assert room.message(ann, json.dumps(message), 1) == []
    assert told(room, ann) == [{"error": "this needs the fault bench: start with --lab"}]


def test_the_fault_bench_pulls_the_plug():
    """C-5: as good as a kill, the round is kept."""
    room = Room({**PAGE, "lab": True}, parse)
    assert room.message(enter(room), '{"unplug": true}', 7) == [Unplugged(7)]


def test_pressing_twice_without_letting_go_is_refused(room):
    ann = enter(room)
    room.message(ann, '{"press": "go"}', 1)
    assert room.message(ann, '{"press": "go"}', 2) == []
    assert told(room, ann)[-1] == {"error": "go is down already on this page"}


def test_saying_that_it_still_holds_is_no_input(room):
    ann, ben = enter(room), enter(room)
    room.take(ann)
    assert room.message(ann, '{"still": true}', 1) == []
    assert told(room, ann) == told(room, ben) == [] and room.refusals == 0


def test_a_full_room_turns_the_next_page_away_and_plays_on():
    room = Room(PAGE, parse, max_pages=2)
    ann, _ = enter(room), enter(room)
    with pytest.raises(Refused, match="2 pages are open already; close one of them"):
        room.join(Page(), 0)
    assert len(room) == 2
    assert room.message(ann, '{"press": "go"}', 1) == [Contact("go", True, 1)]


def test_a_page_that_does_not_read_gets_the_newest_snapshot_and_never_more(room):
    slow, quick = enter(room), enter(room)
    for second in range(OUTBOX_MOMENTS + 10):
        room.hear([{"display": str(second)}], [json.dumps({"t": second, "display": str(second)})], second * 1_000_000)
        assert len(slow.outbox) <= OUTBOX_MOMENTS
        assert len(room.take(quick)) == 1
    (message,) = told(room, slow)
    assert message["snapshot"]["display"] == {"text": str(OUTBOX_MOMENTS + 9), "pattern": ""}
    room.hear([{"display": "7"}], ['{"t":999,"display":"7"}'], 999_000_000)
    assert told(room, slow) == [{"t": 999, "display": "7"}]


def test_the_end_is_announced_to_all(room):
    pages = [enter(room), enter(room)]
    room.take(pages[0])
    room.close()
    assert [told(room, page) for page in pages] == [[{"closing": True}]] * 2


BUTTONS = st.sampled_from(["pile1", "pile2", "pile3", "go"])
STEPS = st.one_of(
    st.tuples(st.integers(0, 3), st.sampled_from(["press", "release"]), BUTTONS),
    st.tuples(st.integers(0, 3), st.sampled_from(["leave", "join", "silent"]), st.just("")),
)


@given(st.lists(STEPS, max_size=60))
def test_whatever_pages_do_every_press_is_followed_by_its_release(steps):
    """However pages press, come, go and fall silent: contacts alternate, and an empty room holds nothing down."""
    room, pages, inputs = Room(PAGE, parse), {}, []
    for at_us, (who, what, name) in enumerate(steps):
        page = pages.get(who)
        if what == "join" and page is None:
            pages[who] = enter(room)
        elif what == "leave" and page is not None:
            inputs += room.leave(pages.pop(who), at_us)
        elif what == "silent" and page is not None:
            inputs += room.let_go(page, at_us)
        elif what in ("press", "release") and page is not None:
            inputs += room.message(page, json.dumps({what: name}), at_us)
        held = set().union(*(page.holds for page in pages.values()))
        assert room.snapshot.down == held
    for page in pages.values():
        inputs += room.leave(page, len(steps))
    for name in ("pile1", "pile2", "pile3", "go"):
        edges = [contact.closed for contact in inputs if contact.name == name]
        assert edges == [True, False] * (len(edges) // 2)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3))


@given(st.text(max_size=200) | JSON.map(json.dumps))
def test_no_message_ever_raises(text):
    room = Room(PAGE, parse)
    room.message(enter(room), text, 1)


# Another unit, or the same with other settings

SPIN = {"header": HEADERS["spin"], "tones": TONES}


def test_another_unit_greets_everybody_anew_and_holds_nothing_down(room):
    ann, ben = enter(room), enter(room)
    room.message(ann, '{"press": "pile1"}', 1)
    room.message(ann, '{"switch": "power", "to": "on"}', 2)
    room.hear([{"display": "7"}], ['{"t":0,"display":"7"}'], 3)
    room.take(ann), room.take(ben)
    room.turn_to(SPIN, parse, 4)
    (hello,), same = told(room, ann), told(room, ben)
    assert [hello] == same and hello["header"] == HEADERS["spin"] and hello["now"] == 4
    assert hello["snapshot"]["switches"] == {"power": "off"} and hello["snapshot"]["down"] == []
    assert hello["snapshot"]["display"] == {"text": "", "pattern": ""}
    assert room.message(ann, '{"press": "go"}', 5) == [Contact("go", True, 5)]


def test_lifting_a_finger_from_what_is_gone_is_no_mistake(room):
    ann = enter(room)
    room.message(ann, '{"press": "go"}', 1)
    room.turn_to(SPIN, parse, 2)
    room.take(ann)
    assert room.message(ann, '{"release": "go"}', 3) == [] and told(room, ann) == []
    room.message(ann, '{"release": "go"}', 4)
    assert told(room, ann) == [{"error": "go is not down on this page"}], "but only once"


def test_the_same_unit_keeps_its_switches_where_it_still_has_such_a_place(room):
    ann = enter(room)
    for switch in ("power", "timer"):
        room.message(ann, json.dumps({"switch": switch, "to": "on"}), 1)
    header = {**PAGE["header"], "switches": {"power": ["off", "on"], "timer": ["off", "always"]}}
    room.turn_to({**PAGE, "header": header}, parse, 2)
    assert room.snapshot.switches == {"power": "on", "timer": "off"}


def test_on_the_same_unit_what_is_held_stays_held_and_what_is_broken_broken():
    room = Room({**PAGE, "lab": True}, parse)
    ann = enter(room)
    for message in ({"press": "go"}, {"break": "display"}, {"battery": "low"}, {"wheel": 3}):
        room.message(ann, json.dumps(message), 1)
    room.turn_to(PAGE, parse, 2)
    snapshot = room.snapshot.data()
    stands = [snapshot[key] for key in ("down", "broken", "battery", "wheel")]
    assert stands == [["go"], ["display"], "low", 3]
    assert room.message(ann, '{"release": "go"}', 3) == [Contact("go", False, 3)]


def test_how_the_other_one_stands_is_in_the_greeting_where_it_is_known(room):
    """No page shows for a moment that the unit is off."""
    ann, there = enter(room), Room(SPIN, parse)
    enter(there)
    there.hear([{"state": "spinning"}, {"display": "9"}], ["{}"], 3)
    room.turn_to(SPIN, parse, 5, there.snapshot.data())
    (hello,) = told(room, ann)
    assert hello["snapshot"] == there.snapshot.data() and hello["snapshot"]["state"] == "spinning"


def test_a_page_too_slow_to_see_the_change_is_greeted_when_it_reads(room):
    slow = enter(room)
    room.turn_to(SPIN, parse, 5)
    for second in range(OUTBOX_MOMENTS + 1):
        room.hear([{"display": str(second)}], [json.dumps({"t": second, "display": str(second)})], second)
    (message,) = told(room, slow)
    assert message["header"] == HEADERS["spin"]
    assert message["snapshot"]["display"] == {"text": str(OUTBOX_MOMENTS), "pattern": ""}


@pytest.mark.parametrize("late", [-1, 5_001, 0.5, True, "1", None])
def test_lateness_that_makes_no_sense_is_refused(late):
    room = Room({**PAGE, "lab": True}, parse)
    ann = enter(room)
    room.message(ann, json.dumps({"late": late}), 1)
    assert told(room, ann) == [{"error": "'late' stands alone and must be whole milliseconds from 0 to 5000"}]
    assert room.late_ms == 0

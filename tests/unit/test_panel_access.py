"""Who may come in and who may do what: guests, the owner's PIN, and those who guess."""

import io
import json
import socket

import pytest

from hal.panel.access import MOST_WATCHED, Access, CannotListen, Tries, own_address, print_code, qr_rows, to_the_network
from hal.panel.room import MAX_PINS, Page, Room
from hal.ports import Contact, Wish
from tests.browser.scripted import HEADERS, TONES, parse

PAGE = {"header": HEADERS["triple-play"], "tones": TONES, "lab": True}
SHARE = {"url": "http://192.0.2.7:8765/?token=t", "pin": "123456", "code": ["1"]}
PHONE, OTHER_PHONE = "192.0.2.20", "192.0.2.21"


def wishes(message, at_us):
    return [Wish(message, at_us)] if {"unit", "settings", "record"} & set(message) else parse(message, at_us)


def room_with(**access):
    return Room(PAGE, wishes, access=Access("0.0.0.0", "t", "123456", **access), share=SHARE)


def enter(room, address=PHONE):
    page = Page(address=address)
    room.join(page, 0)
    return page, json.loads(room.take(page)[0])


def told(room, page):
    return [json.loads(text) for text in room.take(page)]


OWNERS_OWN = [{"settings": {}}, {"unit": "spin"}, {"record": "start"}, {"battery": "low"}, {"break": "display"},
              {"unplug": True}, {"late": 100}]


@pytest.mark.parametrize("message", OWNERS_OWN)
def test_what_is_the_owners_is_refused_to_guests_and_granted_to_the_owner(message):
    room = room_with()
    guest, hello = enter(room)
    assert (hello["owner"], hello["may_press"], "share" in hello) == (False, True, False)
    assert room.message(guest, json.dumps(message), 1) == []
    assert told(room, guest) == [{"error": "that is the owner's: enter the PIN"}] and room.late_ms == 0

    room.message(guest, '{"pin": "123456"}', 2)
    (greeting,) = told(room, guest)
    assert (greeting["owner"], greeting["may_press"], greeting["share"]) == (True, True, SHARE)
    assert room.message(guest, json.dumps(message), 3) or room.late_ms == 100


def test_the_machine_itself_is_the_owner_without_a_pin():
    _, hello = enter(room_with(), "127.0.0.1")
    assert hello["owner"] is True and hello["share"] == SHARE


def test_guests_press_where_they_may_and_look_on_elsewhere():
    room = room_with()
    guest, _ = enter(room)
    assert room.message(guest, '{"press": "go"}', 1) == [Contact("go", True, 1)]
    room = room_with(guests_press=False)
    guest, hello = enter(room)
    assert hello["may_press"] is False
    for message in ({"press": "go"}, {"switch": "power", "to": "on"}, {"wheel": 3}):
        assert room.message(guest, json.dumps(message), 1) == []
        assert told(room, guest) == [{"error": "guests look on; whoever enters the PIN may press"}]
    assert room.message(guest, '{"still": true}', 2) == [] and told(room, guest) == []


@pytest.mark.parametrize("pin", ["", "12345", "1234567", "ä", 123456, None, ["123456"]])
def test_a_wrong_pin_opens_nothing(pin):
    room = room_with()
    guest, _ = enter(room)
    room.message(guest, json.dumps({"pin": pin}), 1)
    assert told(room, guest) == [{"error": "wrong PIN"}] and not guest.is_owner


def test_who_guesses_pins_is_not_listened_to_for_a_minute_and_others_are():
    room = room_with()
    guest, _ = enter(room)
    for at_us in range(MAX_PINS):
        room.message(guest, '{"pin": "0"}', at_us)
    room.message(guest, '{"pin": "123456"}', 59_000_000)
    assert told(room, guest)[-1] == {"error": "too many wrong PINs; wait a minute"} and not guest.is_owner
    again, _ = enter(room)
    room.message(again, '{"pin": "123456"}', 59_000_000)
    assert not again.is_owner, "a new page of the same phone is the same guesser"
    other, _ = enter(room, OTHER_PHONE)
    room.message(other, '{"pin": "123456"}', 59_000_000)
    assert other.is_owner
    room.message(again, '{"pin": "123456"}', 60_000_000)
    assert again.is_owner


def test_where_everybody_is_the_owner_there_is_no_pin():
    room = Room(PAGE, wishes)
    page, hello = enter(room)
    assert "owner" not in hello
    room.message(page, '{"pin": "1"}', 1)
    assert told(room, page) == [{"error": "this panel has no PIN: everybody is the owner"}]
    assert room.message(page, '{"unit": "spin"}', 2) == [Wish({"unit": "spin"}, 2, 1)]


def test_a_flood_of_guessers_is_forgotten_oldest_first():
    tries = Tries(1)
    for guesser in range(MOST_WATCHED + 1):
        tries.note(f"{guesser}", 0)
    assert not tries.are_spent("0", 1) and tries.are_spent("1", 1) and tries.are_spent(f"{MOST_WATCHED}", 1)


def test_every_start_has_a_token_and_a_pin_of_its_own():
    one, two = (to_the_network(guests_press=True) for _ in range(2))
    assert one.token != two.token and len(one.token) >= 16
    assert len(one.pin) == 6 and one.pin.isdigit() and one.host == "0.0.0.0"


def test_without_a_network_it_is_said(monkeypatch):
    def unreachable(self, address):
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr(socket, "socket", type("Cut", (socket.socket,), {"connect": unreachable}))
    with pytest.raises(CannotListen) as problem:
        own_address()
    assert str(problem.value) == "this machine is in no network that others could reach it by: Network is unreachable"


def test_the_code_is_square_and_is_printed_in_half_as_many_lines():
    rows = qr_rows(SHARE["url"])
    assert {len(row) for row in rows} == {len(rows)} and set("".join(rows)) == {"0", "1"}
    assert rows[0].startswith("1111111"), "a corner mark"
    out = io.StringIO()
    print_code(SHARE["url"], out)
    assert len(out.getvalue().splitlines()) == (len(rows) + 8 + 1) // 2

"""The room all pages share: who is there, who holds what down, and who still has to be told what.

Pure: no socket, no clock, no thread. The server calls it from its loop with what came in and sends what lies in each
page's outbox. So everything that can go wrong between several browsers is decided, and tested, here.
"""

from __future__ import annotations

import hmac
import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from hal.messages import said
from hal.panel.access import HERE, Access, Tries, is_loopback
from hal.panel.snapshot import Snapshot
from hal.ports import Battery, Broke, Contact, Input, Mended, Moved, Unplugged, WheelAt, Wish

MAX_PAGES = 64
MAX_MESSAGE = 4_000             # characters; the longest sensible message sets every icon of a wheel
LATEST_MS = 5_000               # of the fault bench: by how much the game may oversleep
MAX_REFUSALS = 200              # after so many refused messages a page is shown the door
MAX_PINS = 5                    # wrong ones from one address, a minute
OUTBOX_MOMENTS = 256            # a page further behind gets the newest snapshot instead
MOST_ASKED = 64                 # wishes whose pages are remembered until they are answered

Parse: TypeAlias = Callable[[Mapping[str, object], int], Sequence[Input]]


class Refused(ValueError):
    """A page asked for something that is not done; the text says what would be."""


class Page:
    """One open page: what it holds down, and what it has yet to be told."""

    def __init__(self, wake: Callable[[], None] = lambda: None, address: str = "127.0.0.1") -> None:
        self.address = address
        self.is_owner = False
        self.holds: set[str] = set()
        self.taken_from: set[str] = set()   # what the room let go of by itself; the page may not know it yet
        self.refusals = 0
        self.behind = False
        self.is_greeted = False             # its greeting has left the outbox
        self.outbox: deque[str] = deque()
        self._wake = wake

    def tell(self, text: str) -> None:
        """Put *text* into the outbox. Never grows without end: a page that does not read falls behind."""
        if len(self.outbox) >= OUTBOX_MOMENTS:
            self.outbox.clear()
            self.behind = True
        if not self.behind:
            self.outbox.append(text)
        self._wake()


class Room:
    """All pages of one unit, and the unit as they see it."""

    def __init__(
        self, page: Mapping[str, Any], parse: Parse, *, max_pages: int = MAX_PAGES, access: Access = HERE,
        share: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """*page* is what a page needs to draw the unit (`header`, `tones` …); *parse* makes inputs of a message.

        With `lab` in *page*, pages may break what *parse* knows how to break, pull the plug and make the game late.
        *share* is what owners are shown so that they can let others in.
        """
        self.snapshot = Snapshot(page["header"])
        self.refusals = 0
        self.turn = 0                       # how often it has turned to another unit or to other settings
        self.late_ms = 0                    # the fault bench: by how much the game is to oversleep
        self._page = page
        self._parse = parse
        self._max_pages = max_pages
        self._access = access
        self._share = share
        self._pins = Tries(MAX_PINS)
        self._pages: list[Page] = []
        self._asked: dict[int, Page] = {}   # who wished what, by the number of the wish
        self._wishes = 0

    def __len__(self) -> int:
        return len(self._pages)

    def join(self, page: Page, now_us: int) -> None:
        """Let *page* in and greet it with the unit as it stands. Raises `Refused` when the room is full."""
        if len(self._pages) >= self._max_pages:
            raise Refused(f"{self._max_pages} pages are open already; close one of them")
        self._pages.append(page)
        page.is_owner = self._access.pin is None or is_loopback(page.address)
        self._greet(page, now_us)
        self._tell_all({"pages": len(self._pages)}, but=page)

    def turn_to(
        self, page: Mapping[str, Any], parse: Parse, now_us: int, stands: Mapping[str, Any] | None = None,
    ) -> None:
        """Show another unit, or the same with other settings, and greet everybody anew.

        On the same unit everything stays where it stands and as broken as it is; of another one nothing is held down.
        It stands as *stands* (`Snapshot.data`) says, if that is given.
        """
        self.turn += 1
        old, self.snapshot = self.snapshot, Snapshot(page["header"])
        self.snapshot.at_us = now_us
        is_same = page["header"]["unit"] == self._page["header"]["unit"]
        if is_same:
            self.snapshot.stand_like(old)
        if stands is not None:
            self.snapshot.replace(stands)
        self._page, self._parse = page, parse
        for one in self._pages:
            if not is_same:
                one.taken_from |= one.holds
                one.holds.clear()
            self._greet(one, now_us)

    def data(self) -> dict[str, object]:
        """What a page must know of the unit and of how it stands, ready for JSON."""
        return {**self._page, "late": self.late_ms, "snapshot": self.snapshot.data(), "pages": len(self._pages)}

    def _greet(self, page: Page, now_us: int) -> None:
        page.is_greeted = False
        page.tell(self._greeting(page, now_us))

    def _greeting(self, page: Page, now_us: int) -> str:
        greeting = {"hello": 1, "version": self._page["header"].get("version", ""), **self.data(), "now": now_us}
        if self._access.pin is not None:
            greeting |= {"owner": page.is_owner, "may_press": page.is_owner or self._access.guests_press}
            if page.is_owner:
                greeting["share"] = self._share
        return _json(greeting)

    def leave(self, page: Page, at_us: int) -> list[Input]:
        """Let *page* go, with the releases of what nobody else holds down. A page that left may leave again."""
        if page not in self._pages:
            return []
        releases = self.let_go(page, at_us)
        self._pages.remove(page)
        self._tell_all({"pages": len(self._pages)})
        return releases

    def let_go(self, page: Page, at_us: int) -> list[Input]:
        """Open all contacts that only *page* holds down: it vanished or went silent."""
        page.taken_from |= page.holds
        return self._settle(page, [Contact(name, False, at_us) for name in sorted(page.holds)])

    def message(self, page: Page, text: str, at_us: int) -> list[Input]:
        """Return what *text* means for the game. What is refused is answered, counted, and changes nothing."""
        try:
            message = _read(text)
            if message == {"still": True} or _comes_late(page, message):
                return []
            if "pin" in message:
                self._take_pin(page, message["pin"], at_us)
                return []
            inputs = self._inputs(message, at_us)
            self._check_rights(page, message, inputs)
            if "late" in message:
                self._be_late(message)
            _check(page, inputs, at_us)
        except ValueError as problem:
            self.refuse(page, str(problem))
            return []
        return self._settle(page, inputs)

    def _inputs(self, message: Mapping[str, object], at_us: int) -> Sequence[Input]:
        """Return what *message* asks for. What breaks things is refused without the fault bench."""
        if message == {"unplug": True}:
            inputs: Sequence[Input] = [Unplugged(at_us)]
        elif "late" in message:
            inputs = []
        else:
            inputs = self._parse(message, at_us)
        faults = "late" in message or any(isinstance(given, Battery | Broke | Mended | Unplugged) for given in inputs)
        if faults and not self._page.get("lab"):
            raise Refused("this needs the fault bench: start with --lab")
        return inputs

    def _check_rights(self, page: Page, message: Mapping[str, object], inputs: Sequence[Input]) -> None:
        """Refuse what a guest may not do."""
        if page.is_owner:
            return
        if not all(isinstance(given, Contact | Moved | WheelAt) for given in inputs) or "late" in message:
            raise Refused("that is the owner's: enter the PIN")
        if not self._access.guests_press:
            raise Refused("guests look on; whoever enters the PIN may press")

    def _take_pin(self, page: Page, pin: object, at_us: int) -> None:
        """Make *page* an owner's. Wrong PINs are counted by address, and after some nobody listens for a minute."""
        if self._access.pin is None:
            raise Refused("this panel has no PIN: everybody is the owner")
        if self._pins.are_spent(page.address, at_us):
            raise Refused("too many wrong PINs; wait a minute")
        if not isinstance(pin, str) or not hmac.compare_digest(pin.encode(), self._access.pin.encode()):
            self._pins.note(page.address, at_us)
            raise Refused("wrong PIN")
        page.is_owner = True
        self._greet(page, at_us)

    def _be_late(self, message: Mapping[str, object]) -> None:
        late_ms = message["late"]
        if len(message) > 1 or type(late_ms) is not int or not 0 <= late_ms <= LATEST_MS:
            raise Refused(f"'late' stands alone and must be whole milliseconds from 0 to {LATEST_MS}")
        self.late_ms = late_ms
        self._tell_all({"late": late_ms})

    def refuse(self, page: Page, why: str) -> None:
        """Tell *page* that its last message had no effect, and why."""
        self.refusals += 1
        page.refusals += 1
        page.tell(_json({"error": why}))

    def answer(self, number: int, why: str | None) -> None:
        """Tell the page whose wish had this *number* that it was refused, and *why*; None: it was granted."""
        page = self._asked.pop(number, None)
        if page is not None and why is not None and page in self._pages:
            self.refuse(page, why)

    def hear(self, outputs: Sequence[Mapping[str, object]], lines: Sequence[str], at_us: int) -> None:
        """Show all pages what the unit shows; the *lines* are encoded already, once for all."""
        self.snapshot.show(outputs, at_us)
        self._tell_text("\n".join(lines))

    def see(self, given: Input) -> None:
        """Show all pages what somebody moved on the real unit."""
        self.snapshot.move(given)
        if message := said(given):
            self._tell_all({"input": message})

    def see_all(self, snapshot: Mapping[str, Any]) -> None:
        """Show all pages the unit as it stands, in place of what was left out on the way here."""
        self.snapshot.replace(snapshot)
        self._tell_all({"snapshot": self.snapshot.data()})

    def take(self, page: Page) -> list[str]:
        """Return what *page* is to be told now, oldest first, and empty its outbox."""
        texts = [*page.outbox]
        page.outbox.clear()
        if page.behind and not page.is_greeted:
            texts = [self._greeting(page, self.snapshot.at_us)]
        elif page.behind:
            texts = [_json({"snapshot": self.snapshot.data(), "pages": len(self._pages)})]
        page.behind, page.is_greeted = False, True
        return texts

    def close(self) -> None:
        """Tell all pages that the program ends."""
        self._tell_all({"closing": True})

    def _settle(self, page: Page, inputs: Iterable[Input]) -> list[Input]:
        """Keep only what changes the unit: a pad is down as long as any page holds it."""
        changes: list[Input] = []
        for given in inputs:
            if isinstance(given, Contact):
                (page.holds.add if given.closed else page.holds.discard)(given.name)
                if given.closed:
                    page.taken_from.discard(given.name)
                if given.closed == (given.name in self.snapshot.down):
                    continue
                if not given.closed and any(given.name in other.holds for other in self._pages):
                    continue
            self.snapshot.move(given)
            changes.append(self._numbered(given, page) if isinstance(given, Wish) else given)
            if message := said(given):
                self._tell_all({"input": message})
        return changes

    def _numbered(self, wish: Wish, page: Page) -> Wish:
        """Give *wish* a number by which it can be refused later."""
        self._wishes += 1
        self._asked[self._wishes] = page
        if len(self._asked) > MOST_ASKED:
            del self._asked[next(iter(self._asked))]
        return wish._replace(number=self._wishes)

    def _tell_all(self, message: Mapping[str, object], but: Page | None = None) -> None:
        self._tell_text(_json(message), but)

    def _tell_text(self, text: str, but: Page | None = None) -> None:
        for page in self._pages:
            if page is not but:
                page.tell(text)


def _json(message: Mapping[str, object]) -> str:
    return json.dumps(message, separators=(",", ":"))


def _read(text: str) -> Mapping[str, object]:
    """Return the message in *text*. Raises `Refused` for anything but one small JSON object."""
    if len(text) > MAX_MESSAGE:
        raise Refused(f"a message has at most {MAX_MESSAGE} characters, this one has {len(text)}")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused(f"not JSON: {text[:80]}") from None
    if not isinstance(message, dict):
        raise Refused(f'not a JSON object like {{"press": "go"}}: {text[:80]}')
    return message


def _comes_late(page: Page, message: Mapping[str, object]) -> bool:
    """Tell whether a page lets go of what the room let go of before: both are right, and nothing is to be done."""
    match message:
        case {"release": str(name), **rest} if not rest and name in page.taken_from and name not in page.holds:
            page.taken_from.discard(name)
            return True
    return False


def _check(page: Page, inputs: Iterable[Input], at_us: int) -> None:
    """Refuse a press of what the page holds down already, a release of what it does not hold, and the future."""
    for given in inputs:
        if given.at_us != at_us:
            raise Refused("a page presses and releases itself: give press or release, not tap")
        if isinstance(given, Contact) and given.closed == (given.name in page.holds):
            place = "down already" if given.closed else "not down"
            raise Refused(f"{given.name} is {place} on this page")

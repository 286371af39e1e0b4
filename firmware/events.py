"""What the rules of a unit can wait for.

A chart does not know contacts or pins. It knows buttons and pads by their role (`GO.pressed`,
`PAD.held("warn_clear")`), the end of a countdown, a pad that fails, a wheel that moves.
"""

from __future__ import annotations


class Trigger:
    """Something that happens. Rules name it, and `str()` of it stands in the drawn chart."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __deepcopy__(self, memo: object) -> Trigger:
        return self  # one trigger is one object, in every copy of a machine


class Button:
    """A button, or a row of pads that play the same role; the subject of its triggers is the number of the pad."""

    __slots__ = ("_held", "contacts", "failed", "healed", "is_pad", "name", "pressed", "released")

    def __init__(self, name: str, *contacts: str, is_pad: bool = False) -> None:
        self.name = name
        self.contacts = contacts or (name,)
        self.is_pad = is_pad
        self.pressed = Trigger(f"{name} pressed")
        self.released = Trigger(f"{name} released")
        self.failed = Trigger(f"{name} fails")
        self.healed = Trigger(f"{name} heals")
        self._held: dict[str, Trigger] = {}

    def held(self, setting: str) -> Trigger:
        """The trigger of a press that has lasted as long as the setting of this name says."""
        if setting not in self._held:
            self._held[setting] = Trigger(f"{self.name} held for {setting}")
        return self._held[setting]

    def __deepcopy__(self, memo: object) -> Button:
        return self


def hold_setting(trigger: Trigger, button: Button) -> str | None:
    """The setting whose time *trigger* waits for, when it is a hold of *button*; else None."""
    return next((name for name, held in button._held.items() if held is trigger), None)


RUN_OUT = Trigger("countdown runs out")
SECOND_PASSED = Trigger("a second passes")
SWITCHED = Trigger("switch moved")
WOKEN = Trigger("woken")
WHEEL_MOVED = Trigger("wheel moves")
WHEEL_FAILED = Trigger("wheel jumps")
WHEEL_LOST = Trigger("wheel breaks")

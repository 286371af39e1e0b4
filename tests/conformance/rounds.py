"""Settings that leave nothing to chance in a round of Triple Play, and the looks that follow from them."""

PILES = ("pile1", "pile2", "pile3")
COUNTERS = ("counter1", "counter2", "counter3")
ALL_LIT, ONE_LIT = (0, 0, 100), (100, 0, 0)


def settled(limit=20, lit=ALL_LIT, **more):
    """Return the settings of a round in which every pile overloads at *limit*; by default all piles are always lit.

    *more* are settings of the section `triple_play`.
    """
    settings = {"overload_presses": [limit, limit], "lit_odds": list(lit), **more}
    return {f"triple_play.{name}": value for name, value in settings.items()}


def all_of(names, look):
    """Return {light: look} for the lights named."""
    return dict.fromkeys(names, look)


def tick_times(outputs):
    """Return when the tone `tick` was started."""
    return [o["t"] for o in outputs if o.get("tone") == "tick"]

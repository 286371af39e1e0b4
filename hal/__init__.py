"""How to touch the hardware, or to do without it. Nothing here knows a rule of a game."""

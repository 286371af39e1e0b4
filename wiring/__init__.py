"""Facts about the physical world: which part sits on which pin, what a board's pins can do, what one has to buy.

To read in this order: `units/*.toml` and `boards/*.toml` say it, `model` holds it, `load` reads it (with `reader` and
`sections`), `check` finds what is wrong (with `pins` and `power`). `harness` turns parts and pins into boxes and wires;
from those `draw` makes the sheet (`layout`, `routes` and `lanes` find the places, `symbols` and `svg` the strokes),
`table` the pin table and `bom` the parts list. Nothing here imports `hal` or `firmware`.
"""

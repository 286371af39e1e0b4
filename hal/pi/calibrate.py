"""`pilelight calibrate`: measure each pressure pad at rest and pressed, and write what a press is on it."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from hal.errors import BadSetting, BoardError
from hal.pi.adc import Adc, Ads1115
from hal.pi.blinka import I2cBus
from hal.pi.fsr import LEAST_PRESS_MV, PadCalibration, save_calibration
from wiring.findings import WiringError
from wiring.load import load_unit
from wiring.model import PressurePad

DEFAULT_FILE = Path("pads.toml")
SAMPLES = 50
EVERY_S = 0.02
PRESS_SHARE = 0.5
RELEASE_SHARE = 0.3
LARGEST_NOISE = 0.25


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0 done, 1 a pad cannot be used, 2 wrong arguments or no hardware."""
    arguments = _parser().parse_args(argv)
    try:
        unit = load_unit(arguments.unit)
        if not unit.pressure_pads or unit.adc is None:
            raise BadSetting(f"{unit.file}: this unit has no pressure pads; its pads are switches and need nothing")
        found = calibrate(Ads1115(I2cBus().get(), unit.adc.address), unit.pressure_pads, input, time.sleep)
        save_calibration(arguments.file, found)
    except (BoardError, WiringError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    except (KeyboardInterrupt, EOFError):
        print("stopped; nothing was written", file=sys.stderr)
        return 1
    print(f"written to {arguments.file}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pilelight calibrate", description=__doc__.partition(": ")[2])
    parser.add_argument("unit", metavar="UNIT", help="the unit, or the path of its wiring file")
    parser.add_argument("--file", type=Path, default=DEFAULT_FILE, help="where to write (default: %(default)s)")
    return parser


def calibrate(
    adc: Adc, pads: Sequence[PressurePad], ask: Callable[[str], object], pause: Callable[[float], object]
) -> dict[str, PadCalibration]:
    """Return the calibration of *pads*, asking a person to press each one.

    *ask* shows a text and returns when the person is ready, *pause* sleeps some seconds. Raises `ValueError` for a pad
    that cannot be used.
    """
    found = {}
    for pad in pads:
        ask(f"{pad.name}: leave the pad alone, with a few cards on it. ENTER ")
        rest = _measure(adc, pad.channel, pause)
        ask(f"{pad.name}: press as you do in play, keep pressing. ENTER ")
        pressed = _measure(adc, pad.channel, pause)
        found[pad.name] = thresholds(pad.name, rest, pressed)
    return found


def thresholds(name: str, rest_mv: Sequence[float], pressed_mv: Sequence[float]) -> PadCalibration:
    """Return the calibration from readings at rest and pressed. Raises `ValueError`, saying what to look for."""
    rest = statistics.median(rest_mv)
    swing = statistics.quantiles(pressed_mv, n=4)[0] - rest
    noise = max(rest_mv) - min(rest_mv)
    if swing * PRESS_SHARE < LEAST_PRESS_MV:
        raise ValueError(
            f"{name}: a press moves it by {swing:.0f} mV only; use a larger resistor, or see that the cap touches it"
        )
    if noise > swing * LARGEST_NOISE:
        raise ValueError(f"{name}: it wanders by {noise:.0f} mV at rest; twist its wires, and add 100 nF at the ADC")
    return PadCalibration(rest, swing * PRESS_SHARE, swing * RELEASE_SHARE)


def _measure(adc: Adc, channel: int, pause: Callable[[float], object]) -> list[float]:
    readings = [reading for reading in _readings(adc, channel, pause) if reading is not None]
    if len(readings) < SAMPLES // 2:
        raise ValueError(f"channel {channel}: its voltage cannot be; check the sensor's wires and its resistor")
    return readings


def _readings(adc: Adc, channel: int, pause: Callable[[float], object]) -> Iterator[float | None]:
    for _ in range(SAMPLES):
        yield adc.millivolts(channel)
        pause(EVERY_S)


if __name__ == "__main__":
    sys.exit(main())

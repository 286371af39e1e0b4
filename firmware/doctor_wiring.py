"""What the doctor asks for the parts of a unit: buses, lines, drivers of the kernel, and chips that answer."""

from __future__ import annotations

from collections.abc import Iterator

from firmware.doctor_place import Line, Patient, absent, failure, ok, warning
from hal.errors import BadSetting, ChipError
from hal.pi.gpiochip import HEADER_LABELS
from hal.pi.pwm import find_channel
from wiring.check import ADDRESSES, check
from wiring.config import PWM_FUNCTION, config_lines
from wiring.model import As5600, Board, UnitWiring
from wiring.pins import I2C_GPIOS, SPI0_GPIOS, claims, i2c_sections, most_leds, strip_way

SPI, I2C, PIO = "/dev/spidev0.0", "/dev/i2c-1", "/dev/pio0"
BUFSIZ = "/sys/module/spidev/parameters/bufsiz"
PWM = "/sys/class/pwm"
PIO_RULE = 'SUBSYSTEM=="*-pio", GROUP="gpio", MODE="0660"'


def wiring(patient: Patient) -> Iterator[Line]:
    """What `pilelight wiring check` says of this unit on this board."""
    if patient.unit is None or patient.board is None:
        return
    found = check(patient.unit, patient.board)
    for finding in found:
        yield failure("wiring", f"{finding.file}: {finding.where}: {finding.reason}", finding.cure)
    if not found:
        yield ok("wiring", f"{patient.unit.file} fits a {patient.board.title}")


def chip(patient: Patient) -> Iterator[Line]:
    """Which pin factory and chip a game would use."""
    if patient.model is None:
        return
    place = patient.place
    named = {path.name for path in place.find("/dev/gpiochip*")}
    opened = place.chips()
    header = next((chip for chip in opened if chip.label in HEADER_LABELS), None)
    shown = ", ".join(f"{chip.name} ({chip.label})" for chip in opened)
    if header is not None:
        yield ok("gpio", f"factory lgpio on {header.name} ({header.label}, {header.lines} lines)")
    elif not named:
        yield failure("gpio", "the kernel shows no GPIO chip (/dev/gpiochip*)", "use the kernel of Raspberry Pi OS")
    elif locked := sorted(name for name in named if not place.may_use(place.path(f"/dev/{name}"))):
        cure = f"sudo usermod -aG gpio {place.user.name}, then log in again"
        yield failure("gpio", f"{', '.join(locked)} may not be opened", cure)
    else:
        text = f"no chip has the label of the header's ({', '.join(HEADER_LABELS)}); there are: {shown or 'none'}"
        yield failure("gpio", text, "report this kernel; set gpiochip = N meanwhile")
    if (factory := place.environ.get("GPIOZERO_PIN_FACTORY")) and factory != "lgpio":
        yield warning("gpio", f"GPIOZERO_PIN_FACTORY={factory} is ignored", "unset it; the factory is named by us")


def lines(patient: Patient) -> Iterator[Line]:
    """Whether somebody else has a line of the unit."""
    if patient.model is None or patient.unit is None or patient.board is None:
        return
    place, unit = patient.place, patient.unit
    header = next((chip for chip in place.chips() if chip.label in HEADER_LABELS), None)
    if header is None:
        return
    taken = 0
    for gpio, owner in _own_lines(unit, patient.board).items():
        user = place.line_user(header.number, gpio)
        if user is None:
            continue
        taken += 1
        others = place.users_of(place.path(f"/dev/{header.name}"))
        by = f"claimed as {user!r}" if user else "claimed by somebody"
        where = f"; {header.name} is open in {', '.join(others)}" if others else ""
        cure = "end that program (the unit itself: sudo systemctl stop 'pilelight@*')"
        yield failure("lines", f"GPIO{gpio} ({owner}) is {by}{where}", cure)
    if not taken:
        yield ok("lines", "nobody else has a line of this unit")


def _own_lines(unit: UnitWiring, board: Board) -> dict[int, str]:
    """The GPIOs that the unit claims as lines, and for what. Those of buses belong to the kernel."""
    buses = {*I2C_GPIOS, *SPI0_GPIOS}
    if unit.lights is not None and unit.lights.driver == "neopixel":
        buses.discard(unit.lights.data)
    return {claim.gpio: claim.owner for claim in claims(unit, board) if claim.gpio not in buses}


def spi(patient: Patient) -> Iterator[Line]:
    """Whether SPI0 can drive the strip: switched on, allowed, its clock fixed, its buffer large enough."""
    if patient.model is None:
        return
    wanted = patient.unit is None or (patient.board is not None and strip_way(patient.unit, patient.board) == "SPI0")
    if wanted:
        yield _bus(patient, "spi", SPI, "spi", patient.config.is_on("spi"), "dtparam=spi=on")
        yield from _clock(patient)
        yield from _buffer(patient)


def _bus(patient: Patient, topic: str, device: str, group: str, is_on: bool, line: str) -> Line:
    place, missing = patient.place, patient.needs(wanted=True)
    file = f"/{patient.config_file}" if patient.config_file else "config.txt"
    if not place.has(device):
        if not is_on:
            return missing(topic, f"{device} is not there: it is switched off", f"write {line} into {file}, reboot")
        cure = "reboot; if that was done: sudo modprobe i2c-dev" if topic == "i2c" else "reboot"
        return missing(topic, f"{device} is not there, though {file} has {line}", cure)
    if not place.may_use(place.path(device)):
        cure = f"sudo usermod -aG {group} {place.user.name}, then log in again"
        return missing(topic, f"{device} may not be opened", cure)
    return ok(topic, f"{device} is there and may be used")


def _clock(patient: Patient) -> Iterator[Line]:
    needed = patient.board.spi_strip_needs if patient.board is not None else ()
    lost = [line for line in needed if not patient.config.says(line)]
    if lost:
        text = f"{' and '.join(lost)} is missing: SPI's clock moves, and the strip flickers or turns white"
        file = f"/{patient.config_file}" if patient.config_file else "config.txt"
        yield patient.needs(wanted=True)("core_freq", text, f"write {' and '.join(lost)} into {file}, reboot")
    elif needed:
        yield ok("core_freq", f"SPI's clock is fixed ({', '.join(needed)})")


def _buffer(patient: Patient) -> Iterator[Line]:
    lights = patient.unit.lights if patient.unit is not None else None
    if lights is None or not patient.place.has(BUFSIZ):
        return
    there = int(patient.place.read(BUFSIZ))
    most = most_leds(lights.driver, there)
    if lights.leds > most:
        size = there
        while most_leds(lights.driver, size) < lights.leds:
            size *= 2
        text = f"the buffer of {there} bytes has room for {most} LEDs, the strip has {lights.leds}"
        yield failure("spidev", text, f"add spidev.bufsiz={size} to the line in cmdline.txt, reboot")
    else:
        yield ok("spidev", f"the buffer of {there} bytes has room for {most} LEDs")


def pio(patient: Patient) -> Iterator[Line]:
    """Whether the strip can be driven by the PIO of a Pi 5."""
    unit, board = patient.unit, patient.board
    if patient.model is None or unit is None or board is None or strip_way(unit, board) != "PIO":
        return
    place = patient.place
    other = 'or write driver = "neopixel-spi" under [lights]'
    if not place.has(PIO):
        cure = f"sudo apt full-upgrade (kernel and firmware), reboot; {other}"
        yield failure("pio", f"{PIO} is not there: the strip cannot be driven", cure)
    elif not place.may_use(place.path(PIO)):
        group = _group_of(patient, PIO)
        cure = f"write {PIO_RULE} into /etc/udev/rules.d/99-pio.rules, reboot; {other}"
        yield failure("pio", f"{PIO} belongs to group {group} and may not be opened", cure)
    else:
        yield ok("pio", f"{PIO} is there and may be used (group {_group_of(patient, PIO)})")


def _group_of(patient: Patient, device: str) -> str:
    try:
        return patient.place.path(device).group()
    except KeyError:
        return "without a name"


def i2c(patient: Patient) -> Iterator[Line]:
    """Whether the bus works, and every chip of the unit answers at its address."""
    if patient.model is None or (patient.unit is not None and not i2c_sections(patient.unit)):
        return
    bus = _bus(patient, "i2c", I2C, "i2c", patient.config.is_on("i2c_arm", "i2c", "i2c1"), "dtparam=i2c_arm=on")
    yield bus
    if bus != ok("i2c", bus.text):
        return
    found = patient.place.on_i2c(patient.place.path(I2C))
    expected = _chips(patient.unit) if patient.unit is not None else {}
    others = [address for address in found if address not in expected]
    for address, (section, name) in expected.items():
        if address in found:
            yield ok("i2c", f"{name} answers at {address:#04x} ({section})")
            continue
        moved = [other for other in others if other in ADDRESSES[name.lower()]]
        if moved:
            cure = f"write address = {moved[0]:#04x} under [{section}], or change the chip's address pins"
            yield failure("i2c", f"no answer at {address:#04x} ({section}), but one at {moved[0]:#04x}", cure)
        else:
            cure = "check its power, its ground, SDA (pin 3) and SCL (pin 5)"
            yield failure("i2c", f"{name} does not answer at {address:#04x} ({section})", cure)
    if others:
        yield ok("i2c", f"also on the bus: {', '.join(f'{address:#04x}' for address in others)}")
    elif not expected:
        yield ok("i2c", "nothing answers on the bus")


def _chips(unit: UnitWiring) -> dict[int, tuple[str, str]]:
    """The section and the chip by address."""
    chips: dict[int, tuple[str, str]] = {}
    if unit.display is not None and unit.display.address is not None:
        chips[unit.display.address] = ("display", "HT16K33")
    if isinstance(unit.wheel, As5600):
        chips[unit.wheel.address] = ("wheel", "AS5600")
    if unit.adc is not None:
        chips[unit.adc.address] = ("adc", "ADS1115")
    return chips


def pwm(patient: Patient) -> Iterator[Line]:
    """Whether the kernel's PWM reaches the buzzer, and nothing else sounds through it."""
    buzzer = patient.unit.buzzer if patient.unit is not None else None
    if patient.model is None or buzzer is None:
        return
    if buzzer.drive == "software":
        yield ok("pwm", f"gpiozero's on GPIO{buzzer.gpio}: an uneven pitch, but nothing to set up")
        return
    place = patient.place
    try:
        number, channel = find_channel(buzzer.gpio, place.path(PWM))
    except BadSetting as error:
        text, _, cure = str(error).partition("; ")
        yield failure("pwm", text, cure)
        return
    except ChipError:
        yield failure("pwm", f"the kernel shows no PWM that reaches GPIO{buzzer.gpio}", _overlay(patient, buzzer.gpio))
        return
    if not place.may_use(place.path(f"{PWM}/pwmchip{number}/export")):
        cure = f"sudo usermod -aG gpio {place.user.name}; the udev rule of Raspberry Pi OS gives it to group gpio"
        yield failure("pwm", f"{PWM}/pwmchip{number} may not be used", cure)
    else:
        yield ok("pwm", f"pwmchip{number}, channel {channel} reaches GPIO{buzzer.gpio}")
    if patient.board is not None and patient.board.analog_audio and patient.config.is_on("audio"):
        cure = f"write dtparam=audio=off into /{patient.config_file}, reboot"
        yield warning("pwm", "analog audio shares the PWM with the buzzer: each spoils the other's sound", cure)


def _overlay(patient: Patient, gpio: int) -> str:
    """How to have the PWM on a GPIO."""
    line = f"dtoverlay=pwm,pin={gpio},func={PWM_FUNCTION[gpio]}"
    file = f"/{patient.config_file}" if patient.config_file else "config.txt"
    if line in {f"dtoverlay={overlay}" for overlay in patient.config.overlays}:
        return "reboot"
    return f'write {line} into {file}, reboot; or drive = "software" under [buzzer]'


def pulls(patient: Patient) -> Iterator[Line]:
    """Whether the inputs are pulled up before the program starts; else they look pressed until then."""
    if patient.model is None or patient.unit is None or patient.board is None:
        return
    line = next((line for line in config_lines(patient.unit, patient.board) if line.startswith("gpio=")), None)
    if line is None:
        return
    wanted = {int(gpio) for gpio in line.split("=")[1].split(",")}
    if lacking := sorted(wanted - patient.config.pulled_up()):
        names = ", ".join(f"GPIO{gpio}" for gpio in lacking)
        file = f"/{patient.config_file}" if patient.config_file else "config.txt"
        yield warning("pulls", f"{names} look pressed until the program starts", f"write {line} into {file}, reboot")
    else:
        yield ok("pulls", "every input is pulled up from the start")


def gone(patient: Patient) -> Iterator[Line]:
    """On a machine without a header: what of the unit is not there."""
    if patient.model is not None or patient.unit is None:
        return
    unit = patient.unit
    parts = {
        "buttons and pads": bool(unit.input_names), "switches": bool(unit.switches), "strip": unit.lights is not None,
        "display": unit.display is not None, "buzzer": unit.buzzer is not None, "wheel": unit.wheel is not None,
    }
    yield absent("parts", f"{', '.join(part for part, there in parts.items() if there)}: drawn in the browser instead")


PROBES = (wiring, chip, lines, pulls, spi, pio, i2c, pwm, gone)

"""An I2C bus on the bench, as busio's, and three chips by their datasheets. The real drivers run over it.

A chip can be made to fail: `silent` (no acknowledge: error 121), `half` (a transfer ends in its middle: error 5), and
`garbage` (whatever is read is ones).
"""

import errno

ALL_ONES = 0xFF


class BenchBus:
    """The bus; `chips` are by address, `fails` says how a chip fails, `wire` keeps every transfer."""

    def __init__(self, **chips):
        self.chips = {chip.address: chip for chip in chips.values()}
        self.fails = {}
        self.wire = []
        self._locked = False

    def get(self):
        """As `hal.pi.blinka.I2cBus` is asked."""
        return self

    def failed(self, error):
        pass

    def try_lock(self):
        assert not self._locked, "a driver left the bus locked: everybody else would wait for ever"
        self._locked = True
        return True

    def unlock(self):
        self._locked = False

    def writeto(self, address, buffer, *, start=0, end=None, stop=True):
        sent = bytes(buffer[start:end])
        how = self._reach(address, sent)
        if how == "half":
            self.chips[address].written(sent[:len(sent) // 2])
            raise OSError(errno.EIO, "Input/output error")
        self.chips[address].written(sent)

    def readfrom_into(self, address, buffer, *, start=0, end=None, stop=True):
        count = (len(buffer) if end is None else end) - start
        how = self._reach(address, b"")
        if how == "half":
            raise OSError(errno.EIO, "Input/output error")
        answer = bytes([ALL_ONES] * count) if how == "garbage" else self.chips[address].read(count)
        buffer[start:start + count] = answer

    def writeto_then_readfrom(self, address, out, into, *, out_start=0, out_end=None, in_start=0, in_end=None,
                              stop=False):
        self.writeto(address, out, start=out_start, end=out_end)
        self.readfrom_into(address, into, start=in_start, end=in_end)

    def _reach(self, address, sent):
        how = self.fails.get(address)
        if address not in self.chips or how == "silent":
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        self.wire.append((address, sent))
        return how


class BenchHt16k33:
    """The display chip. `visible` is what a player sees: the four digits, or None while it is not lit at all."""

    DIGITS = (0, 2, 6, 8)

    def __init__(self, address=0x70):
        self.address = address
        self.history = []
        self.power_up()

    def power_up(self):
        """As after a dip of the supply: memory random, oscillator and digits off."""
        self.memory = [0x5A] * 16
        self.pointer, self.oscillates, self.lit, self.dimming = 0, False, False, 15

    def written(self, sent):
        if not sent:
            return
        command = sent[0]
        if command < 0x10:
            for offset, byte in enumerate(sent[1:]):
                self.memory[(command + offset) % 16] = byte
        elif command & 0xF0 == 0x20:
            self.oscillates = bool(command & 1)
        elif command & 0xF0 == 0x80:
            self.lit = bool(command & 1)
        elif command & 0xF0 == 0xE0:
            self.dimming = command & 15
        if not self.history or self.history[-1] != self.visible:
            self.history.append(self.visible)

    def read(self, count):
        return bytes(self.memory[:count])

    @property
    def visible(self):
        return bytes(self.memory[at] for at in self.DIGITS) if self.oscillates and self.lit else None


class BenchAs5600:
    """The angle sensor: `angle` and `magnet` are the world."""

    STATUS, RAW_ANGLE, MAGNET = 0x0B, 0x0C, 1 << 5

    def __init__(self, address=0x36):
        self.address = address
        self.angle, self.magnet, self.pointer = 0, True, 0
        self.registers = [0] * 256

    def written(self, sent):
        if sent:
            self.pointer = sent[0]
            self.registers[self.pointer:self.pointer + len(sent) - 1] = sent[1:]

    def read(self, count):
        self.registers[self.STATUS] = self.MAGNET if self.magnet else 0
        self.registers[self.RAW_ANGLE:self.RAW_ANGLE + 2] = self.angle.to_bytes(2)
        return bytes(self.registers[self.pointer:self.pointer + count])


class BenchAds1115:
    """The ADC: `millivolts` are the world. The first conversion after a change of channel has half of the old one."""

    CONVERSION, CONFIG, START, SINGLE = 0, 1, 0x8000, 0x0100

    def __init__(self, address=0x48):
        self.address = address
        self.millivolts = [0.0] * 4
        self.config, self.conversion, self.pointer = 0x8583, 0, 0
        self.channel = None
        self.never_ready = False
        self._polls = 0

    def written(self, sent):
        if not sent:
            return
        self.pointer = sent[0]
        if self.pointer == self.CONFIG and len(sent) == 3:
            self.config = int.from_bytes(sent[1:])
            if self.config & self.START:
                assert self.config & self.SINGLE and self.config & 0x0E00 == 0x0200, "one shot, 4.096 V full scale"
                self._convert(self.config >> 12 & 7)

    def _convert(self, mux):
        assert mux >= 4, "measured between two channels, not against ground"
        channel = mux - 4
        value = self.millivolts[channel]
        if self.channel not in (None, channel):
            value = (value + self.millivolts[self.channel]) / 2
        self.channel = channel
        self.conversion = max(-32768, min(32767, round(value * 8)))
        self._polls = 2

    def read(self, count):
        if self.pointer == self.CONVERSION:
            return self.conversion.to_bytes(2, signed=True)[:count]
        self._polls -= 1
        ready = self._polls <= 0 and not self.never_ready
        return (self.config | self.START if ready else self.config & ~self.START).to_bytes(2)[:count]

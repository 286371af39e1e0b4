"""Who answers on the I2C bus: asked by the kernel's own means, here with a kernel made of a function."""

import ctypes
import errno
from pathlib import Path

import pytest

from hal.pi.i2cscan import I2C_SLAVE, I2C_SMBUS, answering


@pytest.fixture
def device(tmp_path):
    device = tmp_path / "i2c-1"
    device.touch()
    return device


class Kernel:
    """An adapter with chips at some addresses; `asked` is every address that was spoken to."""

    def __init__(self, chips=(), owned=(), fault=errno.EREMOTEIO):
        self.chips, self.owned, self.fault = chips, owned, fault
        self.asked, self._address = [], 0

    def ioctl(self, bus, request, argument):
        if request == I2C_SLAVE:
            self._address = argument
            if argument in self.owned:
                raise OSError(errno.EBUSY, "Device or resource busy")
            return 0
        assert request == I2C_SMBUS
        self.asked.append(self._address)
        assert (argument.read_write, argument.command, argument.size) == (1, 0, 1), "read a byte, write nothing"
        if self._address not in self.chips:
            raise OSError(self.fault, "no answer")
        ctypes.c_uint8.from_address(argument.data).value = 0xAA
        return 0


@pytest.mark.parametrize("fault", [errno.EREMOTEIO, errno.ENXIO, errno.EIO])
def test_the_chips_that_answer_are_found(device, fault):
    kernel = Kernel(chips={0x36, 0x70}, fault=fault)
    assert answering(device, ioctl=kernel.ioctl) == [0x36, 0x70]
    assert kernel.asked == list(range(0x08, 0x78)), "no reserved address is spoken to"


def test_a_chip_that_a_driver_of_the_kernel_holds_is_there(device):
    kernel = Kernel(chips={0x48}, owned={0x68})
    assert answering(device, ioctl=kernel.ioctl) == [0x48, 0x68]
    assert 0x68 not in kernel.asked


def test_a_stuck_bus_is_said_at_the_first_address_and_not_after_a_minute(device):
    kernel = Kernel(fault=errno.ETIMEDOUT)
    with pytest.raises(TimeoutError):
        answering(device, ioctl=kernel.ioctl)
    assert kernel.asked == [0x08]


def test_the_layout_is_that_of_the_kernel():
    """<linux/i2c-dev.h>: two bytes, a 32-bit size, a pointer."""
    from hal.pi.i2cscan import _Transfer

    pointer = ctypes.sizeof(ctypes.c_void_p)
    assert ctypes.sizeof(_Transfer) == 8 + pointer
    assert (_Transfer.size.offset, _Transfer.data.offset) == (4, 8)


def test_a_bus_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        answering(Path(tmp_path / "i2c-9"))

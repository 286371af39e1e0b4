"""What the units do."""

__version__ = "0.1.0"

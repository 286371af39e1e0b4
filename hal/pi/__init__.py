"""A Raspberry Pi: one file for each chip or bus. No library is imported, no hardware touched, before it is opened."""

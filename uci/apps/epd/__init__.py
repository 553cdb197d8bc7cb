"""`pythagoras epd`: solves the positions of a test suite."""

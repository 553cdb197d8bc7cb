"""`pythagoras play`: a game against the engine in a terminal."""

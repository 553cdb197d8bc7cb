"""`pythagoras pv-lab --show`: an HTML page of a search, step by step."""

"""`pythagoras scores`: scores positions, a file of any size."""

"""`pythagoras pv-lab`: compares and checks principal variations."""

"""`pythagoras verify`: computes analysis again and compares it with what a file records."""

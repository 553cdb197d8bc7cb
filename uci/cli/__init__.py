"""The command line of `pythagoras`."""

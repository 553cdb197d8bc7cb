"""`pythagoras doctor`: checks the installation."""

"""The Universal Chess Interface: everything between text and the engine."""

__version__ = "0.3.0"

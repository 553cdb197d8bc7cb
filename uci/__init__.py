"""The Universal Chess Interface: everything between text and the engine."""

__version__ = "0.2.0"

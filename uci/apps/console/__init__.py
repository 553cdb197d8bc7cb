"""Shared by the commands: signals, streams, tables, output files."""

"""The former place of `uci.apps.engines`, kept for workers that are started by its name."""

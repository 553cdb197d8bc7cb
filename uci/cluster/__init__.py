"""The former name of `uci.apps.engines`, kept for workers that are started with it."""

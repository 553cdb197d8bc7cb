"""A UCI session: executes commands and runs searches."""

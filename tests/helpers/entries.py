"""Entry points of the tests, each compiled when a test first calls it.

The first search of a process compiles those of `engine.jit.kernel.entry`, so it would compile
those of all test files that were collected.
"""

from engine.jit.kernel import EntryPoints

entry = EntryPoints().entry

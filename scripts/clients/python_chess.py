"""python-chess from source: runs its own tests of engines, with ours instead of Stockfish."""

import os
import re
import sys

from scripts.clients.workplace import Failed, Workplace, revision, run_to_end

TESTS = "test_sf_"
"""Name prefixes of the tests that start a ``stockfish``."""


def test(place: Workplace) -> str:
    """Run the tests; return a summary. Raises `Failed` if a test fails or is skipped."""
    clone = place.clone("python-chess")
    folder, env = place.home("python-chess")
    (folder / "stockfish").symlink_to(place.engine)
    env["PATH"] = os.pathsep.join([str(folder), env["PATH"]])
    env["PYTHONDONTWRITEBYTECODE"] = "1"  # leave the clone unchanged
    log = folder / "tests.txt"
    command = [sys.executable, "-m", "unittest", "-v", "-k", TESTS, "test.EngineTestCase"]
    status = run_to_end(command, clone, env, log, 600)
    said = log.read_text(encoding="utf-8", errors="replace")
    names = re.findall(rf"^({TESTS}\w+)", said, re.MULTILINE)
    if status or not names or "skipped" in said:
        raise Failed(f"the tests of python-chess: see {log}")
    found = re.search(r'__version__ = "(.+)"', (clone / "chess/__init__.py").read_text("utf-8"))
    version = found[1] if found else "?"
    return (
        f"python-chess {version} ({revision(clone)}): {len(names)} of {len(names)} tests passed,"
        f" none skipped: {', '.join(names)}"
    )

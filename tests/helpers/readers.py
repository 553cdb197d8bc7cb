"""Other programs that read PGN: chessops, which is lichess's, and Scid's importer."""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

SCID = "/usr/games"
"""Where Debian has Scid's programs, which is not always on the PATH."""

CREATE = "sc_base create [lindex $argv 0]\nexit\n"


def read_with_chessops(root: Path, paths: Sequence[Path]) -> Any:
    """Return for each file its games, as `tests/analysis/read_with_chessops.mjs` prints them."""
    modules = root / ".venv" / "readers" / "node_modules"
    if shutil.which("node") is None:
        _lack("no node on the PATH")
    if not (modules / "chessops").exists():
        _lack("no chessops: make readers installs it")
    script = root / "tests" / "analysis" / "read_with_chessops.mjs"
    command = ["node", str(script), str(modules), *map(str, paths)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def read_with_scid(path: Path, folder: Path) -> str:
    """Return what Scid's importer says of a file; its database is made in ``folder``."""
    where = f"{os.environ['PATH']}{os.pathsep}{SCID}"
    programs = [shutil.which(name, path=where) for name in ("tkscid", "sc_import")]
    if not all(programs):
        _lack("no tkscid and sc_import, which Debian's scid has")
    tkscid, sc_import = map(str, programs)
    (folder / "create.tcl").write_text(CREATE)
    env = os.environ | {"PATH": where, "LC_ALL": "C.UTF-8"}

    def say(*words: object) -> str:
        command = list(map(str, words))
        done = subprocess.run(command, check=True, env=env, capture_output=True, text=True)
        return done.stdout + done.stderr

    say(tkscid, folder / "create.tcl", folder / "games")
    return say(sc_import, folder / "games", path)


def _lack(what: str) -> None:
    if os.environ.get("PYTHAGORAS_REQUIRE_READERS"):
        pytest.fail(f"PYTHAGORAS_REQUIRE_READERS is set, but there is {what}")
    pytest.skip(what)

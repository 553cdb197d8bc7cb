"""Other programs that read games and pages: chessops, Scid's importer, html-validate."""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from helpers.required import skip_or_fail

SCID = "/usr/games"
"""The folder of Scid's programs in Debian, which is not always on the PATH."""

CREATE = "sc_base create [lindex $argv 0]\nexit\n"


def read_with_chessops(root: Path, paths: Sequence[Path]) -> Any:
    """Return the games of each file, as `tests/analyse/read_with_chessops.mjs` prints them."""
    modules = package(root, "chessops").parent
    script = root / "tests" / "analyse" / "read_with_chessops.mjs"
    command = ["node", str(script), str(modules), *map(str, paths)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def package(root: Path, name: str) -> Path:
    """Return the folder of an npm package; if it is missing the test is skipped, or fails."""
    if shutil.which("node") is None:
        skip_or_fail("readers", "no node on the PATH")
    found = root / ".venv" / "readers" / "node_modules" / name
    if not found.exists():
        skip_or_fail("readers", f"no {name}: make readers installs it")
    return found


def complaints_of_html(root: Path, path: Path) -> str:
    """Return html-validate's complaints about a page, by its standard rules; "" for none."""
    program = package(root, "html-validate") / "bin" / "html-validate.js"
    (path.parent / "rules.json").write_text('{"root": true, "extends": ["html-validate:standard"]}')
    command = ["node", str(program), "--config", str(path.parent / "rules.json"), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr + (f"status {done.returncode}" if done.returncode else "")


def read_with_scid(path: Path, folder: Path) -> str:
    """Return the output of Scid's importer for a file; its database is made in ``folder``."""
    where = f"{os.environ['PATH']}{os.pathsep}{SCID}"
    programs = [shutil.which(name, path=where) for name in ("tkscid", "sc_import")]
    if not all(programs):
        skip_or_fail("readers", "no tkscid and sc_import, which Debian's scid has")
    tkscid, sc_import = map(str, programs)
    (folder / "create.tcl").write_text(CREATE)
    env = os.environ | {"PATH": where, "LC_ALL": "C.UTF-8"}

    def say(*words: object) -> str:
        command = list(map(str, words))
        done = subprocess.run(command, check=True, env=env, capture_output=True, text=True)
        return done.stdout + done.stderr

    say(tkscid, folder / "create.tcl", folder / "games")
    return say(sc_import, folder / "games", path)

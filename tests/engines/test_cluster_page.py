"""Every command of the cluster page runs, with three addresses in place of its machines."""

import re
import shlex
import shutil
import socket
import subprocess
import sys
import sysconfig
from contextlib import ExitStack
from pathlib import Path

import pytest

from engine.jit.kernel import COMPILED
from helpers.client import ENVIRONMENT
from helpers.faults import COLD

GAME = '[Event "x"]\n[White "a"]\n[Black "b"]\n[Result "*"]\n\n1. e4 e5 2. Nf3 Nc6 *\n'
SUITE = '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id "one";\n'
LASTING = "dask scheduler", "dask worker"


@pytest.fixture
def commands(root: Path) -> list[str]:
    """Return the commands of the page in order, with addresses of the loopback."""
    page = (root / "uci" / "apps" / "engines" / "README.md").read_text(encoding="utf-8")
    example = page.partition("## Three machines")[2].partition("\n## ")[0]
    lines = [
        line
        for block in re.findall(r"```sh\n(.*?)```", example, re.DOTALL)
        for line in block.splitlines()
    ]
    assert sum("10.0.0." in line for line in lines) == 9
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    changes = {"10.0.0.": "127.0.0.", "8786": port, "--games 1000": "--games 12"}
    for old, new in changes.items():
        lines = [line.replace(old, new) for line in lines]
    return lines


def run(words: list[str], folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        words,
        cwd=folder,
        env=ENVIRONMENT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def wait_for(process: "subprocess.Popen[str]", text: str, times: int) -> None:
    """Read the output of a process until ``text`` has occurred so many times."""
    assert process.stdout is not None
    while times:
        line = process.stdout.readline()
        assert line, process.wait(COLD)
        times -= text in line


@pytest.mark.long
@pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
@pytest.mark.skipif(sys.platform != "linux", reason="needs all of the loopback's addresses")
def test_every_command_runs(warm: Path, commands: list[str], tmp_path: Path) -> None:
    scripts = Path(sysconfig.get_path("scripts"))
    folders = {number: tmp_path / str(number) for number in "123"}
    for folder in folders.values():
        folder.mkdir()
    (folders["1"] / "games.pgn").write_text(GAME)
    for name in "SUITE.epd", "POSITIONS.epd":
        (folders["1"] / name).write_text(SUITE)
    with ExitStack() as stack:
        for line in commands:
            words = shlex.split(line)
            host = re.search(r"127\.0\.0\.(\d):pyth|--host 127\.0\.0\.(\d)", line)
            folder = folders[next(filter(None, host.groups())) if host else "1"]
            match words[0]:
                case "python3" | ".venv/bin/pip":
                    continue  # already installed where the test runs
                case "scp":
                    shutil.copytree(folders["1"] / words[2], folder / words[2])
                    continue
            words[0] = str(scripts / Path(words[0]).name)
            process = run(words, folder)
            if any(program in line for program in LASTING):
                stack.callback(process.wait)
                stack.callback(process.terminate)
                if "worker" in line:
                    wait_for(process, "Registered to:", 4)
                else:
                    wait_for(process, "Scheduler at:", 1)
            else:
                said, _ = process.communicate(timeout=COLD)
                assert process.returncode == 0, said
    written = {path.name for path in folders["1"].iterdir()}
    assert written >= {"games", "games.analysed.pgn", "games.analysis.json", "POSITIONS.jsonl"}

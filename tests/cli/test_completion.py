"""Completion in shells: the committed files are up to date and work in bash."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from helpers.client import run
from uci.cli.completion import SHELLS, completion


@pytest.mark.parametrize("shell", SHELLS)
def test_the_file_is_that_of_the_parser(shell: str) -> None:
    pytest.importorskip("shtab", reason="shtab is in the extra dev")
    from scripts.release.completions import completions

    assert completion(shell) == completions(shell), "make completions"


@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_prints_it(root: Path, shell: str) -> None:
    done = run(root, "--print-completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == completion(shell)


def test_another_shell(root: Path) -> None:
    done = run(root, "--print-completion", "cmd")
    assert done.returncode == 2
    assert "invalid choice: 'cmd'" in done.stderr


def completed(folder: Path, *words: str) -> set[str]:
    """Return bash's completions of the last of the ``words`` after the command."""
    code = (
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*";'
        " COMP_POINT=${#COMP_LINE}; action=$(complete -p pythagoras); action=${action#*-F };"
        ' ${action%% *} pythagoras "${@: -1}" "${@: -2:1}"; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    file = folder / "completion"
    file.write_text(completion("bash"), encoding="utf-8")
    done = subprocess.run(
        ["bash", "--norc", "-c", code, "bash", str(file), "pythagoras", *words],
        cwd=folder, capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    return set(done.stdout.split())


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_what_bash_offers(tmp_path: Path) -> None:
    (tmp_path / "games.pgn").touch()
    assert {"analyse", "doctor", "go", "warm"} <= completed(tmp_path, "")
    assert completed(tmp_path, "do") == {"doctor"}
    assert completed(tmp_path, "doctor", "--c") == {"--cold"}
    assert completed(tmp_path, "go", "mo") == {"movestogo", "movetime"}
    assert completed(tmp_path, "pv-lab", "--tt", "o") == {"on", "off"}
    assert completed(tmp_path, "analyse", "ga") == {"games.pgn"}
    assert completed(tmp_path, "doctor", "--x") == set()


@pytest.mark.parametrize(("shell", "check"), [("zsh", "-n"), ("fish", "--no-execute")])
def test_another_shell_can_read_it(shell: str, check: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    (tmp_path / "file").write_text(completion(shell), encoding="utf-8")
    subprocess.run([shell, check, str(tmp_path / "file")], check=True)

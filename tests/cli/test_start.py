"""The installed command: it finds its own packages, and reports missing ones clearly."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import pythagoras

from helpers.client import run
from helpers.processes import hide

Done = subprocess.CompletedProcess[str]

LIBRARY = Path(pythagoras.__file__).parents[1]

HEAVY = {
    "numba",
    "numpy",
    "chess",
    "rich",
    "argparse",
    "json",
    "uci.apps.analyse",
    "uci.apps.doctor",
}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """Return the script that pip makes of the entry point; child processes read it, too."""
    file = tmp_path / "pythagoras_script.py"
    file.write_text(
        "import sys\nfrom pythagoras.__main__ import main\n"
        "if __name__ == '__main__': sys.exit(main())\n"
    )
    return file


def start(script: Path, *words: str, first: Path, given: str = "") -> Done:
    """Start the command as an installed one, with the folder ``first`` on Python's path."""
    path = os.pathsep.join([str(first), str(LIBRARY)])
    return subprocess.run(
        [sys.executable, "-P", str(script), *words],
        env={**os.environ, "PYTHONPATH": path}, input=given,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def interrupt_at(module: str, folder: Path) -> None:
    """Put a file into ``folder`` that raises Ctrl-C when ``module`` is imported."""
    (folder / "sitecustomize.py").write_text(
        "import signal, sys\n"
        "class Interrupting:\n"
        "    def find_spec(name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupting)\n"
    )


def test_what_a_start_imports() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(LIBRARY)!r});"
        "import pythagoras.__main__, uci.cli.main;"
        f"sys.exit(' '.join({HEAVY} & {{*sys.modules}}) or 0)"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("package", ["engine", "uci"])
def test_others_of_our_names(package: str, script: Path, warm: Path, tmp_path: Path) -> None:
    """Packages with our names are not used, even if found first, nor by analysing processes."""
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text("raise SystemExit('not ours')\n")
    done = start(script, "go", "depth", "2", first=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith("bestmove ")
    game = '[Result "*"]\n\n1. e4 e5 *\n'
    words = ["analyse", "-", "--nodes", "100", "--jobs", "2"]
    done = start(script, *words, first=tmp_path, given=game)
    assert done.returncode == 0, done.stderr
    assert "1. e4" in done.stdout


def test_a_part_is_missing(script: Path, tmp_path: Path) -> None:
    """A module is missing, as after an interrupted installation."""
    for package in ("pythagoras", "uci", "engine"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    (tmp_path / "uci" / "cli").mkdir()
    shutil.copy(LIBRARY / "pythagoras" / "__main__.py", tmp_path / "pythagoras")
    done = start(script, "go", first=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("pythagoras: the installation is incomplete (")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("module", ["engine", "uci.cli", "uci.session.session"])
def test_ctrl_c_while_it_imports(module: str, script: Path, root: Path, tmp_path: Path) -> None:
    interrupt_at(module, tmp_path)
    done = start(script, "go", "depth", "1", first=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
    if module != "engine":
        done = run(root, "go", "depth", "1", PYTHONPATH=str(tmp_path))
        assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize("words", [["go", "depth", "1"], ["epd", "none.epd"], ["pv-lab"]])
def test_without_python_chess(words: list[str], script: Path, tmp_path: Path) -> None:
    hide("chess", tmp_path)
    done = start(script, *words, first=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    told = "No module named 'chess' (run pythagoras doctor to find the cause)"
    assert done.stderr == f"pythagoras: {told}\n"

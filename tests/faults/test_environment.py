"""An environment that is missing, strange or hostile, for the installed command.

Values that Python itself refuses, such as PYTHONHASHSEED=abc, end it before any of our code runs.
"""

import contextlib
import os
import pty
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.evaluation.network import default_network, serialise
from helpers.client import PYTHAGORAS, Process
from helpers.faults import need
from helpers.states import LONG
from uci.errors import shorten

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="needs POSIX environments"),
    pytest.mark.external,
]

COMMAND = Path(sys.executable).with_name("pythagoras")
GAME = "uci\nisready\ngo depth 4\n"
AT_ONCE = "uci\ngo movetime 100\nquit\n"
ANSWERS = ("id ", "option ", "uciok", "readyok", "info ", "bestmove ")


def play(
    *before: str, given: str = GAME, cwd: Path | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run the installed command with the prefix ``before``, and ``env`` in its environment."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "NUMBA_", "LC_"))}
    return subprocess.run(
        [*before, str(COMMAND)], cwd=cwd, env=kept | env, input=given, capture_output=True,
        text=True, errors="surrogateescape", timeout=300, check=False,
    )  # fmt: skip


def played(ended: subprocess.CompletedProcess[str]) -> bool:
    """Return whether it played one move, and wrote only lines of the protocol."""
    lines = ended.stdout.splitlines()
    strange = [line for line in lines if not line.startswith(ANSWERS)]
    assert not strange, strange[:3]
    assert ended.returncode == 0
    return sum(line.startswith("bestmove ") for line in lines) == 1


def test_nobody_at_home(root: Path, tmp_path: Path) -> None:
    """Without HOME, variables and a user entry it plays, and reports what it cannot save."""
    need("unshare")
    nobody = ["unshare", "--user", "--map-user=12345", "env", "-i"]
    look = "import pathlib; pathlib.Path.home()"
    found = subprocess.run(
        [*nobody, sys.executable, "-c", look], capture_output=True, text=True, check=False
    )
    assert "determine home directory" in found.stderr, "it bites"
    ended = play(*nobody, given="uci\ngo movetime 100\n", cwd=tmp_path)
    assert played(ended)
    assert ended.stderr == ""
    assert not any(tmp_path.iterdir())


def test_locales(warm: Path, tmp_path: Path) -> None:
    """In every locale a file name in other letters is opened exactly, and the log is UTF-8."""
    folder = tmp_path / "größe ♞"
    folder.mkdir()
    network = folder / "ı.nnue"
    network.write_bytes(serialise(default_network()))
    given = (
        f"setoption name Debug Log File value {folder / 'log ı'}\n"
        f"setoption name EvalFile value {network}\nisready\n"
        f"setoption name EvalFile value {folder / 'mißt'}\ngo depth 3\n"
    )
    ascii_only = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    code = "import sys; print(sys.getfilesystemencoding())"
    kept = {k: v for k, v in os.environ.items() if not k.startswith("LC_")}
    told = subprocess.check_output(
        [sys.executable, "-c", code], text=True, env=kept | ascii_only | {"LC_ALL": "C"}
    )
    assert told == "ascii\n", "it bites"
    for env in (
        {"LC_ALL": "tr_TR.UTF-8"},
        {"LC_ALL": "C", **ascii_only},
        {"LC_ALL": "nonsense", "LANG": "", **ascii_only},
        {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii:strict"},
        {"PYTHONIOENCODING": "utf-16"},
    ):
        ended = play(given=given, cwd=tmp_path, **env)
        assert played(ended), env
        assert ended.stderr == "", env
        refused = [line for line in ended.stdout.splitlines() if "could not load" in line]
        assert refused == [
            f"info string could not load network {shorten(str(folder / 'mißt'))}:"
            " No such file or directory; keeping the current one"
        ], env
        assert "♞" in (folder / "log ı").read_text(encoding="utf-8")
        (folder / "log ı").unlink()
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


PYTHON_SETTINGS = {
    "PYTHONWARNINGS": "error",
    "PYTHONDEVMODE": "1",
    "PYTHONMALLOC": "debug",
    "PYTHONFAULTHANDLER": "1",
    "PYTHONASYNCIODEBUG": "1",
    "PYTHONPROFILEIMPORTTIME": "1",
    "PYTHONINSPECT": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONBREAKPOINT": "os.abort",
    "PYTHONNOUSERSITE": "1",
}

SLOW_SETTINGS = {"PYTHONOPTIMIZE": "2", "PYTHONTRACEMALLOC": "25"}
"""Settings that slow the start: the first recompiles imported modules, the other takes minutes."""


@pytest.mark.parametrize("slow", [{}, pytest.param(SLOW_SETTINGS, marks=pytest.mark.long)])
def test_settings_of_python(slow: dict[str, str], warm: Path, tmp_path: Path) -> None:
    """With all settings at once, Python's own output goes to standard error."""
    startup = tmp_path / "startup.py"
    startup.write_text(f"open({str(tmp_path / 'witness')!r}, 'w')")
    settings = PYTHON_SETTINGS | {"PYTHONSTARTUP": str(startup), "PYTHONPATH": "/nonexistent"}
    settings |= slow
    look = "import sys; print(sys.flags.optimize, sys.flags.dev_mode, sys.warnoptions)"
    told = subprocess.run(
        [sys.executable, "-c", look], env=os.environ | settings, capture_output=True, text=True,
        check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert told.stdout == f"{2 if slow else 0} True ['default', 'error']\n", "it bites"
    ended = play(cwd=tmp_path, **settings)
    assert played(ended)
    strange = [line for line in ended.stderr.splitlines() if not line.startswith("import time:")]
    assert not strange
    assert [path.name for path in tmp_path.iterdir()] == ["startup.py"]
    for name in ("PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONMALLOC"):
        plain = subprocess.run(
            [sys.executable, "-c", ""], env=os.environ | {name: "nonsense"}, check=False,
            capture_output=True,
        )  # fmt: skip
        refused = play(**{name: "nonsense"})
        assert refused.returncode == plain.returncode != 0
        assert refused.stdout == ""
        assert "uci" not in refused.stderr


NUMBA_SETTINGS = [
    {"NUMBA_DEBUG": "1"},
    {"NUMBA_DUMP_ASSEMBLY": "1", "NUMBA_DUMP_IR": "1", "NUMBA_TRACE": "1"},
    {"NUMBA_NUM_THREADS": "0"},
    {"NUMBA_NUM_THREADS": "abc", "NUMBA_OPT": "nonsense", "NUMBA_THREADING_LAYER": "nonsense"},
    {"NUMBA_CPU_NAME": "nonsense"},
    {"NUMBA_CPU_FEATURES": "+nonsense"},  # without a sign LLVM ends the process, after a message
    {"NUMBA_DISABLE_JIT": "1"},
    {"NUMBA_CACHE_DIR": "/nonexistent"},
    {"NUMBA_OPT": "0"},
]


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(each, marks=[] if number in (0, 2, 7) else pytest.mark.long)
        for number, each in enumerate(NUMBA_SETTINGS)
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.long)])
def test_settings_of_numba(
    settings: dict[str, str], whole: bool, tmp_path: Path, processes: list[Process]
) -> None:
    """Whatever numba prints, a client reads only the protocol, and gets its move."""
    look = "from numba import njit; njit(lambda: 1)()"
    if "NUMBA_DEBUG" in settings:
        printed = subprocess.check_output([sys.executable, "-c", look], env=os.environ | settings)
        assert b"DUMP" in printed, "it bites"
    process = Process(tmp_path, command=[str(COMMAND)], XDG_CACHE_HOME=str(tmp_path), **settings)
    processes.append(process)
    with (tmp_path / "errors").open("w") as errors, draining(process, errors.fileno()):
        lines = process.say("uci", "go movetime 300").until("bestmove")
        if whole:
            lines += process.say("isready").until("readyok")
            lines += process.say("go depth 2").until("bestmove")
        else:  # meanwhile it compiles, or reports why it does not
            time.sleep(2)
        lines += process.say("go movetime 50").until("bestmove")
        process.say("quit")
        assert process.popen.wait(LONG) == 0
    strange = [line for line in lines if not line.startswith(ANSWERS)]
    assert not strange, strange[:3]
    assert sum("failed to load" in line for line in lines) == (
        settings.get("NUMBA_NUM_THREADS") == "0"
    )
    assert not (tmp_path / "nonexistent").exists()


@contextlib.contextmanager
def draining(process: Process, to: int) -> Iterator[None]:
    """Read the standard error of a process all the time: numba may write megabytes."""
    assert process.popen.stderr
    with subprocess.Popen(["cat"], stdin=process.popen.stderr, stdout=to):
        yield


HOSTILE = "open({!r}, 'a').write(__name__)\n"


def test_hostile_files_where_it_is_started(warm: Path, tmp_path: Path) -> None:
    """The installed command imports none of the hostile files; ``python -m`` would."""
    here, witness = tmp_path / "here", tmp_path / "witness"
    here.mkdir()
    names = "chess numba numpy random sitecustomize usercustomize encodings engine uci select yaml"
    for name in names.split():
        package = here / name
        package.mkdir()
        for place in (package / "__init__.py", here / f"{name}_.py"):
            place.write_text(HOSTILE.format(str(witness)))
        (here / f"{name}_.py").rename(here / f"{name}.py")
    (here / "pyvenv.cfg").write_text("home = /nonexistent\n")
    (here / "python311.zip").write_text("")
    subprocess.run([sys.executable, "-c", "import random"], cwd=here, check=True)
    assert witness.exists(), "it bites"
    witness.unlink()
    ended = play(cwd=here)
    assert played(ended)
    (here / ".numba_config.yaml").write_text(f"!!python/object/apply:os.mkdir [{witness}]\n")
    before = listed(here)
    cold = play(given=AT_ONCE, cwd=here, XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert cold.returncode == 0
    assert not witness.exists()
    assert listed(here) == before


def listed(folder: Path) -> list[Path]:
    """Return the content of a folder, without Python's own caches."""
    return [each for each in sorted(folder.rglob("*")) if "__pycache__" not in each.parts]


@pytest.mark.parametrize("stack", ["256", "unlimited"])
def test_the_stack_is_small_or_endless(stack: str, warm: Path) -> None:
    """The deepest search works: its thread gets its stack size from this limit."""
    limited = ["sh", "-c", f'ulimit -s {stack} && exec "$0" "$@"']
    shown = subprocess.check_output([*limited, "sh", "-c", "ulimit -s"], text=True)
    assert shown == f"{stack}\n", "it bites"
    deep = "position fen 8/8/8/1k6/8/8/1K1P4/8 w - - 0 1\nsetoption name Threads value 4\n"
    ended = play(*limited, given=f"isready\n{deep}go depth 40 nodes 300000\n")
    assert played(ended)
    assert ended.stderr == ""


def test_a_terminal(warm: Path) -> None:
    """On a terminal, which echoes typed lines, the engine answers, and ends on Ctrl-D."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        PYTHAGORAS, cwd=warm, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True
    ) as process:
        os.close(theirs)
        heard = b""
        try:
            os.write(ours, b"uci\nisready\n")
            while b"readyok\r\n" not in heard:
                heard += os.read(ours, 4096)
            os.write(ours, b"go depth 4\n")
            while b"\nbestmove " not in heard:
                heard += os.read(ours, 4096)
            os.write(ours, b"\x04")
            assert process.wait(LONG) == 0
        finally:
            process.kill()
            os.close(ours)
    assert heard.startswith(b"uci\r\n"), "it is a terminal"
    assert b"Traceback" not in heard

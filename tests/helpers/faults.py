"""Faults for a test's own child process: programs that inject them, and permissions for root."""

import contextlib
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from helpers.client import PYTHAGORAS, Process
from helpers.required import skip_or_fail
from scripts.patience import COLD as COLD

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

OBEYING = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if ROOT else []
"""A command prefix by which permissions bind the command, even if root started it."""

NAMESPACE = ["unshare", "--mount"] if ROOT else ["unshare", "--mount", "--map-root-user"]
"""A command prefix by which only the command sees what it mounts."""


def need(*programs: str) -> None:
    """Skip the test if a program is missing, or fail it if all are required.

    ``unshare`` counts as missing if the system does not allow namespaces.
    """
    for program in programs:
        if shutil.which(program) is None:
            skip_or_fail("faults", f"no {program} on the PATH")
        if program == "unshare" and subprocess.run([*NAMESPACE, "true"], check=False).returncode:
            skip_or_fail("faults", "no namespace for us")


@contextlib.contextmanager
def namespace(mounts: str, *arguments: object) -> Iterator[list[str]]:
    """Yield the prefix of a command that runs in a mount namespace of its own.

    The shell commands ``mounts`` prepare it; ``arguments`` are their ``$1``, ``$2`` and so on.
    """
    need("unshare", "nsenter")
    shell = ["sh", "-ec", f"{mounts}\necho ready; exec cat", "sh", *map(str, arguments)]
    with subprocess.Popen(
        [*NAMESPACE, *shell], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        try:
            assert holder.stdout
            assert holder.stdout.readline() == "ready\n"
            users = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
            enter = ["nsenter", f"--target={holder.pid}", *users, "--mount"]
            yield [*enter, "sh", "-c", 'cd "$0" && exec "$@"', str(Path.cwd())]
        finally:
            holder.kill()


def injecting(*faults: str, into: Iterable[Path] = ()) -> list[str]:
    """Return the prefix of a command whose system calls fail by strace's ``faults``.

    If files are given, only calls on these fail.
    """
    need("strace")
    paths = [f"--trace-path={path}" for path in into]
    quiet = ["strace", "--follow-forks", "--quiet=all", "--output=/dev/null"]
    return [*quiet, *paths, *(f"--inject={fault}" for fault in faults)]


def limited(**limits: object) -> list[str]:
    """Return the prefix of a command that has these ``limits``, given as options of prlimit."""
    need("prlimit")
    return ["prlimit", *(f"--{name}={value}" for name, value in limits.items())]


def bites(before: list[str], *command: object) -> None:
    """Assert that a plain ``command`` fails under the fault, so that the fault has an effect."""
    words = [*before, *map(str, command)]
    assert subprocess.run(words, capture_output=True, check=False).returncode != 0


def run_in(before: list[str], *command: object) -> str:
    """Run a plain command with the prefix ``before``; return its output."""
    words = [*before, *map(str, command)]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def behind(before: list[str], root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command ``pythagoras`` with the prefix ``before``, to its end."""
    return subprocess.run(
        [*before, *PYTHAGORAS, *words],
        cwd=root,
        env=_environment(),
        capture_output=True,
        text=True,
        timeout=COLD,
        check=False,
    )


@contextlib.contextmanager
def whole_engine(
    root: Path, *before: str, command: Sequence[str] = PYTHAGORAS, **settings: str
) -> Iterator[Process]:
    """Yield the engine, started with the prefix ``before``; assert that it ends without error."""
    engine = Process(root, command=[*before, *command], **(_environment() | settings))
    guard = threading.Timer(COLD, engine.popen.kill)
    guard.start()
    try:
        yield engine
        assert engine.say("quit").end()[::2] == (0, "")
    finally:
        guard.cancel()
        engine.popen.kill()
        engine.popen.communicate()


def plays(engine: Process, *lines: str) -> list[str]:
    """Send ``lines``, the last of which is a ``go``; return the info strings before the move."""
    heard = engine.say(*lines).until("bestmove ")
    assert len(heard[-1].split()[1]) in (4, 5), heard[-1]
    return strings(heard)


def strings(lines: list[str]) -> list[str]:
    """Return the texts of the ``info string`` lines."""
    mark = "info string "
    return [line.removeprefix(mark) for line in lines if line.startswith(mark)]


@contextlib.contextmanager
def system_python(root: Path, user: int) -> Iterator[tuple[list[str], Path]]:
    """Yield the prefix of a command that ``user`` runs, and that user's folder with our engine.

    The folder has ``venv/bin/pythagoras``, made by the system's own Python with the checkout's
    packages. It is visible only in a namespace: the part of the prefix before ``setpriv`` runs
    commands there as root.
    """
    need("unshare", "setpriv")
    if os.geteuid() != 0:
        skip_or_fail("faults", "no root, who alone can be another user")
    python, version = "/usr/bin/python3", f"{sys.version_info.major}.{sys.version_info.minor}"
    asked = [python, "-c", "import sys, venv; print('%s.%s' % sys.version_info[:2])"]
    if not Path(python).exists() or run_in([], *asked).strip() != version:
        skip_or_fail("faults", f"no Python {version}, that of the checkout's packages, as {python}")
    place, packages = Path("/mnt"), sysconfig.get_path("purelib")
    mounts = """
        mount -t tmpfs -o mode=755 none "$1"
        mkdir "$1/source" "$1/packages" "$1/own"
        mount --bind "$2" "$1/source"
        mount --bind "$3" "$1/packages"
        chown "$4:$4" "$1/own"
    """
    with namespace(mounts, place, root, packages, user) as before:
        mine = [*before, "setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "env"]
        mine += ["-C", str(place / "own"), f"HOME={place / 'own'}", "TMPDIR=" + str(place / "own")]
        run_in(mine, python, "-m", "venv", "--without-pip", place / "own" / "venv")
        install = """
            printf '%s\n' "$1/source" "$1/packages" \
                > "$1/own/venv/lib/python$2/site-packages/pythagoras.pth"
            printf '#!%s\nimport sys\nfrom uci.cli.main import main\nsys.exit(main())\n' \
                "$1/own/venv/bin/python" > "$1/own/venv/bin/pythagoras"
            chmod +x "$1/own/venv/bin/pythagoras"
        """
        run_in(mine, "sh", "-ec", install, "sh", place, version)
        yield mine, place / "own"


def _environment() -> dict[str, str]:
    """Return this process's variables, without PYTHONUNBUFFERED, which hides a missing flush."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}

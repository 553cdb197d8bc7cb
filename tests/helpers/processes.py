"""Other Python processes."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest


@contextlib.contextmanager
def ending_children() -> Iterator[None]:
    """Kill the processes that were started inside and still run.

    Otherwise a failing test would wait, in the ``with`` statement of a process, for its end.
    """
    started: list[subprocess.Popen[Any]] = []
    begin, leave = subprocess.Popen.__init__, subprocess.Popen.__exit__

    def noted(process: subprocess.Popen[Any], *words: Any, **options: Any) -> None:
        begin(process, *words, **options)
        started.append(process)

    def left(process: subprocess.Popen[Any], error: Any, *rest: Any) -> None:
        if error is not None:
            process.kill()
        leave(process, error, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess.Popen, "__init__", noted)
        patch.setattr(subprocess.Popen, "__exit__", left)
        try:
            yield
        finally:
            for process in started:
                if process.poll() is None:
                    process.kill()
                    process.wait()


def environment(home: Path, **settings: str) -> dict[str, str]:
    """Return the variables for a process whose cache directory is ``home``, and ``settings``."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "PYTHON"))}
    return kept | {"XDG_CACHE_HOME": str(home), "LOCALAPPDATA": str(home)} | settings


def start(
    package: Path, code: str, env: dict[str, str], before: Sequence[str] = ()
) -> subprocess.Popen[str]:
    """Start Python, with the prefix ``before`` and the engine in ``package``'s folder or zip."""
    code = f"import sys; sys.path.insert(0, {str(package)!r})\n{code}"
    command = [*before, sys.executable, "-c", code]
    return subprocess.Popen(command, env=env, cwd=package.parent, text=True, stdout=subprocess.PIPE)


def result(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return output.strip()


def run(package: Path, code: str, env: dict[str, str]) -> str:
    return result(start(package, code, env))


def hide(package: str, folder: Path) -> str:
    """Return a PYTHONPATH by which importing ``package`` fails, due to a file in ``folder``."""
    (folder / "sitecustomize.py").write_text(
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(name, path=None, target=None):\n"
        f"        if name == {package!r}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Hidden)\n"
    )
    return str(folder)


def marked(mark: str) -> list[int]:
    """Return the processes that have ``mark`` in their environment, by /proc."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):  # it has ended, or is not ours
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return found


def size_of(pid: int) -> int:
    """Return the KiB of memory that a process holds, by /proc; 0 when it has ended."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    return 0

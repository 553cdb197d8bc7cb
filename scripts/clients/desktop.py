"""A screen that nobody sees, on which clients with windows are driven by keys and clicks."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from scripts.clients.workplace import Failed, NotRun, output, program, wait_for

SIZE = "1280x900x24"
PATIENCE = 120.0
"""Seconds within which a window opens, or a program ends, however busy the machine is."""


class Window:
    """A program with windows; ``popen`` leads a group of processes, its engines among them."""

    def __init__(self, command: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
        """Start it in ``folder``, where ``output.txt`` takes what it writes."""
        with (folder / "output.txt").open("wb") as file:
            self.popen = subprocess.Popen(
                command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                start_new_session=True,
            )  # fmt: skip

    def _all_ended(self) -> bool:
        self.popen.poll()  # or it would stay as a zombie
        try:
            os.killpg(self.popen.pid, 0)
        except ProcessLookupError:
            return True
        return False

    def close(self) -> None:
        """End the program, and no engine. Raises `Failed` when it, or an engine, lives on."""
        self.popen.terminate()
        try:
            wait_for("the client ends", lambda: self.popen.poll() is not None, PATIENCE)
            wait_for("an engine ends with its client", self._all_ended, PATIENCE)
        finally:
            if not self._all_ended():
                os.killpg(self.popen.pid, signal.SIGKILL)


class Desktop:
    """Xvfb and a window manager, for a ``with`` statement; ``env`` leads programs to it."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        """Start both. Raises `NotRun` where one of the programs is missing."""
        xvfb, manager, self._xdotool, self._scrot = map(
            program, ("Xvfb", "openbox", "xdotool", "scrot")
        )
        self._folder = folder
        self._windows: list[Window] = []
        readable, writable = os.pipe()
        with (folder / "desktop.txt").open("wb") as log:
            self._screen = subprocess.Popen(
                [xvfb, "-displayfd", str(writable), "-screen", "0", SIZE, "-nolisten", "tcp"],
                pass_fds=[writable], stdout=log, stderr=log,
            )  # fmt: skip
            os.close(writable)
            with open(readable, encoding="ascii") as told:  # noqa: PTH123  (a descriptor)
                number = told.readline().strip()
            if not number:
                self._screen.wait(PATIENCE)
                raise NotRun(f"Xvfb does not start: see {folder / 'desktop.txt'}")
            self.env = dict(env) | {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
            self._manager = subprocess.Popen([manager], env=self.env, stdout=log, stderr=log)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None and self._screen.poll() is None:
            self.photograph("failed")
        try:
            for window in self._windows:
                window.close()
        finally:
            for process in (self._manager, self._screen):
                process.terminate()
                process.wait(PATIENCE)

    def start(self, *command: str) -> Window:
        """Start a program with windows; it is closed with the desktop."""
        window = Window(command, self._folder, self.env)
        self._windows.append(window)
        return window

    def activate(self, title: str) -> None:
        """Give the keys to the window whose title matches a pattern. Raises `Failed`."""
        search = [self._xdotool, "search", "--onlyvisible", "--name", title]
        found: list[str] = []

        def appeared() -> bool:
            found[:] = [word for word in output(search, self.env).split() if word.isdigit()]
            return bool(found)

        wait_for(f"a window {title!r} opens", appeared, PATIENCE)
        said = output([self._xdotool, "windowactivate", "--sync", found[-1]], self.env)
        if said:
            raise Failed(f"the window {title!r} cannot be activated: {said}")
        wait_for(f"the window {title!r} is drawn", self._is_still, PATIENCE)

    def _is_still(self) -> bool:
        """Whether nothing moves on the screen for a second."""
        pictures = []
        for wait in (1, 0):
            self.photograph("still")
            pictures.append((self._folder / "still.png").read_bytes())
            time.sleep(wait)
        (self._folder / "still.png").unlink()
        return pictures[0] == pictures[1]

    def press(self, *keys: str) -> None:
        """Press keys one after the other, named as xdotool names them."""
        output([self._xdotool, "key", "--delay", "200", *keys], self.env)

    def click(self, across: int, down: int) -> None:
        """Click on a point of the screen."""
        place = [str(across), str(down)]
        output([self._xdotool, "mousemove", *place, "click", "1"], self.env)

    def photograph(self, name: str) -> None:
        """Keep what is on the screen as ``name.png``."""
        picture = str(self._folder / f"{name}.png")
        if said := output([self._scrot, "--overwrite", picture], self.env):
            raise Failed(f"no picture of the screen: {said}")

"""A wall clock that a test sets for its child processes, by a preloaded library.

The steady clock, sleeping and the times of files are not changed.
"""

import os
import struct
import subprocess
from pathlib import Path

SHIM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *shift;

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("WALL_CLOCK");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *at = mmap(0, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (at != MAP_FAILED) shift = at;
}

int clock_gettime(clockid_t id, struct timespec *to) {
    int failed = syscall(SYS_clock_gettime, id, to);
    if (!failed && shift && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        to->tv_sec += *shift;
    return failed;
}

int gettimeofday(struct timeval *restrict to, void *restrict zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    to->tv_sec = now.tv_sec;
    to->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *to) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}
"""

YEAR = 365 * 24 * 3600
"""A year in seconds."""


class WallClock:
    """The wall clock of all processes that are started with its `settings`."""

    def __init__(self, place: Path) -> None:
        """Compile the shim in ``place``, with gcc."""
        library, self._shift = place / "clock.so", place / "shift"
        self.set(0)
        words = ["gcc", "-shared", "-fPIC", "-O1", "-o", str(library), "-xc", "-"]
        subprocess.run(words, input=SHIM, text=True, check=True)
        self.settings = {"LD_PRELOAD": str(library), "WALL_CLOCK": str(self._shift)}

    def set(self, seconds: int) -> None:
        """Set the clock so many seconds ahead of the true time, or behind it."""
        with os.fdopen(os.open(self._shift, os.O_WRONLY | os.O_CREAT), "wb") as file:
            file.write(struct.pack("q", seconds))

    def year(self) -> int:
        """Return the year that a plain ``date`` prints."""
        date = ["date", "--utc", "+%Y"]
        return int(subprocess.check_output(date, env=os.environ | self.settings))

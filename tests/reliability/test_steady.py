"""One process does not grow, in a short form; the long form sends it 100,000 lines."""

import sys
from pathlib import Path

import pytest

from engine.jit.kernel import COMPILED
from scripts.reliability import line_fuzzer, steady
from scripts.reliability.line_fuzzer import Engine, Finding
from scripts.reliability.steady import MOST_MEMORY, Look, faults, watch

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells"),
    pytest.mark.skipif(not COMPILED, reason="the engine is to be quick"),
]
FLAT = Look(150_000, 60_000, 2, 5, 14)


@pytest.mark.slow
def test_nothing_is_left_behind(warm: Path) -> None:
    """Threads, files and the like stay constant; memory would need a longer warm-up."""
    seen = watch(1_000, 100, 1, 4)
    assert len(seen) == 5
    for name in ("threads", "descriptors", "files"):
        assert {getattr(look, name) for look in seen} == {getattr(seen[0], name)}, name
    assert min(look.anonymous for look in seen[1:]) - seen[0].anonymous < 20 << 10


def test_what_is_not_flat_is_told() -> None:
    before = FLAT._replace(resident=100, anonymous=1, threads=9)
    assert faults([before, *[FLAT] * 9]) == []
    for name, value in FLAT._asdict().items():
        change = MOST_MEMORY if name in ("resident", "anonymous") else 0
        for sign in (1, -1):
            off = FLAT._replace(**{name: value + sign * change})
            assert faults([before, *[FLAT] * 8, off]) == []
            off = FLAT._replace(**{name: value + sign * (change + 1)})
            (fault,) = faults([before, *[FLAT] * 8, off])
            assert fault.startswith(f"{name}: {value:,} after")


def test_memory_is_that_of_most_looks() -> None:
    """A passing large page is not growth; lasting memory is, and so is a late thread."""
    more = FLAT._replace(anonymous=FLAT.anonymous + MOST_MEMORY + 1)
    assert faults([FLAT] * 50 + [more, FLAT, FLAT] * 10) == []
    assert len(faults([FLAT] * 70 + [more] * 10)) == 1
    assert len(faults([FLAT] * 79 + [FLAT._replace(threads=3)])) == 1


LEAKS = """
import os, sys, tempfile, threading
from uci.cli.main import main
from uci.session.session import Session
handle, kept = Session.handle, []
def leak(self, raw):
    if raw.startswith(b"go"):
        kept.append(os.urandom(200_000))
        kept.append(os.open(os.devnull, os.O_RDONLY))
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        os.close(tempfile.mkstemp()[0])
    return handle(self, raw)
Session.handle = leak
sys.exit(main([]))
"""


@pytest.mark.slow
def test_what_grows_is_seen(warm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steady, "PATIENCE", 0.1)
    seen = watch(300, 30, 1, 5, [sys.executable, "-c", LEAKS])
    for name in Look._fields:
        sizes = [getattr(look, name) for look in seen]
        assert sizes[0] < sizes[-1] == max(sizes)
        assert any(fault.startswith(name) for fault in faults(seen))


@pytest.mark.parametrize("heard", [0, 1, 2])
def test_an_engine_that_ends_is_a_finding(heard: int) -> None:
    """A dead engine is reported, noticed while writing a command or waiting for the answer."""
    code = f"for _ in range({heard}): input()\nraise SystemExit(3)"
    with pytest.raises(Finding, match=r"^it ended with status 3$"):
        watch(10, 1, 1, 1, [sys.executable, "-c", code])


def test_an_end_is_noticed_when_nobody_reads(root: Path) -> None:
    engine = Engine([sys.executable, "-c", "raise SystemExit(3)"], root)
    try:
        engine.popen.wait()
        with pytest.raises(Finding, match=r"^it ended with status 3$"):
            engine.tell(b"isready")
    finally:
        engine.kill()


def test_an_engine_that_closes_its_streams(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_fuzzer, "SILENCE", 0.2)
    code = "import os, time; [os.close(n) for n in range(3)]; time.sleep(60)"
    engine = Engine([sys.executable, "-c", code], root)
    try:
        with pytest.raises(Finding, match=r"^it closed its streams, but has not ended$"):
            engine.until(b"readyok")
    finally:
        engine.kill()

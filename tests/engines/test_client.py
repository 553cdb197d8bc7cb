"""An engine on pipes: the lines it receives, how it ends, and that no process is left."""

import sys
import threading
from pathlib import Path

import pytest
from chess.engine import UciProtocol

from engine.jit.kernel import COMPILED
from helpers.fake_managers import posix, write_program
from helpers.processes import marked
from uci.apps.engines import client
from uci.apps.engines.client import OURS, EngineClient, EngineGone, TaskStopped
from uci.errors import UciError
from uci.session.loader import FALLBACK
from uci.session.settings import Shortfall, read_shortfall

ENGINE = """
import sys, time
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("id name Fake\\noption name Hash type spin default 1 min 1 max 9\\nuciok")
    elif word == "isready":
        print("readyok")
    elif word == "die":
        sys.exit(1)
    elif word == "deaf":
        time.sleep(600)
    elif word == "go":
        print("info depth 1 score cp 5 lowerbound pv e2e4\\ninfo depth 1 score cp 5 pv e2e4")
    elif word == "stop":
        print("bestmove e2e4")
    elif word == "quit":
        break
    sys.stdout.flush()
"""


@pytest.fixture
def fake(tmp_path: Path) -> EngineClient:
    path = tmp_path / "fake.py"
    path.write_text(ENGINE)
    return EngineClient(f"{sys.executable} {path}", {"Hash": "2", "Other": "3"})


def test_lines_are_kept_as_they_came(fake: EngineClient) -> None:
    heard = fake.ask(["position startpos", "go infinite"], "bestmove", stop_after=0.01)
    assert (fake.name, fake.missing_options) == ("Fake", ("Other",))
    assert fake.options == {"Hash": "spin default 1 min 1 max 9"}
    assert [text for _, text in heard] == [
        "info depth 1 score cp 5 lowerbound pv e2e4",
        "info depth 1 score cp 5 pv e2e4",
        "bestmove e2e4",
    ]
    fake.close()


def test_one_that_ends_is_started_again(fake: EngineClient) -> None:
    assert fake.start()
    assert not fake.start()
    with pytest.raises(EngineGone, match=r"^Fake has ended$"):
        fake.ask(["die"], "readyok")
    assert fake.ask(["isready"], "readyok")
    fake.close()


def test_one_that_answers_no_more_is_killed(
    fake: EngineClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "CLOSE_TIMEOUT", 0.1)
    fake.start()
    with pytest.raises(EngineGone, match=r"^Fake: timed out waiting for readyok$"):
        fake.ask(["deaf", "isready"], "readyok", 0.1)
    assert fake.ask(["isready"], "readyok")
    fake.close()


@posix
@pytest.mark.parametrize("asked", [["go infinite"], ["deaf"]])
def test_stopped_from_another_thread(
    asked: list[str], fake: EngineClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "CLOSE_TIMEOUT", 0.1)
    fake.start()
    threading.Timer(0.1, fake.stop).start()
    with pytest.raises(TaskStopped):
        fake.ask([*asked, "isready"], "never")
    with pytest.raises(TaskStopped):
        fake.ask(["isready"], "readyok")
    fake.close()


@posix
def test_one_that_is_just_being_started_is_ended_too(
    fake: EngineClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLIENT_MARK", str(tmp_path))
    begin = UciProtocol.popen

    async def late(*words: object, **settings: object) -> object:
        started = await begin(*words, **settings)  # type: ignore[arg-type]
        fake.stop()
        return started

    monkeypatch.setattr(UciProtocol, "popen", late)
    with pytest.raises(TaskStopped):
        fake.start()
    assert not marked(f"CLIENT_MARK={tmp_path}")
    fake.close()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (BlockingIOError(11, "Resource temporarily unavailable"), "temporarily unavailable"),
        (RuntimeError("can't start new thread"), "can't start new thread"),
    ],
)
def test_one_that_cannot_be_started(
    error: Exception, told: str, fake: EngineClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(UciProtocol, "popen", fail)
    with pytest.raises(UciError, match=told):
        fake.start()
    fake.close()


@posix
@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
def test_ours_is_ours_and_tells_what_it_lacks(
    warm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our own engine is started, whatever lies in the working directory; a Hash beyond the memory
    is reduced and reported."""
    for name in ("engine.py", "uci.py", "chess.py"):
        (tmp_path / name).write_text("raise SystemExit('planted')")
    monkeypatch.chdir(tmp_path)
    ours = EngineClient(OURS, {"Hash": "33554432", "Threads": "2"})
    assert [text for _, text in ours.ask(["isready"], "readyok")] == ["readyok"]
    assert ours.name.startswith("Pythagoras ")
    ((option, wanted, given),) = ours.short
    assert (option, wanted) == ("Hash", 33554432)
    assert given < wanted
    ours.close()


def test_one_of_ours_that_is_not_loaded_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = ENGINE.replace('"stop"', '"never"').replace(
        "info depth 1 score cp 5 pv e2e4", f"info string {FALLBACK}: x\\nbestmove e2e4"
    )
    path = write_program(tmp_path / "ours", code)
    monkeypatch.setattr(client, "own_command", lambda: [str(path)])
    ours = EngineClient(OURS, {})
    with pytest.raises(UciError, match=r"^engine failed to load: x$"):
        ours.start()
    ours.close()


@pytest.mark.parametrize("short", [Shortfall("Hash", 99, 16), Shortfall("Threads", 8, 3)])
def test_what_ours_reports_is_read(short: Shortfall) -> None:
    assert read_shortfall(str(short)) == short
    assert read_shortfall(f"{short}.") is None

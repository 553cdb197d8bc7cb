"""The engines of one process: none is left behind."""

import threading
import time
from collections.abc import Mapping

import pytest

from helpers.client import PATIENCE
from uci.apps.epd import engine_group
from uci.apps.epd.engine_clients import Contestant


def test_an_engine_that_is_just_being_started_is_ended_too(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    class Engine(Contestant):
        def close(self) -> None:
            ended.set()

        def introduce(self, options: Mapping[str, str]) -> None:
            pass

    def start(word: str) -> Contestant:
        begun.set()
        assert go_on.wait(PATIENCE)
        return Engine(word)

    def end() -> None:
        engines.stop()
        engines.close()

    monkeypatch.setattr(engine_group, "start", start)
    engines = engine_group.Team(["other"], {})
    starter, ender = threading.Thread(target=engines.introduction), threading.Thread(target=end)
    starter.start()
    assert begun.wait(PATIENCE)
    ender.start()
    time.sleep(0.05)  # time in which an end that does not wait would be over
    go_on.set()
    starter.join(PATIENCE)
    ender.join(PATIENCE)
    assert ended.is_set()

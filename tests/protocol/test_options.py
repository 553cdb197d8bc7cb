"""The table that declares, parses and documents the options."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uci.errors import UciError
from uci.protocol.options import ABOUT, OPTIONS, Options


def test_declarations() -> None:
    declared = {option.declare() for option in OPTIONS}
    assert declared >= {
        "option name Hash type spin default 16 min 1 max 33554432",
        "option name Skill Level type spin default 20 min -7 max 20",
        "option name UCI_Chess960 type check default false",
        "option name Syzygy50MoveRule type check default true",
        "option name Clear Hash type button",
        "option name SyzygyPath type string default <empty>",
        f"option name UCI_EngineAbout type string default {ABOUT}",
    }


def test_defaults_lie_in_their_range() -> None:
    for option in OPTIONS:
        if option.kind != "button":
            assert option.parse(str(option.default)) == option.default


@pytest.mark.parametrize(
    ("name", "text", "stored", "value"),
    [
        ("hash", "32", "Hash", 32),
        ("HASH", " 33554432 ", "Hash", 33554432),
        ("move overhead", "0", "Move Overhead", 0),
        ("Threads", "1024", "Threads", 1024),
        ("uci_chess960", "TRUE", "UCI_Chess960", True),
        ("UCI_Chess960", "false", "UCI_Chess960", False),
        ("clear hash", None, "Clear Hash", None),
        ("debug log file", " A  b/é ", "Debug Log File", " A  b/é "),
        ("debug log file", "<empty>", "Debug Log File", ""),
        ("debug log file", None, "Debug Log File", ""),
        ("UCI_EngineAbout", "somebody else", "UCI_EngineAbout", ABOUT),
    ],
)
def test_parse(name: str, text: str | None, stored: str, value: object) -> None:
    option, parsed = Options().parse(name, text)
    assert (option.name, parsed) == (stored, value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Hash", "0"),
        ("Hash", "33554433"),
        ("Hash", "-16"),
        ("Hash", "x"),
        ("Hash", ""),
        ("Hash", None),
        ("Hash", "1e3"),
        ("Hash", "1_6"),
        ("Hash", "9" * 5000),
        ("Threads", "1025"),
        ("Move Overhead", "5001"),
        ("UCI_Chess960", "yes"),
        ("UCI_Chess960", None),
        ("Contempt", "101"),
        ("Draw Score", "3"),
        ("", "3"),
    ],
)
def test_what_is_rejected(name: str, text: str | None) -> None:
    options = Options()
    with pytest.raises(UciError) as error:
        options.parse(name, text)
    assert len(str(error.value)) < 120


def test_values() -> None:
    options = Options()
    assert (options.number("Hash"), options.flag("UCI_Chess960")) == (16, False)
    options.set("Hash", 64)
    options.set("UCI_Chess960", True)
    assert (options.number("Hash"), options.flag("UCI_Chess960")) == (64, True)


@given(st.sampled_from([option.name for option in OPTIONS]), st.text())
def test_no_value_breaks_the_parser(name: str, text: str) -> None:
    with suppress(UciError):
        Options().parse(name, text)

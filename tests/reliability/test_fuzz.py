"""Short runs with input of every kind; `make soak` has the long ones."""

import sys
from pathlib import Path

import pytest

from engine.jit.kernel import COMPILED
from scripts.reliability import line_fuzzer, parser_fuzzer
from scripts.reliability.line_fuzzer import Finding
from scripts.reliability.parser_fuzzer import READERS, Reader
from scripts.reliability.uci_lines import is_harmless
from uci.errors import UciError

pytestmark = pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")


@pytest.mark.slow
def test_3000_lines_through_living_engines(warm: Path) -> None:
    report = line_fuzzer.fuzz([sys.executable, "-m", "uci"], warm, 3_000, seed=1)
    assert report.lines == 3_000
    assert report.searching > 300
    assert report.answers["bestmove"] > 30


def test_what_an_engine_does_wrong_is_found(warm: Path) -> None:
    code = "for line in open(0, 'rb'):\n if b'isready' in line: print('readyok', flush=True)"
    with pytest.raises(Finding, match=r"seed 3, after \d+ lines: it ended with status 0"):
        line_fuzzer.fuzz([sys.executable, "-c", code + "\n if b'go' in line: break"], warm, 500, 3)


@pytest.mark.parametrize(
    ("path", "harmless"),
    [
        ("/nowhere/at all", True),
        ("", True),
        ("/nowhere", False),
        ("/nowhere/", False),
        ("/nowhere/.", False),
        ("/nowhere/../etc/motd", False),
        ("nowhere/at all", False),
        ("x/nowhere/at all", False),
    ],
)
def test_no_line_names_what_there_might_be(path: str, harmless: bool) -> None:
    assert is_harmless(f"setoption name Debug Log File value {path}".encode()) == harmless


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_readers_raise_what_they_document(reader: Reader, tmp_path: Path) -> None:
    number = 1_500 if reader.name in ("uci", "fen") else 150
    refused = parser_fuzzer.fuzz(reader, number, 1, tmp_path)
    assert number // 3 < refused < number


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (lambda data, file: {}[0], "KeyError"),
        (lambda data, file: len(bytearray(200 << 20)), r"209,\d\d\d,\d\d\d bytes"),
    ],
)
def test_a_reader_that_fails_is_found(read: object, found: str, tmp_path: Path) -> None:
    reader = Reader("bad", read, (UciError,), READERS[0].samples)  # type: ignore[arg-type]
    with pytest.raises(Finding, match=found):
        parser_fuzzer.fuzz(reader, 3, 1, tmp_path)

"""Lines of text to commands: pure functions."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.search.limits import Limits
from uci.errors import UciError, one_line, shorten
from uci.protocol.commands import (
    MAX_LINE,
    MAX_NUMBER,
    MAX_TIME,
    Bench,
    Debug,
    Go,
    Perft,
    SetOption,
    SetPosition,
    Word,
    decode,
    parse_command,
    parse_go,
)
from uci.protocol.messages import format_message


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("uci", Word("uci")),
        ("  isready\t", Word("isready")),
        ("joho isready", Word("isready")),
        ("stop now please", Word("stop")),
        ("position startpos", SetPosition(None, ())),
        ("position startpos moves e2e4 e7e5", SetPosition(None, ("e2e4", "e7e5"))),
        ("position\tfen 8/8 w - -  moves  a1a2", SetPosition("8/8 w - -", ("a1a2",))),
        ("position startpos moves", SetPosition(None, ())),
        ("go infinite", Go(Limits(infinite=True), until_stop=True)),
        ("go", Go(Limits(infinite=True))),
        ("go movestogo 5", Go(Limits(movestogo=5, infinite=True))),
        ("go depth 5 nodes 100", Go(Limits(depth=5, nodes=100))),
        ("go joho depth 5 joho", Go(Limits(depth=5))),
        ("go wtime -5 btime +7", Go(Limits(wtime=-5, btime=7))),
        (f"go movetime {10**30}", Go(Limits(movetime=MAX_TIME))),
        (f"go winc -{10**30} mate {10**30}", Go(Limits(winc=-MAX_TIME, mate=MAX_NUMBER))),
        (f"go nodes {2**31}", Go(Limits(nodes=2**31))),
        pytest.param(f"go depth {'0' * 90_000}7", Go(Limits(depth=7)), id="zeros"),
        pytest.param(f"bench {'9' * 90_000}", Bench(MAX_NUMBER), id="nines"),
        ("go depth 3 infinite", Go(Limits(depth=3, infinite=True), until_stop=True)),
        ("joho go movetime 100 movestogo 3", Go(Limits(movetime=100, movestogo=3))),
        ("go mate 3 nodes 10", Go(Limits(mate=3, nodes=10))),
        ("go wtime 1000.5 winc -0.25", Go(Limits(wtime=1000, winc=0))),
        ("go movetime 100.0 depth 5.", Go(Limits(movetime=100, depth=5))),
        ("go nodes 99.9 mate 2.9", Go(Limits(nodes=99, mate=2))),
        ("go depth 0", Go(Limits(depth=1))),
        ("go nodes 0 depth 0.9", Go(Limits(nodes=1, depth=1))),
        ("go ponder wtime 9", Go(Limits(wtime=9), ponder=True)),
        ("go ponder", Go(Limits(infinite=True), ponder=True)),
        (
            "go searchmoves e2e4 joho depth 3 searchmoves a1a2 infinite",
            Go(Limits(depth=3, infinite=True), ("e2e4", "joho", "a1a2"), until_stop=True),
        ),
        ("ponderhit", Word("ponderhit")),
        ("joho debug on", Debug(True)),
        ("debug joho off", Debug(False)),
        ("register name Stefan MK code 4359874324", Word("register")),
        ("setoption name Hash value 32", SetOption("Hash", "32")),
        ("setoption name Clear Hash", SetOption("Clear Hash", None)),
        ("setoption  name  Clear   Hash  value", SetOption("Clear Hash", None)),
        ("setoption name Path value  A  b /c ", SetOption("Path", " A  b /c ")),
        ("bench", Bench(None)),
        ("bench 7", Bench(7)),
        ("perft 4", Perft(4, False)),
        ("perft 4 divide", Perft(4, True)),
        ("go perft 4", Perft(4, True)),
        ("go perft 4 hash 8", Perft(4, True, 8)),
        ("", None),
        (" \t ", None),
    ],
)
def test_parse(line: str, command: object) -> None:
    assert parse_command(line) == command


@pytest.mark.parametrize(
    "line",
    [
        "joho",
        "position",
        "position moves e2e4",
        "position startpos e2e4",
        "position fen",
        "position fen moves e2e4",
        "go depth",
        "go depth x",
        "go depth -3",
        "go depth 1_0",
        "go depth ٣",
        "go depth -3.5",
        "go depth 3.x",
        "go depth 3,5",
        "go depth .",
        "go nodes 1e6",
        "go wtime 1000 btime",
        "go searchmoves",
        "go searchmoves depth 3",
        "go mate 0",
        "go mate x",
        "debug",
        "debug maybe",
        "setoption",
        "setoption Hash value 3",
        "setoption name",
        "perft",
        "perft x",
        "perft 1000",
        pytest.param(f"go depth {'0' * 90_000}x", id="zeros"),
        f"perft {10**30}",
        f"perft 3 hash -{10**30}",
        "bench x",
        "bench 0",
        "speedtest x",
        "speedtest 0",
        "speedtest 1025",
        "speedtest 1 16 10 3",
        "genfens",
        "genfens 0 seed 1 book None",
        "genfens 5 seed x book None",
        "genfens 5 seed 1",
        "genfens 5 book None seed 1",
    ],
)
def test_what_is_rejected(line: str) -> None:
    with pytest.raises(UciError) as error:
        parse_command(line)
    assert "\n" not in str(error.value)


@pytest.mark.slow
@given(st.text())
def test_no_text_breaks_the_parser(line: str) -> None:
    with suppress(UciError):
        parse_command(line)


@given(st.text())
def test_messages_are_one_line(text: str) -> None:
    assert len(format_message(shorten(text)).splitlines()) == 1
    assert len(shorten(text)) <= 60


WORDS = ["go", "position", "startpos", "fen", "moves", "depth", "setoption", "name", "value"]
WORDS += ["perft", "bench", "1", "-1", "x", "w"]


@given(st.lists(st.sampled_from(WORDS)))
def test_no_order_of_words_breaks_the_parser(words: list[str]) -> None:
    with suppress(UciError):
        parse_command(" ".join(words))


def test_decode() -> None:
    assert decode(b"uci\r\n") == "uci"
    assert decode(b"uci") == "uci"
    assert decode(b"\xef\xbb\xbfuci\n") == "uci"
    assert decode("position fen ♔\n".encode()) == "position fen ♔"


@pytest.mark.parametrize("raw", [b"isready\0\n", b"go \xff\n", b"x" * 100_000, b"\xc3\n"])
def test_undecodable(raw: bytes) -> None:
    with pytest.raises(UciError):
        decode(raw)


def test_the_longest_possible_game_is_no_line_too_long() -> None:
    assert len("position startpos moves" + 17_697 * " e2e4" + 1_000 * "q") < MAX_LINE < 100_000


@given(st.binary())
def test_no_bytes_break_decoding(raw: bytes) -> None:
    with suppress(UciError):
        decode(raw)


@pytest.mark.parametrize("words", ["dpeth 3", "5", "e2e4", "depth 3 4", "depth 3 perft 2"])
def test_unknown_words_of_go(words: str) -> None:
    """In a shell unknown words are errors; from a client they are ignored, as UCI demands."""
    assert isinstance(parse_go(words), Go)
    with pytest.raises(UciError, match="unknown word"):
        parse_go(words, strict=True)


@pytest.mark.parametrize("words", ["depth 3 searchmoves e2e4 nodes 9", "perft 3 hash 1 divide", ""])
def test_known_words_of_go(words: str) -> None:
    assert parse_go(words, strict=True) == parse_go(words)


@pytest.mark.parametrize("words", ["perft 3 4", "perft 3 hash 1 2"])
def test_unknown_words_of_a_perft(words: str) -> None:
    assert isinstance(parse_go(words), Perft)
    with pytest.raises(UciError, match="unknown word"):
        parse_go(words, strict=True)


def test_names_that_a_line_can_hold() -> None:
    assert one_line("/games/Ä b\t.bin") == "/games/Ä b\t.bin"
    for name in "d\udcffir", "a\nb", "a\rb":
        with pytest.raises(UciError, match=r": the name (is not UTF-8|has more than one line)$"):
            one_line(name)

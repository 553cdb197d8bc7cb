"""EPD lines as programs write them: what is corrected, and the errors for the rest."""

import contextlib
from time import perf_counter

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uci.apps.games.epd_line import (
    CONTROL,
    COUNTERS,
    FOUR_FIELDS,
    LONGEST_LINE,
    MARKS,
    QUOTES,
    SEMICOLON,
    UNQUOTED,
    BadEpd,
    clean_moves,
    read_line,
)

FEN = "r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R w KQkq -"


@pytest.mark.parametrize(
    ("operations", "moves", "name", "repairs"),
    [
        # python-chess reads these, too
        ('bm Qd7; id "a b";', ["Qd7"], "a b", set()),
        ('bm Qd7; id "a b"', ["Qd7"], "a b", set()),
        ('id "a b"; bm Qd7+ Qd6#;', ["Qd7", "Qd6"], "a b", set()),
        ("bm O-O 0-0-0; id 7;", ["O-O", "O-O-O"], "7", set()),
        ("; bm Qd7;", ["Qd7"], "", set()),
        ("bm Qd7; # not; am Qd6; bm Qd8", ["Qd7"], "", set()),
        ("bm Qd7 # the queen", ["Qd7"], "", {SEMICOLON}),
        ('bm Qd7; id "a # b"; #c', ["Qd7"], "a # b", set()),
        ("bm d2d7;", ["d2d7"], "", set()),
        ("bm Qd2-c8 Qd6;", ["Qd2-c8", "Qd6"], "", set()),
        (r'bm Qd7; id "a \"b\"; c";', ["Qd7"], 'a "b"; c', set()),
        # python-chess does not read these
        ("bm Qd7; id a b;", ["Qd7"], "a b", {UNQUOTED}),
        ("bm Qd7; id BK.01 ", ["Qd7"], "BK.01", {UNQUOTED}),
        ("id BK.01 bm Qd7", ["Qd7"], "BK.01", {UNQUOTED, SEMICOLON}),
        ("bm Qd7; id 'a b';", ["Qd7"], "a b", {QUOTES}),
        ("bm Qd7; id 'Réti's study';", ["Qd7"], "Réti's study", {QUOTES}),
        ("bm Qd7; id “a b”;", ["Qd7"], "a b", {QUOTES}),
        ("bm Qd7; id „a b“; c0 «x»", ["Qd7"], "a b", {QUOTES}),
        ('bm Qd7; id "a “b”";', ["Qd7"], "a “b”", set()),
        ('bm Qd7; id "a b;', ["Qd7"], "a b", {QUOTES}),
        ('bm "Qd7"; id "a b";', ["Qd7"], "a b", {QUOTES}),
        ("bm Qd7!;", ["Qd7"], "", {MARKS}),
        ("bm Qd7!? Qd6?!;", ["Qd7", "Qd6"], "", {MARKS}),
        ("bm Qd7 + ? ;", ["Qd7"], "", {MARKS}),
        ("bm Qd7++;", ["Qd7"], "", {MARKS}),
        ("bm Qd7, Qd6;", ["Qd7", "Qd6"], "", {MARKS}),
        ("bm Qd7,;", ["Qd7"], "", {MARKS}),
        ("bm 1.Qd7;", ["Qd7"], "", {MARKS}),
        ("bm 31. Qd7 23...Qd6;", ["Qd7", "Qd6"], "", {MARKS}),
        ("bm ♕d7;", ["Qd7"], "", {MARKS}),
        ("bm o-o;", ["O-O"], "", {MARKS}),
        ("bm e8(Q) e8/N e8=R;", ["e8=Q", "e8=N", "e8=R"], "", {MARKS}),
        ("bm e8 = Q e8 =N e8= r;", ["e8=Q", "e8=N", "e8=R"], "", {MARKS}),
        ("bm dxe8 ( Q ) a1 / n a1 (b), Qd7;", ["dxe8=Q", "a1=N", "a1=B", "Qd7"], "", {MARKS}),
        ("bm O - O 0 -0 - 0 e2 - e4;", ["O-O", "O-O-O", "e2-e4"], "", {MARKS}),
        ("bm exd6e.p. Q:d7;", ["exd6", "Qxd7"], "", {MARKS}),
        ('bm Qd7 id "a b"', ["Qd7"], "a b", {SEMICOLON}),
        ('id "a b" bm Qd7', ["Qd7"], "a b", {SEMICOLON}),
        ("bm Qd7 dm 3", ["Qd7"], "", {SEMICOLON}),
        ('bm c5 c0 "a"', ["c5"], "", {SEMICOLON}),
        ("0 1 bm Qd7;", ["Qd7"], "", {FOUR_FIELDS}),
        ('0 1; bm Qd7; id "a b";', ["Qd7"], "a b", {FOUR_FIELDS}),
        ("BM Qd7; ID 3;", ["Qd7"], "3", set()),
        ("bm Qd7; id BK.01\0", ["Qd7"], "BK.01", {CONTROL, UNQUOTED}),
        ("bm Qd7; bm Qd6;", ["Qd7", "Qd6"], "", set()),
    ],
)
def test_repairs(operations: str, moves: list[str], name: str, repairs: set[str]) -> None:
    line = read_line(f"{FEN} {operations}")
    assert line.moves("bm") == moves
    assert line.operands.get("id", "") == name
    assert line.repairs == repairs
    assert line.fen == f"{FEN} 0 1"


@pytest.mark.parametrize(
    ("tail", "counters"),
    [
        ("", "0 1"),
        (" 5 30", "5 30"),
        (" -1 -1 bm Qd7;", "0 1"),
        (" -1; bm Qd7;", "0 1"),
        (" - - bm Qd7;", "0 1"),
        (" 5 - bm Qd7;", "5 1"),
        (" bm Qd7; hmvc -1; fmvn -1;", "0 1"),
        (" 5 30 bm Qd7;", "5 30"),
        (" 5; bm Qd7;", "5 1"),
        (" bm Qd7; hmvc 7; fmvn 40;", "7 40"),
        (" 5 30 bm Qd7; hmvc 7;", "7 30"),
        ("; bm Qd7", "0 1"),
    ],
)
def test_counters(tail: str, counters: str) -> None:
    line = read_line(FEN + tail)
    assert line.fen == f"{FEN} {counters}"
    assert (COUNTERS in line.repairs) == (" -" in tail and "hmvc" not in tail)
    assert line.moves("bm") == (["Qd7"] if "bm" in tail else [])


@pytest.mark.parametrize("text", ["", "nonsense", "8/8/8/8/8/8/8/8 w -", "bm Qg6;"])
def test_what_has_no_position(text: str) -> None:
    with pytest.raises(BadEpd, match="not a position"):
        read_line(text)


def test_pawn_moves_that_look_like_opcodes() -> None:
    """c5 is a pawn move, unless a text in quotes follows: then it is an opcode."""
    line = read_line(f'{FEN} bm c3 c5 c7 "a comment" c0 x; c9 "y"')
    assert line.moves("bm") == ["c3", "c5"]
    assert (line.operands["c7"], line.operands["c0"]) == ("a comment", "x")
    assert line.operands["c9"] == "y"


def test_other_operations_do_no_harm() -> None:
    tail = "acd 5; bm Qd7; ce 32764; pv Sf3 nonsense!; v=-3; Ae Stockfish 15; draw; eco C00; id x;"
    line = read_line(f"{FEN} {tail}")
    assert line.moves("bm") == ["Qd7"]
    assert line.operands["id"] == "x"


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), max_size=20)
"""Texts that include quotes, semicolons and backslashes."""


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.integers(0, 10_000), max_size=12), st.data())
def test_what_python_chess_writes_is_read_as_it_reads_it(
    path: list[int], data: st.DataObject
) -> None:
    board = chess.Board()
    for number in path:
        moves = sorted(board.legal_moves, key=str)
        if not moves:
            break
        board.push(moves[number % len(moves)])
    if not any(board.legal_moves):
        return
    some = st.lists(st.sampled_from(sorted(board.legal_moves, key=str)), min_size=1, max_size=4)
    text = board.epd(
        hmvc=board.halfmove_clock, fmvn=board.fullmove_number,
        bm=data.draw(some), am=data.draw(some), dm=data.draw(st.integers(1, 99)),
        id=data.draw(TEXTS), c0=data.draw(TEXTS),
    )  # fmt: skip
    theirs = chess.Board()
    operations = theirs.set_epd(text)
    line = read_line(text)
    assert chess.Board(line.fen) == theirs
    for opcode in ("bm", "am"):
        assert [theirs.parse_san(move) for move in line.moves(opcode)] == operations[opcode]
    assert int(line.operands["dm"]) == operations["dm"]
    for opcode in ("id", "c0"):
        assert line.operands[opcode].split() == str(operations[opcode]).split()


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_or_named(text: str) -> None:
    for line in (text, f"{FEN} {text}", f"{FEN} bm {text}; id {text}"):
        with contextlib.suppress(BadEpd):
            assert all(move.strip() for move in read_line(line).moves("bm"))


@pytest.mark.parametrize("hostile", ["a “;", 'a ";', '"', "\\", "bm ", " ", "c0 '", "id "])
def test_a_hostile_line_takes_no_time(hostile: str) -> None:
    longest = f"{FEN} {hostile * LONGEST_LINE}"[:LONGEST_LINE]
    start = perf_counter()
    read_line(longest)
    assert perf_counter() - start < 2
    with pytest.raises(BadEpd, match="the line has 10,001 characters, the maximum is 10,000"):
        read_line(f"{longest}x")


@pytest.mark.parametrize("hostile", ["=", " ", "-", "a -", "8 = ", "(", "8(Q", "+ ", "!"])
def test_a_hostile_list_of_moves_is_cleaned_in_linear_time(hostile: str) -> None:
    start = perf_counter()
    list(clean_moves(hostile * (100_000 // len(hostile)) + "x", set()))
    assert perf_counter() - start < 2

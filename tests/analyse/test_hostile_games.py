"""Games and suites that are made to hang or crash a command are read in linear time."""

import io
import os
from collections.abc import Callable
from pathlib import Path

import chess
import pytest

from helpers.hostile import LIMIT, SIZE, finishes
from helpers.inline_executor import Inline
from helpers.three_games import call, read
from uci.apps.analyse.annotate import _remove_our_words
from uci.apps.epd.suite_file import read_problem, theme_of
from uci.apps.games.epd_line import clean_moves
from uci.apps.games.move_reading import read_move
from uci.apps.games.pgn_read import BadGame, read_game
from uci.apps.games.pgn_split import split_games, take_tags
from uci.apps.games.pgn_writer import pgn_of
from uci.apps.play.typed_moves import read_move as typed
from uci.chess_io.fen import read_fen
from uci.errors import UciError
from uci.protocol.commands import parse_setoption

READER_LIMIT = 6.0
"""Seconds of processor time to read a whole text: for the slowest, of 14,000 variations, 1 s."""

posix = pytest.mark.skipif(os.name != "posix", reason="processes are forked")

TAG = '[White "x"]'
FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


def many(text: str) -> str:
    return text * (SIZE // len(text))


def games(text: str) -> None:
    """Read all games of a text, and write them as PGN again."""
    for raw in split_games(io.BytesIO(text.encode())):
        try:
            game = read_game(raw)
        except BadGame:
            continue
        _remove_our_words(game)
        pgn_of(game)


GAMES = {
    "summaries": "{" + many("Black: b ??") + "} 1. e4 *",
    "summaries with facts": "{" + many("White: a, 1 ?!, 2 ?, 3 ??; ") + "} 1. e4 *",
    "whole summaries": "{" + many("White: 1 ?!, 2 ?, 3 ??. ") + "} 1. e4 *",
    "verdicts": "1. e4 {" + many("(+0.00 → +1.00) Blunder. e4 was best. ") + "} *",
    "arrows": "1. e4 {" + many("(→ ") + "} *",
    "evals": "1. e4 {" + many("[%eval #1") + "} *",
    "clocks": "1. e4 {" + many("[%clk 1:") + "} *",
    "open braces in a line comment": "1. e4 ;" + many("{") + "\n *",
    "open braces": "1. e4 " + many("{"),
    "comments": "1. e4 " + many("{x}") + " *",
    "comments of a variation": "1. e4 (" + many("{x}") + "1. d4) *",
    "parentheses": "1. e4 " + many("("),
    "nested variations": "1. e4 " + many("(1. d4 ") + many(")") + " *",
    "empty variations": "1. e4 " + many("({x}) ") + " *",
    "tags": many(TAG),
    "tags in a line with moves": many(TAG) + " 1. e4 *",
    "broken tags": many('[White "x'),
    "quotes": '[White "' + many('" ') + '"]\n\n1. e4 *',
    "backslashes": '[White "' + many("\\") + '"]\n\n1. e4 *',
    "brackets": many("[ "),
    "one number": "1. e4 " + many("1"),
    "dollars": "1. e4 " + many("$1"),
    "signs": "1. e4 " + many("!"),
    "checks": "1. e4" + many("+"),
    "en passant": "1. e4" + many(" e.p."),
    "spaces": "1. e4" + many(" ") + "e5 *",
    "results": "1. e4 " + many("1-0 "),
    "moves without spaces": many("Nf3"),
    "symbols": "1. e4 " + many("+--"),
    "novelties": "1. e4 " + many("N "),
    "lines": many("\n"),
    "old lines": many("\r"),
    "zeros": many("\0"),
}

SUITES = {
    "quotes": f"{FEN} " + many('"a;'),
    "curly quotes": f"{FEN} " + many("“a;"),
    "operations": f"{FEN} " + many("a;"),
    "numbers": f"{FEN} c0 " + many("1") + "x",
    "marks": f"{FEN} bm e4" + many("!") + "x;",
    "nags": f"{FEN} bm e4" + many("$1") + "x;",
    "spaces": f"{FEN} bm" + many(" ") + "x",
    "points": f'{FEN} bm e4; c0 "e4=1' + many(" ") + 'x";',
    "many points": f'{FEN} bm e4; c0 "' + many("e4=1,") + 'x";',
    "opcodes": f"{FEN} bm e4 " + many("c1 "),
    "a long number": f'{FEN} bm e4; c0 "e4={many("1")}";',
    "a long mate": f"{FEN} dm {many('1')};",
    "castling": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w " + many("K") + " - bm e4;",
    "clocks": f"{FEN} {many('1')} {many('1')} bm e4;",
    "a name": f'{FEN} bm e4; id "' + many("1 ") + 'x";',
    "a name of dashes": f'{FEN} bm e4; id "' + many("-") + 'x";',
    "a board": many("8/"),
}

CALLS: dict[str, Callable[[], object]] = {
    **{f"PGN: {name}": (lambda text=text: games(text)) for name, text in GAMES.items()},
    **{
        f"EPD: {name}": (lambda text=text: read_problem("x", 1, text))
        for name, text in SUITES.items()
    },
    "theme": lambda: theme_of(many("-1 ") + "x"),
    "moves of a suite": lambda: list(clean_moves(many("!") + "x " + many("$1"), set())),
    "a FEN": lambda: read_fen(f"{FEN} 0 1 " + many('"a')),
    "a move": lambda: read_move(chess.Board(), "e4" + many("!") + "x"),
    "a typed move": lambda: typed(chess.Board(), many("N")),
    "an option": lambda: parse_setoption(" name a" + many(" ") + "b"),
}


@pytest.mark.slow
@posix
@pytest.mark.parametrize("name", CALLS)
def test_hostile_texts_are_read_in_linear_time(name: str) -> None:
    assert finishes(CALLS[name], READER_LIMIT)


@pytest.mark.slow
@posix
def test_a_line_of_tags_as_long_as_a_game_may_be() -> None:
    line = TAG * ((1 << 22) // len(TAG))
    assert finishes(lambda: take_tags(line), 10 * LIMIT)
    assert len(take_tags(TAG * 1000 + " 1. e4")[0]) == 1000


def test_a_clock_of_thousands_of_digits_is_none(inline: Inline, games: Path) -> None:
    digits = "9" * 5000
    clocks = f"{{[%clk {digits}:00:00]}} e5 {{[%eval #{digits}]}} 2. d4 {{[%clk 0:0:{digits}]}}"
    games.write_text(f"1. e4 {clocks} *\n")
    assert call(games) == 0
    assert len(read(games.parent / "games.analysed.pgn")) == 1


@pytest.mark.parametrize("text", ["", "e4" * 40_000])
def test_what_is_no_move_is_named_shortly(text: str) -> None:
    with pytest.raises(UciError) as error:
        typed(chess.Board(), text)
    assert len(str(error.value)) < 200

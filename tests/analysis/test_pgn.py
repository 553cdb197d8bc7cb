"""PGN as it is found: good games are read, bad ones are named, and none swallows another."""

import io
import tracemalloc

import chess
import pytest

from uci.analysis.pgn_read import BadGame, foreign_move, read_game
from uci.analysis.pgn_split import LONGEST, RawGame, split_games

TAGS = '[Event "A"]\n[White "B"]\n[Result "1-0"]\n'
MOVES = "1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n"
GAME = f"{TAGS}\n{MOVES}\n"


def split(text: str | bytes) -> list[RawGame]:
    return list(split_games(io.BytesIO(text.encode() if isinstance(text, str) else text)))


def judged(text: str | bytes) -> list[str]:
    """Return the last move of each game, or what is wrong with it."""
    found = []
    for raw in split(text):
        try:
            found.append(read_game(raw).end().san())  # type: ignore[union-attr]
        except BadGame as error:
            found.append(str(error))
    return found


GOOD = "Qxe5#"
UNCLOSED = "a comment is not closed: { without }"
ILLEGAL = "illegal san: 'Kd7' in rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n\n\n", []),
        (GAME * 3, [GOOD] * 3),
        (GAME.replace("\n", "\r\n") * 2, [GOOD] * 2),
        (f"{TAGS}{MOVES}" * 2, [GOOD] * 2),  # no blank line anywhere
        (f"{TAGS}\n\n\n{MOVES}\n\n{GAME}", [GOOD] * 2),  # two after the tags
        (GAME.replace(" 2. ", "\n\n2. ") * 2, [GOOD] * 2),  # one inside the moves
        (f"{MOVES}\n{GAME}", [GOOD] * 2),  # no tags at all
        (f"{TAGS}\n% an escape {{\n{MOVES}\n{GAME}", [GOOD] * 2),
        (GAME.replace("e5", "e5 {a ; b} ; c { d\n") + GAME, [GOOD] * 2),
        (GAME.replace("e5", 'e5 {\n[%eval 0.2]\n[Opening "x"]\n}') + GAME, [GOOD] * 2),
        (GAME.replace("e5", "e5 {never closed") + GAME, [UNCLOSED, GOOD]),
        (GAME + GAME.replace("e5", "e5 {at the end"), [GOOD, UNCLOSED]),
        (f"{TAGS}\n{GAME}", ["it has no moves", GOOD]),
        (f"{TAGS}\n1-0\n\n{GAME}", ["it has no moves", GOOD]),
        (GAME.replace('"B"]', '"B]') + GAME, ['a broken tag: [White "B]', GOOD]),
        (GAME.replace('"B"', '"B\\"C\\\\"') + GAME, [GOOD] * 2),
        (GAME.replace("Ke7", "Kd7"), [ILLEGAL]),
        (GAME.replace("Qh5", "Dh5"), ["'Dh5' is not in English letters"]),
        (GAME.replace("Qh5", "♕h5"), ["'♕h5' is not in English letters"]),
        (GAME.replace("Qh5 Ke7 3. Qxe5#", "-- Ke7"), ["a side passes: "]),
        ('[Variant "Atomic"]\n' + GAME, ["the variant Atomic cannot be played"]),
        ('[Variant "Nonsense"]\n' + GAME, ["the variant Nonsense is unknown"]),
        ('[Variant "Chess960"]\n' + GAME, [GOOD]),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n' + GAME, ["its start: illegal FEN, no white king"]),
        ("Dear friend,\nI won a game.\n", ["it has no moves"]),
        (GAME.replace("e5", "e5 {" + "x" * LONGEST + "}") + GAME, ["it is longer than 4 MB", GOOD]),
    ],
)  # fmt: skip
def test_games_as_they_are_found(text: str, expected: list[str]) -> None:
    assert [
        line[: len(start)] for line, start in zip(judged(text), expected, strict=True)
    ] == expected


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "cp1252", "latin-1", "utf-16", "utf-16-le", "utf-16-be"]
)
def test_encodings(encoding: str) -> None:
    text = GAME.replace('"B"', '"Müller, Éric"') * 2
    mark = {"utf-16-le": "\ufeff", "utf-16-be": "\ufeff"}.get(encoding, "")
    first, second = split((mark + text).encode(encoding))
    assert read_game(first).headers["White"] == "Müller, Éric"
    assert judged((mark + text).encode(encoding)) == [GOOD] * 2
    assert second.number == 2


def test_where_a_game_is() -> None:
    games = split("\n\n" + GAME * 3)
    assert [game.number for game in games] == [1, 2, 3]
    assert [game.offset for game in games[1:]] == [2 + len(GAME), 2 + 2 * len(GAME)]


@pytest.mark.parametrize(
    "moves", ["1.Sf3", "1. Cf3 d5", "1. ♘f3", "1.e4 e5 2.Lc4", "1. Кf3", "1. e8=D", "8... Txe1+"]
)
def test_moves_of_other_languages(moves: str) -> None:
    assert foreign_move(moves) is not None


@pytest.mark.parametrize(
    "moves",
    ["1. e4 e5", "1.e4", "1...Nf6", "1. Nbd2 R1e2+ Qa1xb2#", "e2e4 e7e8q", "e2-e4 Ng1-f3",
     "O-O O-O-O 0-0", "e8=Q+ exd8=N#", "1-0", "(2. Sf 3)", "{Sf3} e4", "; Sf3\ne4", "e4! Nf3?! $6"],
)  # fmt: skip
def test_moves_in_english(moves: str) -> None:
    assert foreign_move(moves) is None


def test_a_long_file_takes_no_memory() -> None:
    stream = io.BytesIO(GAME.encode() * 5_000)
    tracemalloc.start()
    assert sum(1 for _ in split_games(stream)) == 5_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 500_000


def test_the_board_of_a_game_is_whole() -> None:
    (raw,) = split(GAME)
    assert read_game(raw).end().board() == chess.Board(
        "rnbq1bnr/ppppkppp/8/4Q3/4P3/8/PPPP1PPP/RNB1KBNR b KQ - 0 3"
    )

"""PGN as programs write it: good games are read, bad ones reported, and none hides the next."""

import io
import re
import tracemalloc

import chess
import pytest

from uci.apps.games.pgn_read import BadGame, read_game
from uci.apps.games.pgn_split import LONGEST, RawGame, split_games
from uci.apps.games.pgn_words import words
from uci.apps.games.pgn_writer import pgn_of

TAGS = '[Event "A"]\n[White "B"]\n[Result "1-0"]\n'
MOVES = "1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n"
GAME = f"{TAGS}\n{MOVES}\n"


def split(text: str | bytes) -> list[RawGame]:
    return list(split_games(io.BytesIO(text.encode() if isinstance(text, str) else text)))


def judged(text: str | bytes) -> list[str]:
    """Return the last move of each game, or the message about a bad game."""
    found = []
    for raw in split(text):
        try:
            found.append(read_game(raw).end().san())  # type: ignore[union-attr]
        except BadGame as error:
            found.append(str(error))
    return found


GOOD = "Qxe5#"
TOO_LONG = "it is longer than 4 MB"
UNCLOSED = "a comment is not closed: { without }"


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
        (GAME.replace(" e5", " e5 {a ; b} ; c { d\n") + GAME, [GOOD] * 2),
        (GAME.replace(" e5", ' e5 {\n[%eval 0.2]\n[Opening "x"]\n}') + GAME, [GOOD] * 2),
        (GAME.replace(" e5", " e5 {never closed") + GAME, [UNCLOSED, GOOD]),
        (GAME + GAME.replace(" e5", " e5 {at the end"), [GOOD, UNCLOSED]),
        (f"{TAGS}\n{GAME}", ["it has no moves", GOOD]),
        (f"{TAGS}\n1-0\n\n{GAME}", ["it has no moves", GOOD]),
        (GAME.replace('"B"]', '"B]') + GAME, ['a broken tag: [White "B]', GOOD]),
        (GAME.replace('"B"', '"B\\"C\\\\"') + GAME, [GOOD] * 2),
        (GAME.replace("Qh5", "Dh5"), ["'Dh5' does not use English piece letters"]),
        (GAME.replace("e4 e5", "Ke2 e5"), ["1. Ke2 is illegal"]),
        (GAME.replace("e4 e5", "-- e5"), ["1. -- is a null move"]),
        ('[Variant "Atomic"]\n' + GAME, ["the variant Atomic is not supported"]),
        ('[Variant "Nonsense"]\n' + GAME, ["the variant Nonsense is unknown"]),
        ('[Variant "Chess960"]\n' + GAME, [GOOD]),
        (
            '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n' + GAME,
            ["starting position: illegal FEN, no white king"],
        ),
        ("Dear friend,\nI won a game.\n", ["'Dear' is not a move"]),
        ("{ a file }\n; of games\n" + GAME * 2, [GOOD] * 2),
        (GAME.replace("\n", "\r") * 2, [GOOD] * 2),
        (GAME + "\0\0\0\n\x1a", [GOOD]),
        (f"{GAME}\ufeff{GAME}", [GOOD] * 2),
        (f"[pgn]\n{GAME}[/pgn]\n{GAME}", [GOOD] * 2),
        (MOVES * 3, [GOOD] * 3),  # no tags, no blank lines
        (f"{MOVES}{{so it ended}}\n{MOVES}", [GOOD] * 2),
        (MOVES.replace(" 1-0", "") * 2, [GOOD] * 2),  # nothing between them but 1.
        (MOVES.replace("e5", "(\n1. d4) e5", 1) * 2, [GOOD] * 2),
        (f"{MOVES}Played in Berlin.\n{MOVES}", [GOOD, "'Played' is not a move", GOOD]),
        (TAGS.replace("\n", " ") + GAME, [GOOD]),
        (f"{TAGS[:-1]} {MOVES}{GAME}", [GOOD] * 2),
        (GAME.replace("[", "  [ ") * 2, [GOOD] * 2),
        (GAME.replace('"B"', '"B "C" D\\"'), [GOOD]),
        (GAME.replace("White", "White-Elo+2"), [GOOD]),
        (GAME.replace("White", "Weiß"), ['a broken tag: [Weiß "B"]']),
        ('[Variant ""]\n' + GAME, [GOOD]),
        ('[Variant "Crazyhouse"]\n\n1. e4 d5 2. exd5 Qxd5 3. P@e4', ["the variant Crazyhouse"]),
        (TAGS.replace("1-0", "won") * 2 + MOVES, ["it has no moves", GOOD]),
        ('[White "A"]\n\n' * 2 + MOVES, ["it has no moves", GOOD]),
        (GAME.replace(" e5", " e5 {" + "x" * LONGEST + "}") + GAME, [TOO_LONG, GOOD]),
        (GAME.replace(" e5", "\n{" + "x" * (LONGEST - 3000) + "} e5"), [GOOD]),  # one line
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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_where_a_game_is(encoding: str, end: str) -> None:
    extra = "" if encoding == "cp1252" else "♞𝔸"
    text = f"\n\n{GAME * 2}{MOVES * 2}".replace('"B"', f'"Müller{extra}"').replace("\n", end)
    data = text.encode(encoding)
    games = split(data)
    assert [game.number for game in games] == [1, 2, 3, 4]
    codec = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le"}.get(encoding, encoding)
    for game, start in zip(games, ("[Event", "[Event", "1. e4", "1. e4"), strict=True):
        assert data[game.offset :].startswith(start.encode(codec))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"A \"B\" C", 'A "B" C'),
        ('A "B" C', 'A "B" C'),
        (r"C:\x\\y", r"C:\x\y"),
        ("A\\", "A\\"),
    ],
)
def test_tags_are_read_and_written(written: str, meant: str) -> None:
    (raw,) = split(f'[White "{written}"]\n\n{MOVES}')
    game = read_game(raw)
    assert game.headers["White"] == meant
    (raw,) = split(pgn_of(game))
    assert read_game(raw).headers["White"] == meant


@pytest.mark.parametrize(
    ("tag", "result"),
    [("?", "1-0"), ("", "1-0"), ("1:0", "1-0"), ("1-0 forfeit", "1-0"), ("*", "1-0"),
     ("0-1", "0-1"), ("½-½", "1/2-1/2")],
)  # fmt: skip
def test_the_moves_tell_the_result_where_the_tag_does_not(tag: str, result: str) -> None:
    (raw,) = split(f'[Event "A"]\n[Result "{tag}"]\n\n1. e4 e5 1-0\n')
    game = read_game(raw)
    assert game.headers["Result"] == result
    assert pgn_of(game).split()[-1] == result


def test_what_is_said_can_be_printed() -> None:
    for text in ('[White \x1b[2J"]', '[Variant "\x1b[2J\x85\u2028"]', "1. \x1be4"):
        assert all(line.isprintable() for line in judged(f"{text}\n{MOVES}"))


@pytest.mark.parametrize(
    "moves",
    ["1.Sf3", "1. Cf3 d5", "1.e4 e5 2.Lc4", "1. Кf3", "1. e8=D", "1. e8D", "8... Txe1+", "1. sf3"],
)  # fmt: skip
def test_moves_of_other_languages(moves: str) -> None:
    with pytest.raises(ValueError, match="does not use English piece letters"):
        list(words(moves))


@pytest.mark.parametrize(
    ("moves", "read"),
    [
        ("1. e4 e5", "e4 e5"),
        ("1.e4 1...Nf6", "e4 Nf6"),
        ("1 e4 1… e5 2 . Nf3 2. ... Nc6", "e4 e5 Nf3 Nc6"),
        ("1. Nbd2 R1e2+ Qa1xb2#", "Nbd2 R1e2 Qa1xb2"),
        ("e2e4 e7e8q e2-e4 Ng1-f3 e:d5", "e2e4 e7e8q e2-e4 Ng1-f3 e:d5"),
        ("♘f3 nf3 Pe4 pe4 ♟e5 N:f3", "♘f3 nf3 Pe4 pe4 ♟e5 N:f3"),
        ("e8(Q)+ e8=(Q) e8/Q a7-a8(N)", "e8(Q) e8=(Q) e8/Q a7-a8(N)"),
        (
            "b8(Q) axb8(Q)+ bxa8(Q) ba8=(N) b7xc8/R bxa1(n)#",
            "b8(Q) axb8(Q) bxa8(Q) ba8=(N) b7xc8/R bxa1(n)",
        ),
        ("bg1(Bf2) bc3 (bd4)", "bg1 ( Bf2 ) bc3 ( bd4 )"),
        ("exd6 (e.p.) exd6 (ep)+ d4", "exd6 exd6 d4"),
        ("e8=Q+ exd8=N# e8Q++", "e8=Q exd8=N e8Q"),
        ("exd6 e.p. exd6ep+ exd6e.p.", "exd6 exd6 exd6"),
        ("O-O O-O-O 0-0+ 0-0-0 o-o O–O", "O-O O-O-O O-O O-O-O O-O O-O"),
        ("1. e4 {Sf3} e5 ; Dxh7} x\ne4", "e4 {Sf3} e5 { Dxh7 x} e4"),
        ("e4! Nf3?! $6 $0 $140", "e4 ! Nf3 ?! $6 $140"),
        ("e4+= e5+- Nf3= ∞ Nc6 +/-", "e4 $14 e5 $18 Nf3 $10 $13 Nc6 $16"),
        ("Nf3 N Nf6 D e4 RR c5 ~", "Nf3 $146 Nf6 $201 e4 $145 c5 $13"),
        ("Nf3N e4N Nc6+N e8N Ne8N", "Nf3 $146 e4 $146 Nc6 $146 e8N Ne8 $146"),
        ("e4+-- e5 --+ d4 -> d5+> c4 /\\ c5", "e4 $20 e5 $21 d4 $40 d5 $40 c4 $140 c5"),
        ("e4 (_) ( -- --+ ) [+] << >>> =/& ZZ", "e4 $142 ( -- $21 ) $48 $62 $58 $44 $22"),
        ("e4 1:0", "e4 1-0"),
        ("e4 0:1", "e4 0-1"),
        ("e4 ½:½", "e4 1/2-1/2"),
        ("e4 1/2:1/2 {so}", "e4 1/2-1/2 {so}"),
        ("e4 (d4) e5 (1... c5 (c6) 2. d4 1-0)", "e4 ( d4 ) e5 ( c5 ( c6 ) d4 {1-0} )"),
        ("e4 ({nothing}) e5 (=)", "e4 {nothing} e5 $10"),
        ("$146 {so} e4! ($142 1... c5)", "{so} e4 $146 ! ( c5 $142 )"),
        ("e4 (! {a} +- d4 ? (± {x} c4) e5) c5", "e4 ( {a} d4 ! $18 ? ( {x} c4 $16 ) e5 ) c5"),
        ("e4 ({before} d4)", "e4 ( {before} d4 )"),
        ("e4 e5 1-0", "e4 e5 1-0"),
        ("e4 e5 1–0 {so}", "e4 e5 1-0 {so}"),
        ("e4 e5 ½-½", "e4 e5 1/2-1/2"),
        ("e4 e5 1/2", "e4 e5 1/2-1/2"),
        ("e4 Z0", "e4 --"),
    ],
)
def test_words_of_moves(moves: str, read: str) -> None:
    assert " ".join(words(moves)) == read


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        ("1. e4 xyz e5", "'xyz' is not a move"),
        ("1. Nf 3", "'Nf' is not a move"),
        ("1. e4 } e5", "a } without {"),
        ("1. e4 { a { b } c } e5", "'c' is not a move"),
        ("1. e4 ) e5", "a ) without ("),
        ("1. e4 ( 1. d4 d5", "a variation is not closed"),
        ("( 1. d4 ) 1. e4", "a variation before the first move"),
        ("1. e4 ( ( 1. d4 ) 1. c4 )", "a variation before the first move"),
        ("1. e4 e5 1-0 1. d4", "text after the result"),
        ("1. Nf3Nc6", "is not a move"),
        ("1. e4 N x d5", "'x' is not a move"),
        ("1. e4 <diagram>", "'<diagram>' is not a move"),
        ("1. e4 { a", "a comment is not closed"),
    ],
)
def test_words_that_nobody_understands(moves: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        list(words(moves))


def test_a_sign_before_a_first_move_is_of_that_move() -> None:
    (raw,) = split("$146 1. e4 $10 e5 ($142 {so} 1... c5 $5 ) 2. Nf3 (=) *")
    text = " ".join(pgn_of(read_game(raw)).split())
    assert "1. e4 $10 $146 e5 ( { so } 1... c5 $5 $142 ) 2. Nf3 $10" in text


ENDS = [
    ("1. e4 e5 2. Ke3 Nf6", "e5", ["2. Ke3 is illegal"]),
    ("1. e4 e5 2. -- Nf6", "e5", ["2. -- is a null move"]),
    # On an electronic board, a king in the centre ends the game.
    ("1. e4 e5 2. Qh5 Ke7 3. Qxe5# Kd4 1-0", "Qxe5#", ["3... Kd4 is illegal"]),
    ("1. Nf3 a6 2. d4 a5 3. Nd2", "a5", ["3. Nd2 is ambiguous: Nbd2 or Nfd2"]),
    ("1. d4 (1. Ke2) (1. Nf3) d5 *", "d5", ["1. Ke2 is illegal"]),
    ("1. e4 e5 (1... e6 2. Nf3) 2. d4", "d4", []),
    ("1. e4 e5 (1... c5 2. Qh6 (2. Nf3 {x} d6) Nc6) 2. d4", "d4", ["2. Qh6 is illegal"]),
    ("1. e4 e5 (1... Kd5 (1... Ke5)) 2. Ke3 (2. d4)", "e5",
     ["1... Kd5 is illegal", "2. Ke3 is illegal"]),
    ("1. e4 e5 2. a8 Nf6", "e5", ["2. a8 is illegal"]),
    ("1. e4 e5 2. d4=Q", "e5", ["2. d4=Q is illegal: it is not a promotion"]),
]  # fmt: skip


@pytest.mark.parametrize(("moves", "last", "ends"), ENDS)
def test_a_line_ends_before_a_move_that_cannot_be_made(
    moves: str, last: str, ends: list[str]
) -> None:
    (raw,) = split(f"{TAGS}\n{moves}\n")
    game = read_game(raw)
    assert game.end().san() == last  # type: ignore[union-attr]
    assert [str(end) for end in game.errors] == ends
    again = read_game(split(pgn_of(game))[0])
    assert not again.errors
    assert again.end().board() == game.end().board()


def test_what_follows_an_illegal_move_stays_as_a_comment() -> None:
    (raw,) = split("1. d4 (1. Ke2) (1. Nf3 d5 {x} 2. Kf2 (2. g3 {y} g6)) d5 2. Kd3 {z} f5 *\n")
    game = read_game(raw)
    first, second = game.mainline()
    assert first.comment == "1. Ke2 is illegal."
    assert second.comment == "2. Kd3 is illegal. The source continues: Kd3 (z) f5"
    (side,) = game.variations[1:]
    assert side.end().comment == ("x 2. Kf2 is illegal. The source continues: Kf2 ( g3 (y) g6 )")
    assert [end.variation for end in game.errors] == [True, True, False]  # type: ignore[attr-defined]


@pytest.mark.slow
def test_variations_of_any_depth_are_read() -> None:
    (raw,) = split("1. e4 " + "(1. d4 " * 20_000 + ")" * 20_000 + " e5 *\n")
    game = read_game(raw)
    assert [move.uci() for move in game.mainline_moves()] == ["e2e4", "e7e5"]


def test_python_chess_says_nothing_itself(caplog: pytest.LogCaptureFixture) -> None:
    assert judged(GAME.replace("Ke7", "Kd7")) != [GOOD]
    assert not caplog.records


def test_a_long_file_takes_no_memory() -> None:
    stream = io.BytesIO(GAME.encode() * 1_000)
    tracemalloc.start()
    assert sum(1 for _ in split_games(stream)) == 1_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 500_000


def test_the_board_of_a_game_is_whole() -> None:
    (raw,) = split(GAME)
    assert read_game(raw).end().board() == chess.Board(
        "rnbq1bnr/ppppkppp/8/4Q3/4P3/8/PPPP1PPP/RNB1KBNR b KQ - 0 3"
    )


@pytest.mark.parametrize(
    ("names", "canonical"),
    [
        ("Regular|regular chess|Standard Chess|NORMAL CHESS|Orthodox|setup", "Standard"),
        (
            "FRC|chess-960|Chess_960|960|Fischer-Random|fischer random chess|Fischer Random Chess"
            "|Freestyle|freestyle chess|chess9LX|DFRC",
            "Chess960",
        ),
        ("Standard|chess|From Position|normal", None),
        ("Chess960|chess 960|Fischerandom|fischer random", None),
    ],
)
def test_names_of_variants(names: str, canonical: str | None) -> None:
    """Names that python-chess does not know are written in its own form; others stay."""
    for name in names.split("|"):
        (raw,) = split(f'[Variant "{name}"]\n{GAME}')
        game = read_game(raw)
        assert game.headers["Variant"] == (canonical or name)
        is_960 = canonical == "Chess960" or "960" in name or "ischer" in name
        assert game.board().chess960 == is_960, name

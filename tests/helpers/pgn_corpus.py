"""PGN files of every kind, made from a seed, with their good games and the faults of bad ones."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import chess
import chess.pgn

from helpers.pgn_games import (
    RESULTS,
    STYLES,
    Style,
    branch,
    comment,
    played_game,
    random_game,
    sign,
    write,
)

CASTLING = "r3k2r/ppp2ppp/2n2n2/3pp3/3PP3/2N2N2/PPP2PPP/R3K2R w KQkq - 0 8"
PROMOTING = "1n6/P1P2k2/8/8/8/8/2K2p1p/6N1 b - - 0 40"

STARTS = {
    "mate in one": "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1",
    "black to move": "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
    "en passant": "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "castling": CASTLING,
    "promoting": PROMOTING,
    "ending": "8/2k5/3p4/8/3P1K2/8/8/8 w - - 12 71",
    "pawnless": "8/8/4k3/8/8/2BNK3/8/8 w - - 99 120",
    "late": "4k3/8/8/8/8/8/4P3/4K3 b - - 0 300",
}

COMMENTS = {
    "plain": "a plain word",
    "brace": "an { open brace",
    "brackets": "( not a variation ) [Not a tag] ; % 1-0 1. e4 $3",
    "letters": "Müller — ♘f3 Sf3 Кf3 東京 𝔸",
    "latin": "Müller, Éric – señor",
    "clocks": "[%clk 0:01:59] [%emt 0:00:01.5]",
    "evals": "[%eval 0.25,18] good",
    "mates": "[%eval #-3] bad",
    "chessbase": "[%evp 0,19,19,-30] [%mdl 8192] [%tqu \"En\",\"\",\"\",\"\",\"e2e4\",\"\",10]",
    "arrows": "[%csl Ga1,Rh8][%cal Gb1c3,Yd2d4]",
    "cutechess": "+0.25/12 1.2s",
    "mate of cutechess": "+M5/22 0.9s, White mates",
    "lines": "one line\n% no escape\nand [Event] another",
    "tag": "see\n[Opening \"x\"]\nthere",
    "long": "word " * 400 + "end",
}  # fmt: skip


@dataclass(frozen=True)
class Sample:
    """The text of a game; ``game`` is what a reader must find in it, ``None`` for a bad game.

    ``why`` is a part of the message about a bad game, or about one that is read in part.
    """

    kind: str
    text: str
    game: chess.pgn.Game | None = None
    why: str = ""


@dataclass(frozen=True)
class CorpusFile:
    """A file with the samples in their order, and the byte at which each begins."""

    name: str
    data: bytes
    samples: tuple[Sample, ...]
    offsets: tuple[int, ...]


def corpus(seed: int = 1) -> list[CorpusFile]:
    """Return files with more than 200 games in all."""
    dice = random.Random(seed)
    files = [
        build("styles.pgn", styles(dice)),
        build("comments.pgn", comments(dice)),
        build("starts.pgn", starts(dice)),
        build("endings.pgn", endings(dice)),
        build("tags.pgn", tags(dice)),
        build("bad.pgn", between(bad(dice), dice)),
        build("dense.pgn", between(bad(dice), dice), gap=""),
        build("airy.pgn", between(list(styles(dice))[::3], dice), gap="\n \n\n\t\n"),
        build("tagless.pgn", tagless(dice), gap=""),
        build("tagless-2.pgn", tagless(dice), gap="\n\n"),
        build(
            "headers.pgn", [Sample("headers", HEADERS.format(n), None, "no moves") for n in "ab"]
        ),
        build("letter.pgn", [Sample("plain text", "Dear Max,\nI won.\n", None, "'Dear'")]),
        CorpusFile("empty.pgn", b"", (), ()),
        CorpusFile("blank.pgn", b"\n\n \r\n", (), ()),
        CorpusFile("zeros.pgn", bytes(5000), (), ()),
    ]
    for encoding in ("utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be"):
        for name, end in {"unix": "\n", "windows": "\r\n", "mac": "\r"}.items():
            few = list(between(encoded(dice, encoding), dice))
            files.append(build(f"{encoding}-{name}.pgn", few, encoding=encoding, end=end))
    return files


def build(
    name: str, samples: Iterator[Sample] | list[Sample], gap: str = "\n", encoding: str = "utf-8",
    end: str = "\n",
) -> CorpusFile:  # fmt: skip
    """Return a file of some samples, with ``gap`` behind each."""
    them = tuple(samples)
    codec = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le"}.get(encoding, encoding)
    data = "".encode(encoding)  # the byte order mark, if there is one
    offsets = []
    for sample in them:
        offsets.append(len(data))
        data += (sample.text + gap).replace("\n", end).encode(codec)
    return CorpusFile(name, data, them, tuple(offsets))


def good(
    kind: str, game: chess.pgn.Game, style: Style = STYLES["plain"], before: str = ""
) -> Sample:
    """Return a game that must be analysed, written in a ``style``."""
    return Sample(kind, before + write(game, style), game)


def between(samples: Iterator[Sample] | list[Sample], dice: random.Random) -> Iterator[Sample]:
    """Yield the samples with good games between them, none of which may be swallowed."""
    yield good("first", random_game(dice, 2))
    for sample in samples:
        yield sample
        yield good(f"after {sample.kind}", random_game(dice, dice.randrange(1, 4)))


def styles(dice: random.Random) -> Iterator[Sample]:
    """Yield games in every style, some with castling, promotions, comments and variations."""
    for name, style in STYLES.items():
        for start in (None, CASTLING, PROMOTING):
            game = random_game(dice, 7, chess.Board(start) if start else None)
            comment(game, ["", "a word", "", "two words"])
            yield good(name, branch(sign(game, [2, 4]), dice, 2), style)


def comments(dice: random.Random) -> Iterator[Sample]:
    """Yield games with each kind of comment, with every NAG, and with variations in variations."""
    for name, text in COMMENTS.items():
        game = comment(random_game(dice, 3), ["", text])
        game.comment = text if name != "evals" else ""
        yield good(f"comment: {name}", game)
    game = random_game(dice, 51)
    for first in range(1, 256, 51):  # five NAGs a move: Scid reads at most eight
        sign(game, range(first, first + 51))
    yield good("every NAG", game)
    for depth in (1, 3, 6):
        yield good(f"variations {depth} deep", branch(random_game(dice, 8), dice, depth))
    game = played_game("e4 e5 Nf3")
    text = write(game)
    yield Sample("empty variation", text.replace("e5", "e5 ({nothing}) (=)"), game)
    yield Sample("quoted result", text.replace("e5", "e5 (1... c5 1-0)"), game)
    yield Sample("symbols", text.replace("e5", "e5+= = 2. ").replace("e4", "e4 □"), game)
    game = played_game("e4 e5 Nf3")
    node = game.variations[0].add_variation(chess.Move.null())
    node.add_variation(chess.Move.from_uci("d2d4"))
    yield good("null move in a variation", game)
    for name, moves in SPELLINGS.items():
        yield Sample(name, f"{moves} 1:0\n", played_game("e4 e5 Nf3", Result="1-0"))


def starts(dice: random.Random) -> Iterator[Sample]:
    """Yield games from positions, and of Chess960."""
    for name, fen in STARTS.items():
        yield good(name, random_game(dice, 4, chess.Board(fen)))
        game = random_game(dice, 4, chess.Board(fen))
        del game.headers["SetUp"]
        yield good(f"{name}, SetUp missing", game)
    for number, name in enumerate(("Chess960", "chess 960", "fischerandom", "Fischerrandom")):
        board = chess.Board.from_chess960_pos(dice.randrange(960))
        game = random_game(dice, 12, board, Variant=name)
        yield good(f"Variant {name}", game, STYLES["zeros" if number % 2 else "plain"])
    for name in ("Standard", "From Position", "chess"):
        yield good(f"Variant {name}", random_game(dice, 2, Variant=name))
    for name in ("", "?"):
        yield good("Variant unsaid", random_game(dice, 2), before=f'[Variant "{name}"]\n')


def endings(dice: random.Random) -> Iterator[Sample]:
    """Yield long and short games, and those that end on the board."""
    yield good("mate", played_game("e4 e5 Qh5 Ke7 Qxe5"))
    yield good("mate by Black", played_game("f3 e5 g4 Qh4"))
    stalemate = "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7 Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6"
    yield good("stalemate", played_game(stalemate))
    yield good("repetition", played_game("Nf3 Nf6 Ng1 Ng8 " * 3))
    yield good("bare kings", played_game("Kxd5", "k7/8/8/3p4/4K3/8/8/8 w - - 0 1"))
    yield good("one ply", random_game(dice, 1))
    yield good("one ply by Black", random_game(dice, 1, chess.Board(STARTS["black to move"])))
    shuffle = " ".join(("Nf3 Nf6 Ng1 Ng8", "Nc3 Nc6 Nb1 Nb8")[n % 2] for n in range(75))
    yield good("300 plies", played_game(shuffle))
    for result in RESULTS:
        yield good(f"result {result}", random_game(dice, 3, result=result))


HEADERS = '[Event "{}"]\n[White "x"]\n[Result "1-0"]\n'


def tags(dice: random.Random) -> Iterator[Sample]:
    """Yield games with odd tags, few tags, or with something before them."""
    before = "% an escape\n; a remark\n{ a comment }\n"
    yield good("after remarks", random_game(dice, 2), before=before)
    odd = {
        "Event": 'The "great" \\ open', "White": "O'Neil, \\\\ \"J\"", "Site": "", "Round": "3 (2)",
        "Annotator": "me", "White-Elo": "2000", "A+B=C#1:2": "x", "9th": "y", "EventDate": "?",
        "Long": "z" * 200, "Brackets": "[x] ] {", "ECO": "Z99", "Opening": "mine",
    }  # fmt: skip
    yield good("odd tags", random_game(dice, 2, None, "", **odd))
    for name in ("Event", "White", "Result", "Opening"):
        game = random_game(dice, 2)
        text = write(game)
        few = "".join(line for line in text.splitlines(True) if line[:1] != "[")
        result = game.headers["Result"]
        game.headers.clear()
        game.headers[name] = result if name == "Result" else "alone"
        yield Sample(f"only {name}", f'[{name} "{game.headers[name]}"]{few}', game)
    loose = random_game(dice, 2, White='Ann "Kit" Lee', Black="C:\\x\\", Event="end\\")
    plain = "".join(f'[{name} "{value}"]\n' for name, value in loose.headers.items())
    moves = write(loose).partition("\n\n")[2]
    yield Sample("quotes as they come", f"{plain}\n{moves}", loose)
    yield good("in a forum", random_game(dice, 2), before="[pgn]\n")


def tagless(dice: random.Random) -> Iterator[Sample]:
    """Yield games without tags, with nothing between them but results or the number 1."""
    for index in range(8):
        game = random_game(dice, 4, result=RESULTS[index % 4])
        result = game.headers["Result"] if index % 3 else ""
        game.headers.clear()
        text = write(game, Style(result=False))
        yield Sample("tagless", f"{text.rstrip()} {result}\n".replace(" \n", "\n"), game)


def encoded(dice: random.Random, encoding: str) -> Iterator[Sample]:
    """Yield games with letters that an encoding has."""
    name = "Müller, Éric" if encoding == "cp1252" else "Müller, Éric, Кaspar 東京 𝔸"
    text = COMMENTS["latin" if encoding == "cp1252" else "letters"]
    yield good(encoding, comment(random_game(dice, 3, White=name), [text]))
    yield Sample(f"German in {encoding}", bad_text("1. e4 e5 2. Lc4", White=name), None, "'Lc4'")


def bad_text(moves: str, **tags: str) -> str:
    """Return the text of a game with these moves."""
    them = {"Event": "bad", "White": "x", "Result": "1-0"} | tags
    return "".join(f'[{name} "{value}"]\n' for name, value in them.items()) + f"\n{moves} 1-0\n"


BAD = {
    "German": ("1. e4 e5 2. Sf3", "'Sf3'"),
    "German promotion": ("1. e4 e5 2. e8=D", "'e8=D'"),
    "German, a pawn's way": ("1.Sf3$1 d5", "'Sf3"),
    "French": ("1. e4 e5 2. Cf3", "'Cf3'"),
    "Russian": ("1. e4 e5 2. Кf3", "'Кf3'"),
    "an unclosed comment": ("1. e4 { the rest is e5 2. Nf3", "{ without }"),
    "an unclosed variation": ("1. e4 e5 ( 1... c5 2. Nf3", "( without )"),
    "nested braces": ("1. e4 { a { b } Nf6 } e5", "} without {"),
    "a stray brace": ("1. e4 } e5", "} without {"),
    "a stray parenthesis": ("1. e4 ) e5", ") without ("),
    "a variation first": ("( 1. d4 ) 1. e4 e5", "before the first move"),
    "no moves": ("", "no moves"),
    "no moves but a comment": ("{ not played }", "no moves"),
    "plain words": ("1. e4 and wins", "'and'"),
    "null bytes": ("1. e4 e5 2. N\0f3", "N f3 may be Nf3"),
    "two moves in one": ("1. e4 e5 2. Nf3Nc6", "'Nf3Nc6'"),
    "two games in one": ("1. e4 e5 1-0 1. d4 d5", "text after the result"),
    "a diagram": ("1. e4 e5 <diagram>", "'<diagram>'"),
    "too long": ("1. e4 {" + "x" * (1 << 22) + "} e5", "longer than 4 MB"),
}


PARTIAL = {
    "an illegal move": ("1. e4 e5 2. Ke3 d5", "e4 e5", "2. Ke3 is illegal"),
    "an ambiguous move": ("1. Nf3 a6 2. d4 a5 3. Nd2", "Nf3 a6 d4 a5", "3. Nd2 is ambiguous"),
    "an illegal variation": ("1. e4 e5 ( 1... Qa4 ) 2. d4", "e4 e5 d4", "1... Qa4 is illegal"),
    "two illegal variations": ("1. d4 (1. Ke2) (1. Kd2) d5", "d4 d5", "2 is illegal"),
    "a null move": ("1. e4 -- 2. d4", "e4", "1... -- is a null move"),
    "a null move as Z0": ("1. c4 Z0 2. d4", "c4", "1... -- is a null move"),
    "a board's king signal": ("1. e4 e5 2. Nf3 Ke4 3. Ke5", "e4 e5 Nf3", "2... Ke4 is illegal"),
}
"""Texts of games, the part that is read, and the reason why no more is."""

SPELLINGS = {
    "small letters": "1. e4 e5 2. nf3",
    "figurines": "1. ♙e4 e5 2. ♘f3",
    "text figurines": "1. e4 ♟\ufe0ee5 2. ♘\ufe0ef3",
    "pawns with letters": "1. Pe4 pe5 2. Ng1-f3",
    "signs of Scid": "1. e4 N e5 D 2. Nf3 RR ~ +-- --+ -> /\\",
    "attached novelties": "1. e4N e5N 2. Nf3N",
}
"""Ways to write one game."""

BAD_STARTS = (
    "8/8/8/8/8/8/8/8 w - - 0 1", "nonsense", "k7/8/8/8/8/8/8/K w", "9/8/8/8/8/8/8/8 w - - 0 1",
    "kk6/8/8/8/8/8/8/K7 w - - 0 1", "k6R/8/8/8/8/8/8/K7 w - - 0 1", "",
)  # fmt: skip


def bad(dice: random.Random) -> Iterator[Sample]:
    """Yield games that cannot be analysed, each of a kind of its own."""
    for kind, (moves, why) in BAD.items():
        yield Sample(kind, bad_text(moves), None, why)
    for kind, (moves, read, why) in PARTIAL.items():
        game = played_game(read, Event="bad", White="x", Result="1-0")
        yield Sample(kind, bad_text(moves), game, why)
    for kind, tag in {
        "a quote is missing": '[Black "y]',
        "a bracket is missing": '[Black "y"',
        "no quotes": "[Black y]",
        "an odd name": '[Schwarz-ß "y"]',
    }.items():
        text = bad_text("1. e4 e5").replace("[White", f"{tag}\n[White", 1)
        yield Sample(kind, text, None, f"a broken tag: {tag}")
    for name in ("Atomic", "Crazyhouse", "Three-check", "Horde"):
        yield Sample(name, bad_text("1. e4 e5", Variant=name), None, "is not supported")
    yield Sample("Nonsense", bad_text("1. e4 e5", Variant="Xiangqi"), None, "is unknown")
    for fen in BAD_STARTS:
        yield Sample(f"FEN {fen!r}", bad_text("1. e4 e5", FEN=fen), None, "starting position")

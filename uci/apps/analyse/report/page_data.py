"""A game in the compact form that the report's script reads, with all lines complete."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import chess

from uci.apps.analyse.report.game_summary import game_summary
from uci.apps.analyse.report.moments import key_moments
from uci.apps.analyse.report.phase_rows import phase_rows
from uci.apps.games.analysis_document import (
    AnalysedGame,
    AnalysedMove,
    AnalysedPosition,
    BadMove,
    SideTotals,
)
from uci.apps.games.passing import after_pass
from uci.apps.games.pgn_headers import isolated, known_tag, names_apart, player

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
"""One letter for each square: a1, b1 to h8."""

SIGNS: dict[BadMove, str] = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}
ABOUT = {"Event": "", "Site": "", "Round": "round ", "Date": "", "TimeControl": ""}
"""The tags that are shown, and the text before each."""

RESULTS = {"1-0": "1–0", "0-1": "0–1", "1/2-1/2": "½–½"}

SideRow = tuple[float | None, int | None, int, int, int]
"""Accuracy, average centipawn loss, numbers of ?!, ? and ??."""


@dataclass(frozen=True, slots=True)
class PageData:
    """The data of a game in the report; pairs are White's value and Black's.

    ``names_apart`` are different names, ``about`` and ``verdict`` texts, ``fen`` is the start.
    ``moves`` and, for each position, its best line in ``lines`` are encoded by `encode`, as are the
    opponent's lines after a pass in ``threats``, by the ply after which they threaten. ``scores``
    are from White's view, as written by `score_of`; ``depths`` are in plies. ``lost`` has the win
    percentage points that each move lost for its side. ``signs`` and ``source_signs`` are marks by
    ply. ``clocks`` are the seconds left after each ply, None if there are none. ``phases`` are the
    plies at which middlegame and endgame begin. ``sides`` has None for a side that was not judged;
    ``moments`` are pairs of ply and sentence.
    """

    names: tuple[str, str]
    names_apart: tuple[str, str]
    ratings: tuple[str, str]
    result: str
    about: list[str]
    opening: str
    fen: str
    moves: str
    scores: str
    depths: list[int]
    lines: list[str]
    threats: dict[int, str]
    lost: list[float]
    signs: dict[int, str]
    source_signs: dict[int, str]
    clocks: list[float | None] | None
    phases: tuple[int | None, int | None]
    phase_rows: list[list[str]]
    sides: tuple[SideRow | None, SideRow | None]
    moments: list[tuple[int, str]]
    verdict: str
    pgn: str


def page_data(game: AnalysedGame) -> PageData:
    """Return a game of a document for the report. Raises `ValueError` for illegal moves."""
    headers, opening = game.headers, game.opening
    start = game.positions[0].fen
    board = chess.Board(start, chess960=True)
    lines, threats, plies = [], {}, board.copy(stack=False)
    for index, position in enumerate(game.positions):
        lines.append(encode(plies, position.best.uci))
        if position.threat:
            threats[index] = encode(after_pass(plies), position.threat.uci)
        if index < len(game.moves):
            plies.push_uci(game.moves[index].uci)
    tags = {name: known_tag(headers, name) for name in ABOUT}
    clocks = [move.clock for move in game.moves]
    return PageData(
        names=(player(headers, "White"), player(headers, "Black")),
        names_apart=names_apart(headers),
        ratings=(known_tag(headers, "WhiteElo"), known_tag(headers, "BlackElo")),
        result=RESULTS.get(game.result, "*"),
        about=[
            *(["Chess960"] if game.chess960 else []),
            *(f"{ABOUT[name]}{isolated(tag)}" for name, tag in tags.items() if tag),
        ],
        opening=f"{opening.eco} {opening.name}" if opening else "",
        fen=start,
        moves=encode(board, [move.uci for move in game.moves]),
        scores=" ".join(map(score_of, game.positions)),
        depths=[position.best.depth for position in game.positions],
        lines=lines,
        threats=threats,
        lost=[move.points_lost for move in game.moves],
        signs={move.ply: sign for move in game.moves if (sign := sign_of(move))},
        source_signs={move.ply: sign for move in game.moves if (sign := source_sign_of(move))},
        clocks=clocks if any(clock is not None for clock in clocks) else None,
        phases=(game.phases.middlegame, game.phases.endgame),
        phase_rows=phase_rows(game),
        sides=(_side(game.white), _side(game.black)),
        moments=key_moments(game),
        verdict=game_summary(game),
        pgn=game.pgn,
    )


def encode(board: chess.Board, line: Sequence[str]) -> str:
    """Return a line from ``board`` in a third of the characters of SAN.

    A move is two letters of `ALPHABET`, from and to; castling is king to rook. They are followed by
    what the board does not show: ``'f'`` for the knight on the f-file of two, ``=Q``, ``+``, ``#``.
    """
    board, words = board.copy(stack=False), []
    for text in line:
        move = board.parse_uci(text)
        # Castling is king takes rook, as in Chess960, because only that names the rook.
        coded = chess.Move.from_uci(board.uci(move, chess960=True))
        word = ALPHABET[coded.from_square] + ALPHABET[coded.to_square]
        which, rest = NOTATION.findall(board.san_and_push(move))[0]
        words.append(word + (f"'{which}'" if which else "") + rest)
    return "".join(words)


NOTATION = re.compile(r"^(?:[KQRBN]([a-h]?[1-8]?)x?[a-h][1-8]|[^+#=]*)((?:=[QRBN])?[+#]?)$")
"""Matches the disambiguation of a SAN move, and its suffix."""


def score_of(position: AnalysedPosition) -> str:
    """Return a position's score from White's view: centipawns, ``#3``, ``#-3``; mated ``#-0``."""
    best = position.best
    if best.mate is None:
        return str(best.cp or 0)
    lost = best.mate < 0 or (best.mate == 0 and best.win < 50)
    return f"#{'-' if lost else ''}{abs(best.mate)}"


def sign_of(move: AnalysedMove) -> str:
    """Return the mark of a move, often ""."""
    return SIGNS[move.verdict] if move.verdict else "!" if move.only else ""


def source_sign_of(move: AnalysedMove) -> str:
    """Return the source's marks on a move, often ""."""
    return " ".join(move.source_signs)


def signed(move: AnalysedMove) -> str:
    """Return a move with the source's mark, and with ours if it differs: ``g5! ?!``."""
    ours, theirs = sign_of(move), source_sign_of(move)
    apart = f" {ours}" if theirs and ours not in ("", theirs) else ""
    return f"{move.san}{theirs or ours}{apart}"


def _side(side: SideTotals | None) -> SideRow | None:
    if side is None:
        return None
    return side.accuracy, side.centipawn_loss, side.inaccuracy, side.mistake, side.blunder

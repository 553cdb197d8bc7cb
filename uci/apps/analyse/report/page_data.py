"""A game as the page's script takes it: short, and complete to the last move of every line.

| name | content |
| --- | --- |
| `names`, `ratings` | White's and Black's |
| `names_apart` | names that differ |
| `result`, `about`, `opening` | words |
| `fen` | the start |
| `moves` | the moves of the game, as `encode` writes them |
| `scores` | of each position, White's view: centipawns, or `#3` |
| `depths` | of each position, in plies |
| `lines` | of each position the best line, in the same way |
| `lost` | by each move, by its mover: points of winning chances |
| `signs` | by ply: `??` |
| `source_signs` | the same of the source |
| `clocks` | seconds left after each ply, or null |
| `phases` | the plies at which middlegame and endgame begin |
| `phase_rows` | what each side lost in them, in words |
| `sides` | accuracy, average centipawn loss, numbers of ?!, ? and ??; or null |
| `moments` | ply and sentence |
| `verdict` | the game in a sentence |
| `pgn` | the annotated game |
"""

import re
from collections.abc import Sequence

import chess

from uci.apps.analyse.report.game_summary import verdict_of
from uci.apps.analyse.report.moments import key_moments
from uci.apps.analyse.report.phase_rows import phase_rows
from uci.apps.games.analysis_document import Json
from uci.apps.games.pgn_headers import game_result, isolated, known_tag, names_apart, player

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
"""The letters of the squares, from a1, b1 to h8."""

SIGNS = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}
ABOUT = {"Event": "", "Site": "", "Round": "round ", "Date": "", "TimeControl": ""}
"""Tags that are shown, and the words before them."""

RESULTS = {"1-0": "1–0", "0-1": "0–1", "1/2-1/2": "½–½"}


def page_data(game: Json) -> Json:
    """Return a game of a document for the page."""
    headers = game["headers"]
    board = chess.Board(game["positions"][0]["fen"], chess960=True)
    lines, plies = [], board.copy(stack=False)
    for index, position in enumerate(game["positions"]):
        best = position["lines"][0] if position["lines"] else {"uci": []}
        lines.append(encode(plies, best["uci"]))
        if index < len(game["moves"]):
            plies.push_uci(game["moves"][index]["uci"])
    signs = {move["ply"]: sign for move in game["moves"] if (sign := sign_of(move))}
    theirs = {move["ply"]: sign for move in game["moves"] if (sign := source_sign_of(move))}
    clocks = [move.get("clock") for move in game["moves"]]
    opening = game["opening"]
    return {
        "names": [player(headers, "White"), player(headers, "Black")],
        "names_apart": names_apart(headers),
        "ratings": [known_tag(headers, "WhiteElo"), known_tag(headers, "BlackElo")],
        "result": RESULTS.get(game_result(game), "*"),
        "about": [
            *(["Chess960"] if game["chess960"] else []),
            *(
                before + isolated(tag)
                for name, before in ABOUT.items()
                if (tag := known_tag(headers, name))
            ),
        ],
        "opening": f"{opening['eco']} {opening['name']}" if opening else "",
        "fen": game["positions"][0]["fen"],
        "moves": encode(board, [move["uci"] for move in game["moves"]]),
        "scores": " ".join(score_of(position) for position in game["positions"]),
        "depths": [depth_of(position) for position in game["positions"]],
        "lines": lines,
        "lost": [move["points_lost"] for move in game["moves"]],
        "signs": signs,
        "source_signs": theirs,
        "clocks": clocks if any(clock is not None for clock in clocks) else None,
        "phases": [game["phases"]["middlegame"], game["phases"]["endgame"]],
        "phase_rows": phase_rows(game),
        "sides": [_side(game["white"]), _side(game["black"])],
        "moments": [[moment.index + 1, moment.sentence] for moment in key_moments(game)],
        "verdict": verdict_of(game),
        "pgn": game["pgn"],
    }


def encode(board: chess.Board, line: Sequence[str]) -> str:
    """Return a line from ``board`` in a third of the letters that people need.

    A move is two letters of `ALPHABET`, from and to, a castling king to its rook; behind them what
    a board does not tell: ``'f'`` of two knights that of the f-file, ``=Q``, ``+``, ``#``.
    """
    board, words = board.copy(stack=False), []
    for text in line:
        move = board.parse_uci(text)
        # In Chess960's notation castling is king takes rook: nothing else tells which rook.
        coded = chess.Move.from_uci(board.uci(move, chess960=True))
        word = ALPHABET[coded.from_square] + ALPHABET[coded.to_square]
        which, rest = NOTATION.findall(board.san(move))[0]
        words.append(word + (f"'{which}'" if which else "") + rest)
        board.push(move)
    return "".join(words)


NOTATION = re.compile(r"^(?:[KQRBN]([a-h]?[1-8]?)x?[a-h][1-8]|[^+#=]*)((?:=[QRBN])?[+#]?)$")
"""Finds which of several like men moves, and what stands behind a move."""


def score_of(position: Json) -> str:
    """Return a position's score from White's view: centipawns, ``#3``, ``#-3``; mated ``#-0``."""
    if not position["lines"]:
        return "0"
    best = position["lines"][0]
    if "cp" in best:
        return str(best["cp"])
    lost = best["mate"] < 0 or (best["mate"] == 0 and best["win"] < 50)
    return f"#{'-' if lost else ''}{abs(best['mate'])}"


def depth_of(position: Json) -> int:
    """Return how deep a position was searched, in plies."""
    return position["lines"][0]["depth"] if position["lines"] else 0


def sign_of(move: Json) -> str:
    """Return the sign of a move, "" for most."""
    return SIGNS[move["verdict"]] if move["verdict"] else "!" if move["only"] else ""


def source_sign_of(move: Json) -> str:
    """Return the signs that the source has on a move, "" for most."""
    return " ".join(move.get("source_signs", ()))


def signed(move: Json) -> str:
    """Return a move with the source's sign, and ours apart where it differs: ``g5! ?!``."""
    ours, theirs = sign_of(move), source_sign_of(move)
    apart = f" {ours}" if theirs and ours not in ("", theirs) else ""
    return f"{move['san']}{theirs or ours}{apart}"


def _side(side: Json | None) -> list[float | int | None] | None:
    if side is None:
        return None
    return [side[name] for name in ("accuracy", "centipawn_loss", *SIGNS)]

"""The first game of a page, as it is shown without a script."""

from collections.abc import Sequence

import chess

from uci.apps.analyse.report.drawing import board_view, graph_view
from uci.apps.analyse.report.page_data import score_of, sign_of, signed
from uci.apps.analyse.report.phase_rows import clock_of
from uci.apps.console.rounding import in_pawns, rounded
from uci.apps.games.analysis_document import Json

KINDS = {"!": "only", "?!": "inaccuracy", "?": "mistake", "??": "blunder", "": "plain"}


def first_game(game: Json, data: Json) -> Json:
    """Return what the template needs of a game and of its ``data`` for the script."""
    boards = [
        chess.Board(position["fen"], chess960=game["chess960"]) for position in game["positions"]
    ]
    return {
        **data,
        **graph_view(game),
        "about": " · ".join(filter(None, (data["opening"], *data["about"]))),
        "start": board_view(boards[0]),
        "rows": _rows(game, boards),
        "moments": [_moment(game, boards, ply, words) for ply, words in data["moments"]],
        "plies": [_ply(game, boards, index) for index in range(len(game["moves"]))],
    }


def numbered(board: chess.Board, san: str) -> str:
    """Return a move with its number: ``12. Nf3`` or ``12… Nf6``."""
    return f"{board.fullmove_number}{'.' if board.turn else '…'} {san}"


def shown(score: str) -> str:
    """Return a score as people read it: ``+1.25``, ``−0.30``, ``#3``, and ``#`` for a mate."""
    if score.startswith("#"):
        return "#" if score in ("#0", "#-0") else score
    return in_pawns(int(score)).replace("-", "−")


def _rows(game: Json, boards: list[chess.Board]) -> list[Json]:
    rows: list[Json] = []
    for move, board, after in zip(game["moves"], boards, game["positions"][1:], strict=False):
        if board.turn or not rows:
            rows.append({"number": f"{board.fullmove_number}.", "moves": []})
            if not board.turn:
                rows[-1]["moves"].append({"text": "…", "score": "", "kind": "none"})
        rows[-1]["moves"].append(
            {"text": signed(move), "score": shown(score_of(after)), "kind": KINDS[sign_of(move)]}
        )
    return rows


def _moment(game: Json, boards: list[chess.Board], ply: int, sentence: str) -> Json:
    move, board = game["moves"][ply - 1], boards[ply - 1]
    best = game["positions"][ply - 1]["lines"][0]
    answer = (game["positions"][ply]["lines"] or [{"uci": []}])[0]
    arrows = [(board.parse_uci(move["uci"]), "played")]
    if best["uci"]:
        arrows.append((board.parse_uci(best["uci"][0]), "better"))
    scores = (shown(score_of(game["positions"][at])) for at in (ply - 1, ply))
    return {
        "move": numbered(board, signed(move)),
        "board": board_view(board, not board.turn, arrows),
        "sentence": sentence,
        "scores": " → ".join(scores),
        "played": _written(board, [move["uci"], *answer["uci"]]),
        "better": best["san"],
    }


def _written(board: chess.Board, variation: Sequence[str]) -> str:
    """Return a variation in words: ``1. e4 e5``."""
    end = board.copy(stack=False)
    return board.variation_san([end.push_uci(text) for text in variation])


def _ply(game: Json, boards: list[chess.Board], index: int) -> list[str]:
    move, after = game["moves"][index], game["positions"][index + 1]
    clock = move.get("clock")
    return [
        numbered(boards[index], signed(move)),
        shown(score_of(after)),
        rounded(move["win"]),
        rounded(move["points_lost"], 1),
        move["best"] or "",
        str(after["lines"][0]["depth"] if after["lines"] else 0),
        "" if clock is None else clock_of(clock),
    ]

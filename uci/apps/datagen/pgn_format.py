"""Games as PGN. After each move stands its score as ``[%eval ...]``, in pawns and White's view.

It is the score of the search that chose the move; a mate ``#n`` is counted in moves from the
position before it. A move that was drawn at random has none.
"""

import chess.pgn
from chess.engine import Cp, Mate, PovScore, Score

from engine.search.score import moves_to_mate
from uci.apps.datagen.recorded_game import Encoded, RecordedGame
from uci.apps.games.pgn_writer import pgn_of

_RESULTS = ("0-1", "1/2-1/2", "1-0")


def encode(game: RecordedGame) -> Encoded:
    """Return the PGN of a game, with a blank line after it."""
    pgn = chess.pgn.Game(
        {
            "Event": "Self-play for training",
            "Site": "?",
            "Date": "????.??.??",
            "Round": str(game.number),
            "White": "Pythagoras",
            "Black": "Pythagoras",
            "Result": _RESULTS[game.result],
        }
    )
    start = game.start.copy()
    start.chess960 = start.has_chess960_castling_rights()
    pgn.setup(start)
    node: chess.pgn.GameNode = pgn
    scored = 0
    for board, (move, score) in game.positions():
        node = node.add_variation(move)
        if score is not None:
            node.set_eval(PovScore(_score(score), board.turn))
            scored += 1
    return Encoded(f"{pgn_of(pgn)}\n\n".encode(), scored)


def _score(score: int) -> Score:
    mate = moves_to_mate(score)
    return Cp(score) if mate is None else Mate(mate)

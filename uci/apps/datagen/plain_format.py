"""The ``.plain`` text of Stockfish's tools and nnue-pytorch, which convert it to binpack.

| line | content |
| --- | --- |
| ``fen`` | the position |
| ``move`` | the move in UCI notation |
| ``score`` | the score of the move in centipawns, for the side to move |
| ``ply`` | plies since the start of the game |
| ``result`` | 1 if the side to move won the game, 0 for a draw, -1 |
| ``e`` | the end of the entry |

Its readers set up boards of standard chess: a position with rights to castle that only Chess960
has is left out. So is a position whose move was drawn at random, since it has no score. All others
are there in the order of the game, so that binpack can store them as one chain.
"""

import chess

from uci.apps.datagen.recorded_game import Encoded, RecordedGame


def encode(game: RecordedGame) -> Encoded:
    """Return the entries of a game."""
    entries = []
    for board, (move, score) in game.positions():
        if score is None or board.has_chess960_castling_rights():
            continue
        result = game.result - 1 if board.turn == chess.WHITE else 1 - game.result
        entries.append(
            f"fen {board.fen()}\nmove {board.uci(move, chess960=False)}\nscore {score}\n"
            f"ply {board.ply()}\nresult {result}\ne\n"
        )
    return Encoded("".join(entries).encode(), len(entries))

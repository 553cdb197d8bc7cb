"""The key moments of a game, each with a sentence that its variations and scores support."""

import chess

from uci.apps.analyse.report.material import Gain
from uci.apps.games.analysis_document import AnalysedGame, AnalysedLine, AnalysedMove
from uci.apps.games.passing import after_pass

MOST = 6
"""Maximum number of moments."""

SIDES = {chess.WHITE: "White", chess.BLACK: "Black"}


def key_moments(game: AnalysedGame) -> list[tuple[int, str]]:
    """Return the plies of the most costly moves, at most `MOST`, each with a sentence on it."""
    moves = game.moves
    bad = [index for index, move in enumerate(moves) if move.verdict]
    worst = sorted(bad, key=lambda index: (-moves[index].points_lost, index))[:MOST]
    return [(index + 1, sentence(game, index)) for index in sorted(worst)]


def sentence(game: AnalysedGame, index: int) -> str:
    """Return what a bad move did, and whether the opponent's best answer was a threat before it."""
    threat, answer = game.positions[index].threat, game.positions[index + 1].best
    words = _effect(game, index)
    if threat is None or threat.uci[:1] != answer.uci[:1]:
        return words
    passed = after_pass(chess.Board(game.positions[index].fen, chess960=game.chess960))
    san = passed.san(passed.parse_uci(threat.uci[0]))
    return f"{words} {game.moves[index].san} does not stop the threat {san}."


def _effect(game: AnalysedGame, index: int) -> str:
    """Return a sentence on what a bad move did.

    Material is counted over the whole variation. A gain is only named if the opponent cannot win it
    back at the end, the other variation does not gain as much, and the score agrees.
    """
    move = game.moves[index]
    before, after = game.positions[index], game.positions[index + 1]
    color = chess.WHITE if move.color == "white" else chess.BLACK
    other = SIDES[not color]
    best, answer = before.best, after.best
    mate_before, mate_after = _mate(best, color), _mate(answer, color)
    if mate_after is not None and mate_after < 0:
        return f"{move.san} lets {other} mate in {-mate_after}." + _better_move(move, best, color)
    if mate_before is not None and mate_before > 0:
        return f"{move.san} misses a mate in {mate_before}: {move.best} was the way."
    board = chess.Board(before.fen, chess960=game.chess960)
    missed = Gain.of(board, best.uci, color)
    conceded = Gain.of(board, [move.uci, *answer.uci], not color)
    if conceded.points > max(0, -missed.shown) and _agrees(answer, conceded, not color):
        what = f"After {move.san} {other} {conceded.words} in the engine's line."
        return what + _better_move(move, best, color)
    if missed.points > max(0, -conceded.shown) and _agrees(best, missed, color):
        return f"{move.san} misses {move.best}, which {missed.words} in the engine's line."
    keeps = f" that {move.best} keeps" if move.best else ""
    return f"{move.san} gives away chances{keeps}."


def _agrees(line: AnalysedLine, gain: Gain, side: chess.Color) -> bool:
    """Return whether a line's score confirms the material lead of ``side``."""
    return line.cp is not None and gain.agrees(line.cp if side else -line.cp)


def _mate(line: AnalysedLine, color: chess.Color) -> int | None:
    """Return in how many moves ``color`` mates, negative if it is mated; None without a mate."""
    return line.mate if line.mate is None or color == chess.WHITE else -line.mate


def _better_move(move: AnalysedMove, best: AnalysedLine, color: chess.Color) -> str:
    """Return a sentence on the better move, empty if none is known."""
    if not move.best:
        return ""
    mate = _mate(best, color)
    if mate is not None and mate > 0:
        return f" {move.best} mates in {mate}."
    return f" {move.best} was better."

"""Games of the engine against itself at club strength, which contain enough mistakes to measure.

Each side plays at a random ``UCI_Elo``, chosen for each game. All random numbers have one seed and
nothing depends on time, so the same seed gives the same games.
"""

import random
from collections.abc import Iterator, Sequence

import chess
import chess.pgn

from engine.search.limits import Limits
from engine.search.results import Iteration
from uci.chess_io.convert import Game, board_of, move_to_uci
from uci.protocol.commands import SetPosition
from uci.session.backend import Backend
from uci.strength.limited_strength import Candidate, Strength, level_of

ELOS = 1400, 1900
"""The lowest and the highest Elo of a player."""


def weak_games(openings: Sequence[str], plies: int, seed: int) -> Iterator[chess.pgn.Game]:
    """Yield games of at most ``plies`` plies from random ``openings``, without end."""
    rng = random.Random(seed)
    players = Backend(), Backend()
    while True:
        for fen in rng.sample(openings, len(openings)):
            for player in players:
                player.searcher.clear()
            elos = rng.randint(*ELOS), rng.randint(*ELOS)
            strengths = [Strength(level_of(elo)) for elo in elos]
            game = play(players, fen, strengths, plies, rng)
            yield as_pgn(fen, game.moves, elos)


def play(
    players: Sequence[Backend],
    fen: str,
    strengths: Sequence[Strength | None],
    plies: int,
    rng: random.Random,
) -> Game:
    """Return a game of at most ``plies``; White's player is first. See `choose`."""
    game = Game(fen, (), board_of(fen))
    while len(game.moves) < plies and not game.board.is_game_over(claim_draw=True):
        side = 0 if game.board.turn else 1
        move = choose(players[side], game, strengths[side], rng)
        game = game.after(SetPosition(fen, (*game.moves, move)))
    return game


def choose(player: Backend, game: Game, strength: Strength | None, rng: random.Random) -> str:
    """Return the move that a weak player plays, as a ``go`` without other limits would.

    Without a ``strength`` it is a random legal move.
    """
    if strength is None:
        return str(rng.choice([*game.board.legal_moves]))
    strength = strength.in_position(game.board)
    candidates: list[Candidate[int]] = []
    for result in player.begin(game, strength.bound(Limits()), None, strength.lines):
        if isinstance(result, Iteration) and result.bound == "exact":
            if result.multipv == 1:
                candidates.clear()
            reply = int(result.pv[1]) if len(result.pv) > 1 else None
            candidates.append(Candidate(result.pv[0], result.score, reply))
    return move_to_uci(strength.choose(candidates, rng), chess960=True)


def as_pgn(fen: str, moves: Sequence[str], elos: Sequence[int]) -> chess.pgn.Game:
    """Return a game for a PGN file; an unfinished one has no result."""
    board = chess.Board(fen)
    game = chess.pgn.Game({"Event": "Weak games"})
    game.setup(board)
    for color, elo in zip(("White", "Black"), elos, strict=True):
        game.headers[color] = f"Pythagoras at {elo}"
        game.headers[f"{color}Elo"] = str(elo)
    node: chess.pgn.GameNode = game
    for text in moves:
        node = node.add_variation(board.parse_uci(text))
        board.push(node.move)
    game.headers["Result"] = board.result(claim_draw=True)
    return game

"""The network by its definition, in numpy: output and loss, with floats and with integers."""

from typing import Any

import chess
import numpy as np

from engine.evaluation.features import FEATURES
from engine.evaluation.shape import BUCKETS, HIDDEN, ONE, OUTPUT_ONE

VALUES = (0, 1, 3, 3, 5, 9, 100)
"""What pieces are worth, by python-chess's piece types."""


def is_threatened(board: chess.Board, square: chess.Square) -> bool:
    """Return whether the piece can be taken by one of less value, or is attacked and undefended."""
    kind, colour = board.piece_type_at(square), board.color_at(square)
    assert kind is not None
    attackers = [board.piece_type_at(one) or 0 for one in board.attackers(not colour, square)]
    if kind == chess.KING or not attackers:
        return False
    defended = bool(board.attackers(bool(colour), square))
    return not defended or min(VALUES[one] for one in attackers) < VALUES[kind]


def view(board: chess.Board, colour: chess.Color) -> list[int]:
    """Return the active inputs from the perspective of ``colour``, in ascending order."""
    king = board.king(colour)
    assert king is not None
    inputs = []
    for square, piece in board.piece_map().items():
        threatened = is_threatened(board, square)
        if chess.square_file(king) >= 4:
            square ^= 7
        if colour == chess.BLACK:
            square = chess.square_mirror(square)
        theirs = piece.color != colour
        inputs.append(768 * theirs + 384 * threatened + 64 * (piece.piece_type - 1) + square)
    return sorted(inputs)


def is_evaluated_by_rule(board: chess.Board) -> bool:
    """Return whether one side has a bare king against mating pieces or two knights."""
    if board.pawns or 1 not in map(chess.popcount, board.occupied_co):
        return False
    if chess.popcount(board.knights) == 2 and chess.popcount(board.occupied) == 4:
        return True
    light, dark = board.bishops & chess.BB_LIGHT_SQUARES, board.bishops & chess.BB_DARK_SQUARES
    return bool(board.queens | board.rooks or (light | dark and board.knights) or (light and dark))


def bucket(board: chess.Board) -> int:
    """Return the output bucket, from 0 to 7, by the number of pieces."""
    return (chess.popcount(board.occupied) - 1) // (32 // BUCKETS)


def output(net: Any, board: chess.Board) -> int:
    """Return the integer network's score in centipawns for the side to move."""
    chosen = bucket(board)
    total = 0
    for place, colour in enumerate((board.turn, not board.turn)):
        accumulator = net.bias.astype(np.int64)
        accumulator = accumulator + net.weights[view(board, colour)].astype(np.int64).sum(axis=0)
        active = np.clip(accumulator, 0, ONE)
        total += int((active * active * net.output[chosen, place].astype(np.int64)).sum())
    scaled = total // ONE + int(net.output_bias[chosen])
    return scaled * int(net.scale) // (ONE * OUTPUT_ONE)


def loss(
    parts: list[Any], boards: list[chess.Board], shares: list[float], results: list[int], wdl: float
) -> float:
    """Return the summed loss of the float network ``parts``, all in double precision.

    ``shares`` are the expected points; ``results`` are 0, 1 or 2 for the side to move, or 3 if
    unknown.
    """
    weights, bias, out, out_bias = (part.astype(np.float64) for part in parts)
    total = 0.0
    for board, share, result in zip(boards, shares, results, strict=True):
        value = out_bias[bucket(board)]
        for place, colour in enumerate((board.turn, not board.turn)):
            hidden = bias + weights[view(board, colour)].sum(axis=0)
            value += (np.clip(hidden, 0, 1) ** 2 * out[bucket(board), place]).sum()
        expected = 1 / (1 + np.exp(-value))
        target = share if result == 3 else wdl * result / 2 + (1 - wdl) * share
        total += (expected - target) ** 2
    return float(total)


def random_network(seed: int) -> list[Any]:
    """Return float parts with lively activations everywhere."""
    rng = np.random.default_rng(seed)
    shapes = ((FEATURES, HIDDEN), (HIDDEN,), (BUCKETS, 2, HIDDEN), (BUCKETS,))
    sizes = (0.15, 0.3, 0.1, 0.1)
    return [
        rng.normal(0, size, shape).astype(np.float32)
        for shape, size in zip(shapes, sizes, strict=True)
    ]

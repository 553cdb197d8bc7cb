"""The bench: the node count of a fixed search, which changes with every functional change."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from engine.search.limits import Limits

if TYPE_CHECKING:
    from engine.search.searcher import Searcher

DEPTH = 17
HASH_MB = 16

CHECK_DEPTH, CHECK_NODES = 8, 346_057
"""A depth that takes half a second, and its node count, which `pythagoras doctor` compares. Update
the count with every functional change."""

POSITIONS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
    "r2q1rk1/ppp2ppp/2n1bn2/2b1p3/3pP3/3P1NPP/PPP1NPB1/R1BQ1RK1 b - - 1 9",
    "2rq1rk1/pb2bppp/1pn1pn2/8/2BP4/P1N1BN2/1P2QPPP/R2R2K1 w - - 4 14",
    "4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19",
    "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
    "rnbqkbnr/ppp2pp1/7p/3p4/3Np3/N3P3/PPPPBPPP/R1BQK2R w KQkq - 0 6",
    "r2qkb1r/ppp2ppp/2n1p3/3p1b2/3PnB2/N1P1PNP1/PP3P1P/R2QKB1R w KQkq - 0 8",
    "r1bq1rk1/pppnbppp/4p3/4N3/3PpPn1/2P2N2/PPQ3PP/R1B1KB1R w KQ - 0 10",
    "r1bqkb1r/p1p2ppp/5n2/8/Pp1Pp3/4B3/1PPNP1PP/R2QKB1R w KQkq - 2 12",
    "q2k1b1r/p1p2ppp/3n4/8/4pP2/2N1P1P1/PP1PB2P/R1BK3R w - - 5 14",
    "r2q1rk1/1p1nbpp1/3p1n1p/3P4/p2Pp3/2N1BN2/PP3PPP/R2Q1RK1 w - - 0 16",
    "r1b1r1k1/pp3pp1/1qp2n1p/8/1b1Pp3/1P2QNP1/P1PBBP1P/R4RK1 w - - 2 18",
    "1rq3k1/2p2ppp/p2brn2/1p1p1b2/1P3P1P/P1N1P3/1BPQB1P1/3R1RK1 w - - 3 20",
    "r3r2k/pp1b2p1/2p4p/5p2/P1B2P2/8/1PP2P1P/R4RK1 w - - 1 22",
    "3r2k1/pp5p/2p2Pp1/2q3p1/5n2/2B2Q1P/PPP2RP1/6K1 w - - 0 24",
    "r2bnqk1/3b1p1p/3P2p1/8/2BQ4/p1P2P2/2P3PP/R3R1K1 w - - 1 26",
    "2r2rk1/1p1bq1p1/1bn1p2p/pB1pP3/P2P4/2N2NP1/2PQ3P/1R3RK1 w - - 13 28",
    "1r5k/p5pp/4Q3/2q5/3p4/P6P/1Pr3P1/1R3R1K w - - 1 30",
    "3r1k2/p1Q1b3/1p2B1pp/1P2Pp2/3q4/8/P5PP/5R1K w - - 1 32",
    "r3n1k1/r7/2P4p/pB1p4/4p3/2P1P2P/R5P1/R5K1 w - - 3 34",
    "8/1p4p1/p7/P6p/2p2k1P/8/1P3KP1/8 w - - 3 36",
    "2r3k1/p4ppp/8/q7/1RP1Q3/6P1/5P1P/6K1 w - - 0 39",
    "6k1/4R2p/3N4/3n4/8/6PK/2r4P/8 w - - 1 42",
    "8/R6p/P1p3pk/2K2p2/5P2/2R3P1/2rr4/8 w - - 7 45",
    "8/8/1R6/7p/6pk/3BK3/r7/8 w - - 0 48",
    "8/3Pk3/p7/4N2p/1P6/1r6/8/5K2 w - - 2 51",
    "7r/5pk1/1R1p1n2/4p3/2PpPp1P/1Rr2B2/P4P2/6K1 w - - 2 54",
    "8/8/P7/2Kn4/4k3/8/8/8 w - - 3 57",
    "5r2/3k4/8/8/2R2P2/3K4/8/8 w - - 3 61",
    "8/2k5/2P5/1Pb1p3/4P3/7K/8/1R4q1 w - - 0 66",
)
"""Openings, middlegames and endgames, some from the engine's own games."""


def bench(
    depth: int | None,
    threads: int,
    halted: Callable[[], bool],
    make: "Callable[..., Searcher] | None" = None,
) -> Iterator[str]:
    """Search every position to ``depth``, and yield a line for each.

    It uses a transposition table of its own, so with one thread the count depends on nothing that
    was done before. The last line is the summary, ``123456 nodes 78900 nps``. If `halted`, polled
    between iterations, returns true, the bench ends without it. `make` creates the searcher, by
    default the engine's own.
    """
    from engine.jit.kernel import clock
    from engine.search.results import Iteration
    from engine.search.searcher import Searcher
    from uci.chess_io.convert import board_of, fill

    searcher = (make or Searcher)(HASH_MB, threads=threads)
    nodes, milliseconds = 0, 0.0
    for number, fen in enumerate(POSITIONS, 1):
        fill(searcher.pos, board_of(fen))
        start = clock()
        for iteration in searcher.begin(Limits(depth=depth or DEPTH), None):
            if halted():
                return
            if isinstance(iteration, Iteration):
                last = iteration
        milliseconds += clock() - start
        nodes += searcher.nodes
        yield f"{number:2}/{len(POSITIONS)} score {last.score} nodes {searcher.nodes} fen {fen}"
    yield f"{nodes} nodes {int(nodes / max(milliseconds, 1) * 1000)} nps"

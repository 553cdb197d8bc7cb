"""The choice of the last line, whose move is played."""

from helpers.puppet_session import Output
from uci.chess_io.convert import new_game
from uci.protocol.messages import Info
from uci.protocol.writer import Writer
from uci.session.analysis_writer import AnalysisWriter


def written(*infos: Info, total: int = 0, show_wdl: bool = False) -> list[str]:
    wire = Output()
    analysis = AnalysisWriter(Writer(wire), new_game(), 1, show_wdl)
    for info in infos:
        analysis.info(info)
    analysis.set_totals(total, 9)
    analysis.finish()
    return wire.lines


def info(move: str, depth: int, bound: str = "exact", nodes: int = 7) -> Info:
    return Info(depth, depth, 20, nodes, 3, (move,) if move else (), bound)


EXACT, LOWER, UPPER = info("e2e4", 3), info("d2d4", 4, "lower"), info("", 4, "upper")


def test_a_lower_bound_is_played_unless_it_is_taken_back() -> None:
    assert written(EXACT, LOWER)[-1] == "bestmove d2d4"
    assert len(written(EXACT, LOWER)) == 3, "nothing is repeated"
    assert written(EXACT, LOWER, UPPER)[-1] == "bestmove e2e4"
    assert " cp 20 nodes " in written(EXACT, LOWER, UPPER)[-2]
    assert written(EXACT, LOWER, EXACT)[-1] == "bestmove e2e4"
    assert written(EXACT, LOWER, UPPER, LOWER)[-1] == "bestmove d2d4"
    assert written(LOWER)[-1] == "bestmove d2d4"


def test_the_last_line_has_the_nodes_of_the_whole_search() -> None:
    *_, last, move = written(EXACT, LOWER, total=500)
    assert " score cp 20 lowerbound nodes 500 " in last
    assert last.endswith(" time 9 pv d2d4")
    assert move == "bestmove d2d4"
    assert " nodes 500 " in written(EXACT, UPPER, total=500)[-2]

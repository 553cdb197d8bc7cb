"""The counters of the search's tree, compared with a tree that is recorded call by call."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from engine.board.types import NO_MOVE
from engine.jit.kernel import COMPILED
from engine.lab.interpreted import Interpreter, wrapping
from engine.lab.tree_counts import COUNTERS, DEEP, TT_MOVE_DEPTH, CountingSearcher
from engine.search import picker, pvs, quiescence, root_move, thread
from engine.search.iterate import SearchThread
from engine.search.limits import Limits
from engine.search.searcher import Searcher
from helpers.naive_search import facts, search
from uci.apps.lab.pv_trace import sample_positions
from uci.chess_io.convert import board_of, fill
from uci.chess_io.positions import read_positions

POSITIONS = read_positions(Path(__file__).parents[1] / "data" / "pv_positions.epd")
DEPTH, NUMBER = (9, 24) if COMPILED else (2, 4)
TREE_DEPTH, TREE_NODES, TREE_PIECES = 8, 2500, 7
"""The size of the recorded searches: singular searches begin at depth 7."""


@dataclass
class Move:
    """A move of a node, with the searches of it."""

    move: int
    searches: list["Node"] = field(default_factory=list)


@dataclass
class Node:
    """A call of `pvs`, with its moves and counted events."""

    parent: "Node | None"
    ply: int
    depth: int
    alpha: int
    beta: int
    excluded: int
    nodes: int
    passed: bool = False
    score: int = 0
    nodes_after: int = 0
    loop: tuple[int, int] | None = None
    """Depth and table move at the start of the move loop."""
    moves: list[Move] = field(default_factory=list)
    """The moves of the loop."""
    tested: bool = False


class Tree:
    """All calls of a search, recorded while it runs interpreted."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.made: Counter[str] = Counter()
        self._path: list[Node] = []
        self._null = False
        watchers = {
            pvs.pvs: self._node,
            quiescence.quiescence: self._quiescence,
            picker.start_picker: self._loop,
            thread.play: self._play,
            thread.play_null: self._pass,
        }
        self.root = Interpreter(watchers).copy(root_move.search_root_move)

    def _node(self, copy: Callable[..., Any]) -> Callable[..., Any]:
        def watch(
            pos: Any, th: Any, ply: int, depth: int, alpha: int, beta: int, *rest: Any
        ) -> Any:
            parent = self._path[-1] if self._path else None
            excluded = int(th.excluded[ply])
            node = Node(parent, ply, depth, alpha, beta, excluded, int(th.nodes), self._null)
            self._null = False
            self.nodes.append(node)
            if parent and parent.ply == ply and excluded != NO_MOVE:
                parent.tested = True
            if parent and parent.loop and parent.ply < ply:
                parent.moves[-1].searches.append(node)
            self._path.append(node)
            score = copy(pos, th, ply, depth, alpha, beta, *rest)
            self._path.pop()
            node.score, node.nodes_after = int(score), int(th.nodes)
            return score

        return watch

    def _quiescence(self, copy: Callable[..., Any]) -> Callable[..., Any]:
        def watch(*arguments: Any) -> Any:
            self.made["quiescence_nodes"] += 1
            return copy(*arguments)

        return watch

    def _loop(self, copy: Callable[..., Any]) -> Callable[..., Any]:
        def watch(*arguments: Any) -> Any:
            depth = int(sys._getframe(1).f_locals["depth"])  # the node may have changed its depth
            self._path[-1].loop = depth, int(arguments[-1])
            return copy(*arguments)

        return watch

    def _play(self, copy: Callable[..., Any]) -> Callable[..., Any]:
        def watch(pos: Any, th: Any, ply: int, move: int) -> Any:
            caller = sys._getframe(1).f_code.co_name
            if caller == "pvs" and self._path[-1].loop:
                self._path[-1].moves.append(Move(int(move)))
            names = {"pvs": "main", "quiescence": "quiescence", "search_root_move": "root"}
            self.made[f"{names[caller]}_moves"] += 1
            return copy(pos, th, ply, move)

        return watch

    def _pass(self, copy: Callable[..., Any]) -> Callable[..., Any]:
        def watch(*arguments: Any) -> Any:
            self._null = True
            self.made["null_moves"] += 1
            return copy(*arguments)

        return watch

    def counts(self) -> Counter[str]:
        """Return the expected counts."""
        found = Counter(self.made)
        for node in self.nodes:
            found.update(_of_null(node))
            found.update(_of_singular(node))
            found.update(_of_result(node))
            for number, move in enumerate(node.moves):
                found.update(_of_move(node, number, move))
        return found


def _of_null(node: Node) -> Iterator[str]:
    if node.passed:
        if node.score <= node.alpha:
            yield "nulls_succeeded"
        above = node.parent
        while above and not above.passed:
            above = above.parent
        if above is None:
            yield from ["nodes_in_nulls"] * (node.nodes_after - node.nodes + 1)


def _of_singular(node: Node) -> Iterator[str]:
    if not node.tested:
        return
    yield "singular_tests"
    if node.loop is None:
        yield "multi_cuts"
        return
    depth, tt_move = node.loop
    [move] = [each for each in node.moves if each.move == tt_move]
    change = move.searches[0].depth - (depth - 1)
    if change:
        many = "extended" if change == 1 else "extended_twice"
        yield many if change > 0 else "negative_extensions"


def _of_result(node: Node) -> Iterator[str]:
    if not node.moves:
        return
    assert node.loop
    depth, tt_move = node.loop
    if node.score >= node.beta:
        names = ["fail_highs"]
        if depth >= TT_MOVE_DEPTH and tt_move != NO_MOVE:
            names.append("tt_fail_highs")
        yield from names
        if len(node.moves) == 1:
            yield from (f"first_{name}" for name in names)
    elif node.score <= node.alpha:
        yield from ["fail_lows"] + ["fail_low_moves"] * len(node.moves)


def _of_move(node: Node, number: int, move: Move) -> Iterator[str]:
    assert node.loop
    depth, _ = node.loop
    if depth < DEEP or node.beta - node.alpha > 1:
        return
    yield "deep_moves"
    if number > 0:
        yield "late_moves"
        first, *again = move.searches
        if first.depth < depth - 1:
            yield from ["reduced_moves"] + ["reduced_plies"] * (depth - 1 - first.depth)
            if again:
                yield "researched_moves"


class WatchedThread(SearchThread):
    tree: Tree

    def search_root_move(self, move: int, number: int, depth: int, alpha: int, beta: int) -> int:
        with wrapping():
            arguments = map(np.int64, (move, number, depth, alpha, beta))
            return int(self.tree.root(self.pos, self.th, *arguments))


class WatchedSearcher(Searcher):
    def _new_thread(self) -> SearchThread:
        return WatchedThread(self._new_record())


def counted(searcher: CountingSearcher) -> Counter[str]:
    return Counter({name: int(searcher.record[name]) for name in COUNTERS})


def run(searcher: Searcher, board: chess.Board, limits: Limits) -> None:
    searcher.clear()
    fill(searcher.pos, board)
    list(searcher.begin(limits, None))


def small_trees() -> Iterator[chess.Board]:
    """Yield endgames with small trees, which together increase every counter."""
    searcher, found = CountingSearcher(1), []
    for number, board in enumerate(POSITIONS):
        if len(board.piece_map()) <= TREE_PIECES:
            run(searcher, board, Limits(depth=TREE_DEPTH, nodes=TREE_NODES))
            if searcher.nodes < TREE_NODES:
                moved = {name for name, count in counted(searcher).items() if count}
                found.append((len(COUNTERS) - len(moved), searcher.nodes, number, moved))
    missing = set(COUNTERS)
    for _, _, number, moved in sorted(found):
        if missing & moved:
            missing -= moved
            yield POSITIONS[number]
    assert not missing, "no small tree moves these: search deeper"


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="looks for positions by many searches")
def test_counts_are_those_of_the_calls() -> None:
    for board in small_trees():
        ours, theirs, tree = CountingSearcher(1), WatchedSearcher(1), Tree()
        theirs._threads[0].tree = tree  # type: ignore[attr-defined]
        for searcher in (ours, theirs):
            fill(searcher.pos, board)
            list(searcher.begin(Limits(depth=TREE_DEPTH), None))
        assert counted(ours) == tree.counts(), board.fen()
        depths = Counter(node.depth for node in tree.nodes if node.depth > 0)
        assert dict(enumerate(ours.record.main_nodes.tolist())).items() >= depths.items()
        assert ours.record.main_nodes.sum() == depths.total()


@pytest.mark.interpreted
@pytest.mark.slow
def test_the_tree_is_the_playing_search_s() -> None:
    """The counting search has the same nodes, scores and lines, and its counts add up."""
    ours, theirs = CountingSearcher(1), Searcher(1)
    for board in sample_positions(POSITIONS, NUMBER):
        ours.clear()
        theirs.clear()
        fill(ours.pos, board)
        fill(theirs.pos, board)
        assert facts(search(ours, DEPTH)) == facts(search(theirs, DEPTH)), board.fen()
        count = counted(ours)
        kinds = "root_moves", "main_moves", "null_moves", "quiescence_moves"
        assert sum(count[name] for name in kinds) == theirs.nodes
        assert ours.record.level == ours.record.open_nulls == 0


def test_a_stopped_search_leaves_nothing_open() -> None:
    searcher = CountingSearcher(1)
    for nodes in range(1, 4000, 97) if COMPILED else (1, 98):
        run(searcher, board_of(None), Limits(nodes=nodes))
        assert searcher.nodes == nodes
        assert searcher.record.level == searcher.record.open_nulls == 0


def test_counts_begin_with_clear() -> None:
    searcher = CountingSearcher(1)
    run(searcher, board_of(None), Limits(depth=2))
    once = counted(searcher)
    list(searcher.begin(Limits(depth=2), None))
    assert counted(searcher)["root_moves"] > once["root_moves"]
    run(searcher, board_of(None), Limits(depth=2))
    assert counted(searcher) == once

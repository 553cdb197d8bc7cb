"""Converts recordings to the data of the page: nodes, steps, memories, PVs."""

from collections.abc import Sequence
from typing import Any

import chess
import numpy as np

from engine.evaluation.nnue import evaluate, start
from engine.lab.interpreted import Interpreter, wrapping
from engine.search.score import MATE
from uci.apps.engines.pv_checks import line_may_end
from uci.apps.lab.show.captions import Captions, page_score, sentence
from uci.apps.lab.show.memory_story import MemoryStory
from uci.apps.lab.show.recording import IMPROVE, Recording
from uci.chess_io.convert import decode_move, fill, move_to_uci
from uci.errors import UciError


def replay_of(recordings: Sequence[Recording], search: str) -> tuple[dict[str, Any], list[str]]:
    """Return the data of the page, and the captions of its steps.

    The recordings are of one search with different collectors. Raises `UciError` if these led to
    different trees, which cannot be drawn as one.
    """
    first = recordings[0]
    for other in recordings[1:]:
        if _course(other) != _course(first):
            raise UciError("--compare: the search visits different trees with these two collectors")
    words = Captions(first, search)
    nodes = [_node(first, number, words) for number in range(len(first.nodes))]
    stories = [MemoryStory(each, words.position) for each in recordings]
    memories = [_memory(each, story) for each, story in zip(recordings, stories, strict=True)]
    steps, captions, shown = [], [], [""] * len(recordings)
    for number, step in enumerate(first.steps):
        caption, accesses, lines = words.step(step), [], []
        for which, (each, story) in enumerate(zip(recordings, stories, strict=True)):
            mine = each.steps[number]
            codes, change = story.told(mine)
            accesses.append(codes)
            line = " ".join(move_to_uci(move, chess960=False) for move in mine.line)
            lines.append(line if line != shown[which] else None)
            shown[which] = line
            whose = f"{each.collector.name}: " if len(recordings) > 1 else ""
            if change:
                caption += f" {whose}{change}." if whose else f" {sentence(change)}."
            if number == len(first.steps) - 1:
                end = line_report(each)
                caption += f" {whose}{end[0].lower()}{end[1:]}" if whose else f" {end}"
        alpha = ""
        if step.kind == IMPROVE:
            alpha = page_score(words.seen(first.nodes[step.child]))
        steps.append([step.kind, step.node, step.child, alpha, lines, accesses])
        captions.append(caption)
    data = {"nodes": nodes, "steps": steps, "memories": memories, "minimax": search == "minimax"}
    return data, captions


def _course(recording: Recording) -> list[tuple[int, int, int]]:
    moves = [node.move for node in recording.nodes]
    return [(step.kind, step.node, moves[step.child]) for step in recording.steps]


def _node(recording: Recording, number: int, words: Captions) -> list[Any]:
    node = recording.nodes[number]
    move = words.move(number) if node.parent >= 0 else "root"
    unseen = node.board.legal_moves.count() - node.tried if node.end == "cut" else 0
    window = [page_score(node.alpha), page_score(node.beta)]
    squares = [node.move & 63, node.move >> 6 & 63] if node.parent >= 0 else []
    return [node.parent, node.ply, move, *window, words.bounded(number), node.end, unseen,
            node.board.board_fen(), squares, int(node.beta - node.alpha <= 1)]  # fmt: skip


def _memory(recording: Recording, story: MemoryStory) -> dict[str, Any]:
    return {
        "name": recording.collector.name,
        "panels": [
            {
                "title": panel.title,
                "kind": panel.kind,
                "heads": panel.heads,
                "rows": [
                    [
                        row.label,
                        [-1 if cell is None else story.cells[cell] for cell in row.cells],
                        row.beside,
                    ]
                    for row in panel.rows
                ],
            }
            for panel in story.panels
        ],
        "cells": story.cell_names(),
        "values": story.values(),
        "extents": story.extents,
    }


def line_report(recording: Recording) -> str:
    """Return a sentence on whether the PV confirms the score."""
    found = recording.found
    score = page_score(found.score)
    told = f"Score {score}, {found.nodes:,} nodes"
    if not found.line:
        return f"{told}, and no PV."
    board = recording.nodes[0].board.copy(stack=False)
    sans = []
    for number, code in enumerate(found.line):
        move = decode_move(code)
        if not board.is_legal(move):
            bad = move_to_uci(code, chess960=False)
            return f"{told}. The PV is wrong: its move {number + 1}, {bad}, is illegal."
        sans.append(board.san_and_push(move))
    told = f"{told}, PV {' '.join(sans)}"
    ended = line_may_end(board)
    if len(sans) < found.depth and not ended:
        return f"{told}. The PV is too short: {len(sans)} of {found.depth} plies."
    if board.is_checkmate():
        worth = len(sans) - MATE
    else:
        worth = 0 if ended else _evaluated(recording, board)
    worth = -worth if len(sans) % 2 else worth
    if worth != found.score:
        return (
            f"{told}. The PV does not confirm it: its last position is worth {page_score(worth)}."
        )
    return f"{told}, whose last position is worth the same."


def _evaluated(recording: Recording, board: chess.Board) -> int:
    """Return the evaluation of a leaf for the side to move."""
    interpreter, lab = Interpreter(), recording.lab
    fill(lab.pos, board)
    with wrapping():
        interpreter.copy(start)(lab.pos, lab.record)
        return int(interpreter.copy(evaluate)(lab.pos, lab.record, np.int64(0)))

"""The types that mypy assumes for the records agree with them."""

import ast
from pathlib import Path

from engine.board.position import POSITION
from engine.evaluation.nnue import EVALUATION
from engine.search.thread import PICKER, THREAD


def fields(path: Path, name: str) -> set[str]:
    """Return the attributes that the Protocol ``name`` declares itself."""
    (found,) = (
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and node.name == name
    )
    return {
        node.target.id
        for node in found.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }


PROTOCOLS = {
    ("engine/board/annotations.py", "Position"): {*(POSITION.names or ())},
    ("engine/evaluation/evaluation_data.py", "EvaluationData"): {*(EVALUATION.names or ())},
    ("engine/search/thread_data.py", "Picker"): {*(PICKER.names or ())},
    ("engine/search/thread_data.py", "ThreadData"): (
        {*(THREAD.names or ()), "parameters"} - {*(EVALUATION.names or ())}
    ),
}


def test_a_protocol_names_the_fields_of_its_record(root: Path) -> None:
    for (module, name), expected in PROTOCOLS.items():
        assert fields(root / module, name) == expected, name

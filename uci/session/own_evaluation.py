"""A user's own evaluation: read from a file, tried out, and loaded as the engine of a session.

A function whose machine code is in the cache is not tried again.
"""

import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.custom.custom_searcher import CustomSearcher
from engine.custom.function import Evaluation, EvaluationError
from engine.custom.variant import EvaluationVariant
from engine.files import open_file
from engine.jit.kernel import COMPILED
from uci.errors import UciError, reason, shorten
from uci.session import backend
from uci.session.backend import Backend, Notice, ProgressCallback
from uci.session.bench import POSITIONS

if TYPE_CHECKING:
    import chess

_MODULE = "own_evaluation"
"""How the names of users' modules begin here, so that none hides one of Python's."""

_PLIES, _SEED = 20, 1
"""Random moves from each position of the bench in which a function is tried."""

_ROOT = Path(__file__).resolve().parents[2]

_COMPILING = "compiling the search with {}: this happens once for each version of it"


class UserCodeError(UciError):
    """A user's function or file failed; its cause is the error to be shown."""

    def __init__(self, label: str, error: BaseException) -> None:
        why = reason(error)
        # The first line of numba's errors only names a step of the compiler.
        if type(error).__module__.startswith("numba."):
            why = next(filter(str.strip, str(error).splitlines()[1:]), why)
        super().__init__(f"{label} cannot be used: {type(error).__name__}: {why}")
        self.__cause__ = error


class OwnEvaluation:
    """A user's evaluation after its trial, and the engine that plays with it."""

    def __init__(self, function: Callable[..., Any], label: str = "") -> None:
        """Try ``function`` in some positions, unless it is compiled; messages call it ``label``.

        Raises what it raises, numba's error where it cannot be compiled, or `EvaluationError`.
        """
        evaluation = Evaluation(function)
        self.label = label or evaluation.name
        self.digest = evaluation.digest
        self.variant = EvaluationVariant(evaluation)
        self.variant.ask_for_search()
        if not self.variant.is_warm() or not COMPILED:
            try_out(evaluation.interpreted())
            evaluation.check_types()

    def load(self, notice: Notice, progress: ProgressCallback | None = None) -> Backend:
        """Load or compile the engine with this evaluation: see `backend.load`.

        ``notice`` is also called once when the evaluation returns a score out of range.
        """
        backend.load(notice, progress)
        if not self.variant.is_warm():
            notice(_COMPILING.format(self.label))
        self.variant.warm(progress)
        make = partial(CustomSearcher, self.variant)
        return Backend(make(report=notice), make)


def own_evaluation(text: str) -> OwnEvaluation:
    """Return the evaluation that ``FILE:FUNCTION`` names; raises `UciError`, and `UserCodeError`
    with the user's error as its cause."""
    function = read_function(text)
    path, _, name = text.rpartition(":")
    label = f"{Path(path).name}:{name}"
    try:
        return OwnEvaluation(function, label)
    except Exception as error:
        raise UserCodeError(label, error) from error


def read_function(text: str) -> Callable[..., Any]:
    """Return the function that ``FILE:FUNCTION`` names; raises as `own_evaluation`."""
    path, _, name = text.rpartition(":")
    if not path or not name.isidentifier():
        raise UciError(f"{shorten(text)}: expected FILE.py:FUNCTION")
    module = _run(Path(path))
    try:
        function: Callable[..., Any] = getattr(module, name)
    except AttributeError:
        raise UciError(f"{shorten(path)} has no function {shorten(name)}") from None
    return function


def _run(path: Path) -> ModuleType:
    """Return the module in a file; it can import other modules of its folder."""
    try:
        open_file(path).close()
    except OSError as error:
        raise UciError(f"cannot read {shorten(str(path))}: {reason(error)}") from None
    name = f"{_MODULE}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise UciError(f"{shorten(str(path))} is not a Python file: its name must end in .py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UserCodeError(path.name, error) from error
    finally:
        sys.path.remove(str(path.resolve().parent))
    return module


def try_out(function: Callable[..., Any]) -> None:
    """Call a function as Python in some thousand positions, with arrays that cannot be written to.

    Raises what it raises, with a note of the position, and `EvaluationError` for a result that is
    not a number.
    """
    from engine.board.position import new_position
    from uci.chess_io.convert import fill

    pos = new_position()
    for board in _positions():
        fill(pos, board)
        arrays = [part.copy() for part in (pos.board, pos.by_type, pos.by_colour)]
        for array in arrays:
            array.setflags(write=False)
        try:
            with np.errstate(over="ignore"):
                score = function(*arrays, int(pos.side))
            if not isinstance(score, int | float | np.number | np.bool_):
                raise EvaluationError(f"it returned {score!r:.40}, not a number of centipawns")
        except Exception as error:
            error.add_note(f"in the position {board.fen()}")
            raise


def _positions() -> "Iterator[chess.Board]":
    from uci.chess_io.convert import board_of

    random = Random(_SEED)
    for fen in POSITIONS:
        board = board_of(fen)
        for _ in range(_PLIES):
            yield board
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(random.choice(moves))


def print_error(error: UserCodeError) -> None:
    """Print the user's error as Python does, without our own calls above the user's."""
    cause = error.__cause__
    assert cause is not None
    traceback.print_exception(type(cause), cause, _users(cause.__traceback__))


def _users(trace: TracebackType | None) -> TracebackType | None:
    """Return the part of a traceback that begins in the user's file; None if it has none."""
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        ours = name.startswith("<") or Path(name).resolve().is_relative_to(
            _ROOT / "uci" / "session"
        )
        if not ours and "numba" not in Path(name).parts and "llvmlite" not in Path(name).parts:
            code = trace.tb_frame.f_globals.get("__name__", "")
            if not code.startswith(("engine.", "importlib", "contextlib")):
                return trace
        trace = trace.tb_next
    return None

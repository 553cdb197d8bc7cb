"""The engine in a notebook, whose kernel has an event loop and can be interrupted."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.jit.kernel import COMPILED
from helpers.fake_managers import posix
from scripts.patience import SILENCE

jupyter_client = pytest.importorskip("jupyter_client", reason="ipykernel is in the extra dev")

pytestmark = [
    posix,
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="the engine is to be quick"),
]


@pytest.fixture
def notebook(root: Path, warm: Path) -> Iterator[tuple[Any, Any]]:
    """Yield a notebook kernel's manager and its client."""
    manager, client = jupyter_client.manager.start_new_kernel(kernel_name="python3", cwd="/")
    client.execute_interactive(
        f"import sys; sys.path[:0] = [{str(root)!r}, {str(root / 'uci' / 'library')!r}]"
    )
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def output(client: Any, message: str) -> str:
    """Return the output of the cell of ``message``, with the name of its error."""
    shown = ""
    while True:
        heard = client.get_iopub_msg(timeout=SILENCE)
        content = heard["content"]
        if heard["parent_header"].get("msg_id") != message:
            continue
        match heard["msg_type"]:
            case "stream":
                shown += content["text"]
            case "execute_result":
                shown += content["data"]["text/plain"]
            case "error":
                shown += content["ename"]
            case "status" if content["execution_state"] == "idle":
                return shown


def test_cells_share_an_engine_and_can_be_interrupted(notebook: tuple[Any, Any]) -> None:
    manager, client = notebook

    def cell(code: str) -> str:
        return output(client, client.execute(code))

    assert cell("import chess; from chess.engine import Limit; from pythagoras import Engine") == ""
    assert cell("engine = Engine(); board = chess.Board()") == ""
    assert cell("engine.play(board, Limit(depth=3)).move in board.legal_moves") == "True"
    endless = client.execute("print('begun', flush=True); engine.analyse(board, Limit())")
    time.sleep(0.5)
    manager.interrupt_kernel()
    assert output(client, endless) == "begun\nKeyboardInterrupt"
    assert cell("engine.play(board, Limit(depth=3)).move in board.legal_moves") == "True"
    code = "from pythagoras import AsyncEngine\nother = await AsyncEngine.open()\n"
    code += "(await other.play(board, Limit(depth=3))).move in board.legal_moves"
    assert cell(code) == "True"
    assert cell("engine.close(); other.close()") == ""

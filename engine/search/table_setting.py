"""How a search uses tablebases, and a thread's part in it."""

from dataclasses import dataclass

from engine.memory.records import address_of
from engine.search.thread_data import ThreadData
from engine.syzygy.decoding import UNKNOWN
from engine.syzygy.wdl_tables import Tablebases, new_cache


@dataclass(frozen=True, slots=True)
class TableSetting:
    """The open ``tables`` and the conditions for probing them.

    Positions of up to ``limit`` pieces are probed; those with as many as the largest tables only
    at ``depth`` plies or more. Without ``fifty`` there is no fifty-move rule.
    """

    tables: Tablebases
    limit: int = 7
    depth: int = 1
    fifty: bool = True


class TableCache:
    """The pages that one thread has read from tables; allocated when tables are first used."""

    def __init__(self) -> None:
        self._tables: Tablebases | None = None
        self._record = None

    def attach(self, th: ThreadData, setting: TableSetting | None, probe: int) -> None:
        """Make ``th`` probe as ``setting`` says, by the machine code at the address ``probe``; not
        at all without them or without memory."""
        th.tb_probe = th.tb_hits = 0
        if setting is None or probe == 0:
            return
        if setting.tables is not self._tables:
            try:
                self._record = new_cache()
            except MemoryError:
                return
            self._tables = setting.tables
        th.tb_probe = probe
        th.tb_tables, th.tb_cache = setting.tables.address, address_of(self._record)
        th.tb_pieces = min(setting.limit, setting.tables.largest)
        th.tb_depth, th.tb_fifty = setting.depth, setting.fifty
        th.tb_values[:] = UNKNOWN

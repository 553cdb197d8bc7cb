"""The worker of a ``go`` that cannot be executed, where its ``bestmove`` is not due yet."""

from uci.protocol.messages import format_bestmove
from uci.protocol.writer import Writer
from uci.session.loader import Loader
from uci.session.worker import Worker

NO_MOVE = format_bestmove(())


class NoMove(Worker):
    """Waits until a ``bestmove`` is due, and answers that there is none.

    That is at ``stop``, at the next search, or, unless ``infinite``, at ``ponderhit``.
    """

    answers_go = True

    def __init__(self, loader: Loader, writer: Writer, infinite: bool) -> None:
        super().__init__(loader, writer)
        self._infinite = infinite

    @property
    def bounded(self) -> bool:
        """Whether it ends without being stopped: never."""
        return False

    def work(self) -> None:
        """Wait, then answer."""
        self.halted.wait()
        self.answered = True
        self.writer.lines(NO_MOVE)

    def superseded(self) -> None:
        """Answer: the client asks for something new."""
        self.halt()

    def ponderhit(self) -> None:
        """Answer, unless the client asked for an infinite search as well."""
        if not self._infinite:
            self.halt()

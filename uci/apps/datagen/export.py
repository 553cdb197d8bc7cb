"""``pythagoras datagen FILE --export OUT``: the games in a format of other programs."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from engine.files import replace_file_in_parts
from uci.apps.console.output_file import check_target
from uci.apps.console.streams import print_now
from uci.apps.console.terminal import StatusBar
from uci.apps.datagen import pgn_format, plain_format, viriformat
from uci.apps.datagen.recorded_game import Encoded, RecordedGame, read_game
from uci.apps.engines.warm_up import compile_kernels
from uci.errors import UciError, counted, named_errors, shorten

FORMATS: dict[str, Callable[[RecordedGame], Encoded]] = {
    ".pgn": pgn_format.encode,
    ".plain": plain_format.encode,
    ".viriformat": viriformat.encode,
}


class Exported(NamedTuple):
    """The numbers of read games and positions, and of written positions.

    ``damaged`` counts the bytes of the file between whole blocks.
    """

    games: int = 0
    positions: int = 0
    written: int = 0
    damaged: int = 0


def export(source: Path, target: Path, force: bool) -> Exported:
    """Write the games of ``source`` to ``target``, one block in memory at a time.

    The end of its name chooses the format. It appears, or is replaced, when it is complete.
    Raises `UciError`, `OSError`, and `engine.datagen.game_file.FormatError` for a ``source`` that
    is not a file of legal games.
    """
    from engine.datagen.game_file import open_games, read_header, split

    encode = FORMATS.get(target.suffix.lower())
    if encode is None:
        *names, last = FORMATS
        raise UciError(
            f"{shorten(str(target))}: expected a name that ends with {', '.join(names)} or {last}"
        )
    _, whole = read_header(source)  # refuses other files before anything is compiled
    check_target(target, force)
    if target.exists() and target.samefile(source):
        raise UciError(f"{shorten(str(target))}: the games cannot replace their own file")
    compile_kernels(print_now)
    done = Exported()

    def blocks(progress: StatusBar) -> Iterator[bytes]:
        nonlocal done, whole
        for block in open_games(source):
            whole += block.end - block.start
            games = [
                encode(read_game(number, words))
                for number, words in enumerate(split(block), block.first)
            ]
            yield b"".join(game.data for game in games)
            done = Exported(
                done.games + block.games,
                done.positions + block.positions,
                done.written + sum(game.positions for game in games),
            )
            progress.update(counted(done.games, "game"), block.end)

    with StatusBar() as progress:
        progress.begin("", source.stat().st_size)
        with named_errors(target):
            replace_file_in_parts(target, blocks(progress))
    return done._replace(damaged=max(0, source.stat().st_size - whole))

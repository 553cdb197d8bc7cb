"""What was seen in games that were played to find faults: one record for each batch of them."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

RECORD = "record.json"


@dataclass(frozen=True, slots=True)
class TimeLoss:
    """A game lost on time, told by ``what``, and the stalls that the watchdogs saw beside it."""

    what: str
    stalls: list[str]


@dataclass(slots=True)
class Batch:
    """Games of a ``manager``; ``sitting`` is when the command was started that played them."""

    sitting: str
    players: str
    commit: str
    manager: str
    seed: int
    games: int = 0
    time_losses: list[TimeLoss] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)

    def save(self, folder: Path) -> None:
        """Write it into the ``folder`` of its games."""
        (folder / RECORD).write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")


def read_batches(state: Path) -> list[Batch]:
    """Return the batches in the folders of ``state``, in their order."""
    return [
        _batch(json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(state.glob(f"*/{RECORD}"))
    ]


def _batch(kept: Mapping[str, Any]) -> Batch:
    losses = [TimeLoss(**loss) for loss in kept["time_losses"]]
    return Batch(**{**kept, "time_losses": losses})


HEADER = "sitting", "engine", "commit", "seed", "fastchess", "cutechess", "lost on time", "else"


def sittings(batches: Iterable[Batch]) -> Iterator[tuple[str, ...]]:
    """Yield a row of text for each sitting and kind of players, in the order of `HEADER`."""
    groups: dict[tuple[str, str, str], list[Batch]] = {}
    for batch in batches:
        groups.setdefault((batch.sitting, batch.players, batch.commit), []).append(batch)
    for key, group in groups.items():
        yield (
            *key,
            str(group[0].seed),
            *(str(games_of(group, manager=name)) for name in ("fastchess", "cutechess-cli")),
            str(sum(len(batch.time_losses) for batch in group)),
            str(sum(len(batch.findings) for batch in group)),
        )


def games_of(batches: Iterable[Batch], **facts: str) -> int:
    """Return how many games were played in the batches that have all of these ``facts``."""
    return sum(b.games for b in batches if all(getattr(b, k) == v for k, v in facts.items()))


def fisher(ours: int, of_ours: int, theirs: int, of_theirs: int) -> float:
    """Return the chance to lose ``ours`` or more of our games, if all are lost as often as theirs.

    The one-sided exact test (Ronald Fisher, 1922), with the number of all losses given.
    """
    games, losses = of_ours + of_theirs, ours + theirs
    ways = math.comb(games, losses)
    return sum(
        math.comb(of_ours, ours_lost) * math.comb(of_theirs, losses - ours_lost) / ways
        for ours_lost in range(ours, min(losses, of_ours) + 1)
    )


def verdict(batches: Sequence[Batch], ours: str, theirs: str) -> str:
    """Compare how often two kinds of players lost on time."""
    lost, games = {}, {}
    for players in (ours, theirs):
        group = [batch for batch in batches if batch.players == players]
        lost[players] = sum(len(batch.time_losses) for batch in group)
        games[players] = games_of(group)
    p = fisher(lost[ours], games[ours], lost[theirs], games[theirs])
    shares = ", ".join(f"{name} {lost[name]} of {games[name]}" for name in (ours, theirs))
    return f"lost on time: {shares}; as seldom as they, p = {p:.3f}"

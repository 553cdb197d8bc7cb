"""A file with the results of a suite, written during the run, so that it can be resumed."""

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic

from engine.files import open_file, replace_file
from uci.apps.epd.outcomes import Outcome
from uci.apps.epd.suite_file import Suite
from uci.apps.epd.suite_json import SCHEMA, asked
from uci.apps.games.typed_json import from_json

KEEP_EVERY = 10.0
"""Seconds between two writes: the maximum work that a crash can lose."""

CHANGING = "positions", "complete", "jobs"
"""Settings that may differ when a run is resumed."""

Outcomes = Mapping[int, Sequence[Outcome]]


def may_replace(path: Path) -> bool:
    """Return whether a file is empty or contains results of any version. Raises `OSError`."""
    with open_file(path) as file:
        data = file.read()
    try:
        schema = json.loads(data.decode())["schema"] if data else SCHEMA
        return bool(schema.rpartition(" ")[0] == SCHEMA.rpartition(" ")[0])
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return False


class ResultsFile:
    """A results file; ``describe`` returns the document of `suite_json`."""

    def __init__(self, path: Path, describe: Callable[[Outcomes], Mapping[str, object]]) -> None:
        self._path, self._describe = path, describe
        self._kept = monotonic()

    def earlier(self, suite: Suite) -> dict[int, list[Outcome]]:
        """Return the saved outcomes of the same command, if there are any."""
        try:
            with open_file(self._path) as file:
                found = json.loads(file.read().decode())
            same = json.loads(json.dumps(self._describe({})))
            if found["complete"] or any(
                found[name] != same[name] for name in same if name not in CHANGING
            ):
                return {}
            numbers = {json.dumps(asked(each)): n for n, each in enumerate(suite.problems)}
            outcomes = {}
            for position in found["positions"]:
                known = [from_json(Outcome, each) for each in position.pop("outcomes")]
                if len(known) == len(same["engines"]):
                    outcomes[numbers[json.dumps(position)]] = known
            return outcomes
        except (OSError, ValueError, TypeError, AttributeError, LookupError, RecursionError):
            return {}  # missing or damaged: it is replaced

    def keep(self, outcomes: Outcomes) -> None:
        """Write the outcomes so far, if that is due; errors are left to `write`."""
        if monotonic() - self._kept >= KEEP_EVERY:
            with contextlib.suppress(OSError):
                self.write(outcomes)
            self._kept = monotonic()

    def write(self, outcomes: Outcomes) -> None:
        """Write the outcomes. Raises `OSError`."""
        text = json.dumps(self._describe(outcomes), indent=1) + "\n"
        replace_file(self._path, text.encode())

"""Compares two documents of results: which positions are newly solved or newly lost."""

from collections import Counter
from collections.abc import Iterator, Sequence

from uci.apps.epd.outcomes import Outcome, Total, total
from uci.apps.epd.suite_json import Asked, Results, limit_words
from uci.apps.epd.suite_report import (
    ReportTable,
    grouped,
    points,
    score,
    seconds,
    solved,
    without_empty,
)

Pair = tuple[Asked, list[Outcome], list[Outcome]]
"""A position with the outcomes of both documents' engines."""


def changes(old: Results, new: Results) -> Iterator[ReportTable]:
    """Yield the tables of changes. Engines are compared in order, the first with the first.

    Only positions of both documents are compared.
    """
    pairs = list(matched(old, new))
    for place, (before, after) in enumerate(zip(old.engines, new.engines, strict=False)):
        title = f"Old: {before}, {limit_words(old.limit)}; new: {after}, {limit_words(new.limit)}"
        title += f"; positions of both: {len(pairs):,}"
        alone = len(old.asked) - len(pairs), len(new.asked) - len(pairs)
        if any(alone):
            title += f", only in the old results: {alone[0]:,}, only in the new: {alone[1]:,}"
        yield (title, *_by_theme(pairs, place))
        for what, was in (("Newly solved", False), ("Newly lost", True)):
            rows = [
                [asked.name, asked.expected, _cell(one[place]), _cell(two[place])]
                for asked, one, two in pairs
                if one[place].solved is was and two[place].solved is not was
            ]
            if rows:
                yield f"{what}: {len(rows):,}", ("position", "expected", "old", "new"), rows


def matched(old: Results, new: Results) -> Iterator[Pair]:
    """Yield the common positions: equal positions with equal goals are matched in order."""

    def keyed(results: Results) -> dict[tuple[str, str, int], int]:
        seen: Counter[tuple[str, str]] = Counter()
        found = {}
        for number, asked in enumerate(results.asked):
            key = asked.fen, asked.expected
            found[(*key, seen[key])] = number
            seen[key] += 1
        return found

    before = keyed(old)
    for key, number in keyed(new).items():
        if key in before:
            yield new.asked[number], old.outcomes[before[key]], new.outcomes[number]


def _by_theme(pairs: Sequence[Pair], place: int) -> tuple[list[str], list[list[str]]]:
    headings = ["theme", "old solved", "new solved", "change", "old points", "new points"]
    headings += ["change of points", "old time", "new time"]
    themes = grouped({number: asked.theme for number, (asked, _, _) in enumerate(pairs)})
    rows = [_row(theme, [pairs[n] for n in numbers], place) for theme, numbers in themes.items()]
    if len(rows) != 1:
        rows.append(_row("all", pairs, place))
    return without_empty(headings, rows)


def _row(theme: str, pairs: Sequence[Pair], place: int) -> list[str]:
    most = [asked.most for asked, _, _ in pairs]
    before: Total = total(most, [one[place] for _, one, _ in pairs])
    after: Total = total(most, [two[place] for _, _, two in pairs])
    return [
        theme,
        solved(before),
        solved(after),
        _change(after.solved - before.solved),
        points(before),
        points(after),
        "" if before.points is None else _change((after.points or 0) - before.points),
        seconds(before.time),
        seconds(after.time),
    ]


def _change(number: int) -> str:
    return f"{number:+,}" if number else "="


def _cell(outcome: Outcome) -> str:
    if outcome.error:
        return outcome.error
    time = f", {seconds(outcome.counted)}" if outcome.solved else ""
    return f"{outcome.san} ({score(outcome)}{time})"

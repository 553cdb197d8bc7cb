"""The report on executed lines of kernels."""

from pathlib import Path

import pytest

from scripts.measure import kernel_coverage
from scripts.measure.kernel_coverage import kernel_lines, main, ranges, report

SOURCE = '''
@kernel
def double(x):
    """Return it twice."""
    return x + x

def plain(x):
    return x

@entry(
    np.int64
)
def both(x):
    if x:
        return double(x)
    return (
        x
    )
'''


def test_lines_of_kernels_are_found() -> None:
    assert kernel_lines(SOURCE) == {4, 5, 14, 15, 16, 17, 18}


def test_numbers_are_put_together() -> None:
    assert ranges([]) == ""
    assert ranges([3]) == "3"
    assert ranges([3, 7, 8, 9, 11]) == "3, 7–9, 11"


def test_what_was_not_run_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_coverage, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text(SOURCE)
    (tmp_path / "b.py").write_text("def plain(x):\n    return x\n")
    run = [("a.py", {2, 3, 5, 7, 8, 10, 14, 15, 16}, {8, 15, 16}), ("b.py", {1, 2}, {2})]
    assert list(report(run)) == [" 50.0%  a.py  15–16", " 50.0%  of 4 lines of kernels"]


@pytest.mark.slow
def test_real_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from coverage import Coverage

    from engine.search.reductions import deeper_or_shallower
    from helpers.search_steps import plain

    measured = Coverage(data_file=str(tmp_path / "data"), include=["engine/search/*"])
    with measured.collect():
        plain(deeper_or_shallower)(None, 3, 0)
    measured.save()
    assert main([str(tmp_path / "data")]) == 0
    told = capsys.readouterr().out
    (line,) = [line for line in told.splitlines() if "reductions.py" in line]
    assert not line.startswith("  0.0%")
    assert told.splitlines()[-1].endswith("lines of kernels")

"""`make audit`: the packages it queries, and that a failed audit never looks like a passed one."""

import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from scripts.release import audit

FAKE = """#!{python}
import json, pathlib, sys
asked = pathlib.Path(sys.argv[sys.argv.index("--requirement") + 1]).read_text()
pathlib.Path({asked!r}).write_text(json.dumps([sys.argv[1:], asked]))
print({out!r})
print({err!r}, file=sys.stderr)
sys.exit({status})
"""


@pytest.mark.parametrize(
    ("out", "err", "status", "expected"),
    [
        ("", "No known vulnerabilities found", 0, 0),
        ("Name  Version ID\nnumpy 1.0     X-1", "Found 1 known vulnerability", 1, 1),
        ("", "ConnectionError: no answer", 1, audit.UNREACHABLE),
        ("", "", 1, audit.UNREACHABLE),
    ],
)
def test_what_it_says(
    out: str, err: str, status: int, expected: int, root: Path, tmp_path: Path
) -> None:
    fake, asked = tmp_path / "pip-audit", tmp_path / "asked"
    fake.write_text(
        FAKE.format(python=sys.executable, asked=str(asked), out=out, err=err, status=status)
    )
    fake.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-m", "scripts.release.audit", str(fake)],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == expected
    words, pins = json.loads(asked.read_text())
    assert f"numpy=={metadata.version('numpy')}\n" in pins
    assert "--no-deps" in words, "what is asked is what is installed"
    if expected == audit.UNREACHABLE:
        (line,) = done.stderr.splitlines()
        assert line.startswith("audit: NOT DONE, the service could not be reached: ")
        assert done.stdout == ""
    else:
        assert done.stderr == ""
        assert ("no known vulnerabilities" in done.stdout) == (expected == 0)


def test_all_that_is_needed_is_asked_about() -> None:
    """All requirements are queried, indirect ones too, but not those of the tests."""
    assert set(audit.needed()) == {"chess", "numba", "numpy", "llvmlite"}


def test_without_the_program(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert audit.main([str(tmp_path / "missing")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_no_other_target_asks(root: Path) -> None:
    """Only this target queries a service, and no check depends on it."""
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    rules = re.findall(r"^([^\s#:]+):(?!=)(.*(?:\n\t.*)*)", makefile, re.MULTILINE)
    asking = {
        target
        for target, rule in rules
        if "audit" in target or "audit" in rule.replace("--no-audit", "")
    }
    assert asking == {"audit", "$(VENV)/.audit/bin/pip-audit", ".PHONY"}
    assert "audit" not in (root / ".ci" / "run").read_text(encoding="utf-8")

"""The package `pythagoras`: loaded lazily, installed in both ways, never confused with another."""

import shutil
import subprocess
import sys
import sysconfig
from importlib import util
from pathlib import Path

import pytest
import pythagoras

from scripts.release import api_page

LIBRARY = Path(pythagoras.__file__).parents[1]


def python(code: str, *paths: Path, executable: str = sys.executable, bare: bool = False) -> str:
    """Return the last line that ``code`` prints, or its error, with ``paths`` first on the path.

    If ``bare``, installed packages are not found.
    """
    code = f"import sys\nsys.path[:0] = {[*map(str, paths)]}\n{code}"
    done = subprocess.run(
        [executable, *["-S"] * bare, "-c", code],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stdout + done.stderr).strip().splitlines()[-1]


def test_importing_it_loads_nothing(root: Path) -> None:
    heavy = {"chess", "numba", "numpy", "uci", "engine"}
    code = f"import pythagoras\nprint({heavy} & {{*sys.modules}} or [])"
    assert python(code, root, LIBRARY) == "[]"
    assert python("import pythagoras\nprint(dir(pythagoras))", root, LIBRARY) == str(
        ["AsyncEngine", "Engine", "MateCertificate", "__version__"]
    )


def test_a_gui_start_does_not_load_it(root: Path) -> None:
    code = "import uci.cli.main\nprint({'pythagoras', 'chess', 'asyncio'} & {*sys.modules} or 0)"
    assert python(code, root, LIBRARY) == "0"


def test_its_version_is_the_engines() -> None:
    from uci import __version__

    assert pythagoras.__version__ == __version__
    with pytest.raises(AttributeError, match="no attribute 'Motor'"):
        _ = pythagoras.Motor  # type: ignore[attr-defined]


@pytest.mark.parametrize("package", ["engine", "uci"])
@pytest.mark.parametrize("file", ["{}.py", "{}/__init__.py"])
def test_another_package_of_that_name_is_told(
    package: str, file: str, root: Path, tmp_path: Path
) -> None:
    other = tmp_path / file.format(package)
    other.parent.mkdir(exist_ok=True)
    other.write_text("")
    line = python("from pythagoras import Engine", tmp_path, LIBRARY, root)
    start = f"ImportError: pythagoras needs its own package '{package}', but Python finds "
    assert line == f"{start}{other} first: remove that from the path"


def test_a_folder_of_that_name_is_told(tmp_path: Path) -> None:
    (tmp_path / "uci").mkdir()
    line = python("from pythagoras import Engine", tmp_path, LIBRARY, bare=True)
    assert line.endswith(
        f"its own package 'uci', but Python finds ['{tmp_path}/uci'] first"
        ": remove that from the path"
    )


def test_a_package_that_is_missing_is_told() -> None:
    line = python("from pythagoras import Engine", LIBRARY, bare=True)
    assert (
        line
        == "ImportError: pythagoras is incomplete, install it again: its package 'uci' is missing"
    )


@pytest.mark.slow
@pytest.mark.skipif(not util.find_spec("hatchling"), reason="hatchling is in the extra dev")
def test_an_edit_after_an_editable_install_is_seen(root: Path, tmp_path: Path) -> None:
    checkout, prefix = tmp_path / "checkout", tmp_path / "environment"
    for name in ("engine", "uci"):
        shutil.copytree(root / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(root / name, checkout)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(prefix)], check=True)
    paths = sysconfig.get_paths("venv", {"base": str(prefix), "platbase": str(prefix)})
    packages, command = Path(paths["purelib"]), str(Path(paths["scripts"], "python"))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", command, "install", "--quiet", "--no-index"]
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", "-e", str(checkout)], check=True)
    assert (
        python("import pythagoras\nprint(pythagoras.__name__)", executable=command) == "pythagoras"
    )
    source = checkout / "uci" / "library" / "pythagoras" / "__init__.py"
    source.write_text(source.read_text() + "\nEDITED = 7\n")
    code = "import pythagoras\nprint(pythagoras.EDITED, pythagoras.__file__)"
    assert python(code, executable=command) == f"7 {source}"
    assert python("import transport", executable=command).startswith("ModuleNotFoundError")


def test_the_reference_is_that_of_the_docstrings() -> None:
    """The API reference is up to date with the docstrings; `make api` writes it."""
    assert api_page.PAGE.read_text(encoding="utf-8") == api_page.page()

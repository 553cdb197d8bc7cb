"""The wheel: its content, and that it runs from any folder, installed read-only."""

import email
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from importlib import util
from pathlib import Path

import pytest

from helpers.processes import environment

pytestmark = [
    pytest.mark.external,
    pytest.mark.skipif(
        not (util.find_spec("build") and util.find_spec("hatchling")),
        reason="build or hatchling is not installed (they are in the extra dev)",
    ),
]


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    subprocess.run([*command, str(root)], check=True, stdout=subprocess.DEVNULL)
    (file,) = out.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def commands(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the folder of the commands of a new environment with read-only packages.

    The dependencies are those of this environment, by a path: nothing is downloaded.
    """
    prefix = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(prefix)], check=True)
    paths = sysconfig.get_paths("venv", {"base": str(prefix), "platbase": str(prefix)})
    python = Path(paths["scripts"]) / Path(sys.executable).name
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True)
    packages = Path(paths["purelib"])
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    make_read_only(packages, True)
    yield Path(paths["scripts"])
    make_read_only(packages, False)
    shutil.rmtree(prefix)


def make_read_only(folder: Path, read_only: bool) -> None:
    for path in (folder, *folder.rglob("*")):
        mode = path.stat().st_mode
        path.chmod(mode & ~0o222 if read_only else mode | stat.S_IWUSR)


def start(command: list[str], home: Path) -> subprocess.CompletedProcess[str]:
    """Run ``command`` from the root of the file system with an empty home."""
    env = environment(home, HOME=str(home))
    return subprocess.run(
        command, cwd="/", env=env, text=True, capture_output=True, check=False, timeout=300
    )


def test_the_wheel_holds_the_packages_and_nothing_else(wheel: Path, root: Path) -> None:
    assert re.fullmatch(r"pythagoras_chess-[\w.]+-py3-none-any\.whl", wheel.name)
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.split("/")[0].split("-")[0] for name in names} == {
        "engine",
        "uci",
        "pythagoras",
        "pythagoras_chess",
    }
    sources = {
        path.relative_to(root).as_posix().replace("uci/library/pythagoras/", "pythagoras/")
        for package in ("engine", "uci")
        for path in (root / package).rglob("*.py")
    }
    assert {name for name in names if name.endswith(".py")} == sources
    assert not [name for name in names if name.endswith(".md")]
    for shell in ("bash", "fish", "zsh"):
        path = root / "uci" / "cli" / "completions" / f"pythagoras.{shell}"
        assert contents(wheel).count(path.read_bytes()) == 1
    assert not [name for name in names if "__pycache__" in name]


def contents(wheel: Path) -> list[bytes]:
    with zipfile.ZipFile(wheel) as file:
        return [file.read(name) for name in file.namelist()]


def test_every_licence_is_among_the_licences(wheel: Path, root: Path) -> None:
    """Every licence is included once, also that of the names of openings."""
    with zipfile.ZipFile(wheel) as file:
        (info,) = {name.split("/")[0] for name in file.namelist() if ".dist-info/" in name}
        licences = {
            name.removeprefix(f"{info}/licenses/"): file.read(name)
            for name in file.namelist()
            if name.startswith(f"{info}/licenses/")
        }
        metadata = email.message_from_bytes(file.read(f"{info}/METADATA"))
    ours = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for place in (root, root / "engine", root / "uci")
        for path in (place.glob("*") if place == root else place.rglob("*"))
        if "LICEN" in path.name.upper() and path.is_file()
    }
    assert licences == ours
    assert {"LICENSE", "uci/apps/games/openings.LICENSE"} <= ours.keys()
    assert set(metadata.get_all("License-File", [])) == ours.keys()
    assert all(contents(wheel).count(text) == 1 for text in ours.values())


def test_the_description_stands_by_itself(wheel: Path) -> None:
    """The description needs no local picture or page: a package index shows only its text."""
    with zipfile.ZipFile(wheel) as file:
        (name,) = (name for name in file.namelist() if name.endswith("/METADATA"))
        metadata = email.message_from_bytes(file.read(name))
    text = str(metadata.get_payload())
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "from pythagoras import Engine" in text
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert links
    assert [link for link in links if not link.startswith("https://")] == []


def test_the_metadata(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        (info,) = {name.split("/")[0] for name in file.namelist() if ".dist-info/" in name}
        metadata = email.message_from_bytes(file.read(f"{info}/METADATA"))
        scripts = file.read(f"{info}/entry_points.txt").decode()
        licence = file.read(f"{info}/licenses/LICENSE").decode()
    required = [name for name in metadata.get_all("Requires-Dist", []) if "extra ==" not in name]
    assert {re.match(r"\w+", name)[0] for name in required} == {"chess", "numba", "numpy"}
    assert metadata["Name"] == "pythagoras-chess"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "GPL-3.0-or-later"
    assert "pythagoras = pythagoras.__main__:main" in scripts
    assert "GNU GENERAL PUBLIC LICENSE" in licence


def test_installed_read_only_it_runs_from_anywhere(commands: Path, tmp_path: Path) -> None:
    before = installed(commands)
    version = start([str(commands / "pythagoras"), "--version"], tmp_path)
    assert (version.returncode, version.stderr) == (0, "")
    assert re.search(r"\d+\.\d+\.\d+", version.stdout)
    found = start([str(commands / "pythagoras"), "go", "depth", "3"], tmp_path)
    assert (found.returncode, found.stderr) == (0, "")
    assert re.search(r"^info depth 3 .* pv \w+", found.stdout, re.MULTILINE)
    assert re.search(r"^bestmove [a-h][1-8][a-h][1-8]", found.stdout, re.MULTILINE)
    assert installed(commands) == before
    assert list(tmp_path.glob("pythagoras/*/complete"))


def installed(commands: Path) -> set[Path]:
    """Return the files of the environment, without Python's own cache (root writes it anywhere)."""
    return {path for path in commands.parent.rglob("*") if "__pycache__" not in path.parts}


def test_the_module_is_the_command(commands: Path, tmp_path: Path) -> None:
    by_module = [str(commands / Path(sys.executable).name), "-m", "uci", "--version"]
    by_name = [str(commands / "pythagoras"), "--version"]
    assert start(by_module, tmp_path).stdout == start(by_name, tmp_path).stdout != ""


def test_a_program_plays_with_it(commands: Path, tmp_path: Path) -> None:
    code = "import chess\nfrom chess.engine import Limit\nfrom pythagoras import Engine\n"
    code += "with Engine() as engine: print(engine.play(chess.Board(), Limit(depth=2)).move)"
    done = start([str(commands / Path(sys.executable).name), "-c", code], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"[a-h][1-8][a-h][1-8]\n", done.stdout)

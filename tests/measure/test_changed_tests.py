"""The choice of tests by `make quick`."""

from scripts.changed_tests import folder_of, folders


def test_folders_of_changed_files() -> None:
    for path, name in {
        "engine/search/pvs.py": "search",
        "uci/session/go.py": "session",
        "uci/apps/analyse/report/page.py": "analyse",
        "uci/apps/lab/show/run.py": "apps_lab",
        "uci/apps/__init__.py": "house",
        "uci/errors.py": "house",
        "scripts/match/arena.py": "match",
        "tests/board/test_see.py": "board",
        "tests/helpers/client.py": "house",
        "README.md": "house",
    }.items():
        assert folder_of(path) == name
    assert folders(["engine/board/see.py", "README.md", "uci/session/go.py"]) == [
        "board", "house", "session",
    ]  # fmt: skip

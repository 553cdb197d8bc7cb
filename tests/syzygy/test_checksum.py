"""The checksums of table files."""

from pathlib import Path

import pytest

from engine.syzygy import checksum
from helpers.syzygy import FOLDER


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (64, "02fc7290f2731182a0998180ff6acb2b"),
        (192, "e3d438acdbde68164b7db6b9b39db9ec"),
        (896, "ead6c519d2bdf1e83590051b342eb0d4"),
        (1280, "56421da5034500903b006f8b469c864a"),
    ],
)
def test_hash(size: int, expected: str) -> None:
    """The hash equals that of Google's program, for each range of sizes."""
    text = bytes((i * i * 7 + i * 13 + size) & 255 for i in range(size))
    found = checksum.hash128(text)
    assert found == b"".join(bytes.fromhex(expected)[at : at + 8][::-1] for at in (0, 8))


def test_files(tmp_path: Path) -> None:
    """The checksums of all tables are right, and a changed bit is found anywhere."""
    for file in sorted(Path(FOLDER).glob("*.rtb?")):
        assert checksum.has_right_checksum(file), file
        data = bytearray(file.read_bytes())
        for place in (0, len(data) // 2, len(data) - 1):
            data[place] ^= 16
            (tmp_path / "changed").write_bytes(data)
            assert not checksum.has_right_checksum(tmp_path / "changed")
            data[place] ^= 16
    (tmp_path / "changed").write_bytes(b"")
    assert not checksum.has_right_checksum(tmp_path / "changed")

"""Mutations of valid inputs: damage, accidents and mistakes in texts and files."""

import random
from collections.abc import Sequence


def mutate(data: bytes, dice: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """Return ``data`` with one to four changes; parts to insert are taken from ``others``."""
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        at = dice.randrange(len(data) + 1)
        end = min(len(data), at + dice.choice((1, 1, 2, 4, 16, 200)))
        match dice.randrange(6):
            case 0:  # cut
                data = data[:at] + (data[end:] if dice.random() < 0.7 else b"")
            case 1:  # flip a bit
                if at < len(data):
                    data = data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :]
            case 2:  # insert
                data = data[:at] + dice.randbytes(dice.choice((1, 1, 3, 40))) + data[at:]
            case 3:  # repeat
                data = data[:end] + data[at:end] * dice.choice((1, 3, 30)) + data[end:]
            case 4:  # zero
                data = data[:at] + bytes(end - at) + data[end:]
            case _:  # splice
                other = dice.choice(others) if others else data
                data = data[:at] + other[dice.randrange(len(other) + 1) :]
    return data


def spoil(text: str, dice: random.Random, words: Sequence[str]) -> str:
    """Return ``text`` with words removed, doubled, swapped, or replaced by some of ``words``."""
    parts = text.split(" ")
    for _ in range(dice.choice((1, 1, 2, 5))):
        at = dice.randrange(len(parts))
        match dice.randrange(6):
            case 0:
                parts.insert(at, dice.choice(words))
            case 1:
                parts.insert(at, parts[at])
            case 2:
                parts[at] = dice.choice(words)
            case 3:
                parts[at] = parts[at][: dice.randrange(8)]
            case 4:
                dice.shuffle(parts)
            case _:
                parts[at : at + 1] = []
                parts = parts or [""]
    return " ".join(parts)

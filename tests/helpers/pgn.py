"""Games in PGN, as tournament managers write them."""

TAGS = {"Event": "?", "Round": "3"}


def pgn(
    white: str, black: str, result: str, ending: str = "", moves: str = "", fen: str = ""
) -> str:
    """Return a game; ``ending`` is its tag ``Termination``."""
    tags = TAGS | {"White": white, "Black": black, "Result": result}
    tags |= {"Termination": ending} if ending else {}
    tags |= {"SetUp": "1", "FEN": fen} if fen else {}
    return "".join(f'[{k} "{v}"]\n' for k, v in tags.items()) + f"\n{moves} {result}\n\n"

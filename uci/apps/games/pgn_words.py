"""Splits the moves of a game into words; a word that is not understood is an error.

python-chess ignores unknown words: it reads the German ``Sf3`` as the pawn's move f3, and ``o-o``
as nothing. This module knows everything that lichess, Scid or ChessBase write.
"""

import re
from collections.abc import Iterator

DASH = "[-‑–—]"
HALF = "(?:1/2|½)"
RESULT = rf"(?:1(?:{DASH}|:)0|0(?:{DASH}|:)1|{HALF}(?:(?:{DASH}|:){HALF})?|\*)"
"""A result, with any dash and notation of a half, or with a colon."""

MOVE_SIGNS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
"""Marks of moves, and their NAGs."""

SYMBOLS = {
    "□": 7, "[]": 8, "=": 10, "∞": 13, "~": 13, "+=": 14, "+/=": 14, "⩲": 14, "=+": 15, "=/+": 15,
    "⩱": 15, "+/-": 16, "±": 16, "-/+": 17, "∓": 17, "+-": 18, "+−": 18, "-+": 19, "−+": 19,
    "+--": 20, "--+": 21, "⨀": 22, "⊙": 22, "ZZ": 22, "zz": 23, "○": 26, "⟳": 32, "↑": 36,
    "->": 40, "+>": 40, "→": 40, "=/&": 44, "=/∞": 44, "=∞": 44, "~=": 44, "©": 44, "⯹": 44,
    "[+]": 48, "[++]": 50, ">": 54, ">>": 56, ">>>": 58, "<": 60, "<<": 62, "<<<": 64,
    "<+>": 130, "<->": 131, "<++>": 132, "⇆": 132, "⇄": 132, "<-->": 133, "<+++>": 134,
    "<--->": 135, "⊕": 138, "⨁": 138, "/\\": 140, "∆": 140, "△": 140, "Δ": 140, "∇": 141,
    "(_)": 142, "⌓": 142, "<=": 143, "==": 144, "RR": 145, "N": 146, "_|_": 148,
    "⊥": 148, "<=>": 149, "⇔": 149, "⟺": 149, "/": 150, "⇗": 150, "BB": 151, "||": 190,
    "oo": 193, "D": 201, "o^": 212, "|_": 214, "_|": 215,
}  # fmt: skip
"""Other marks that people, Scid and ChessBase write instead of NAGs."""

_SYMBOL = "|".join(re.escape(symbol) for symbol in sorted(SYMBOLS, key=len, reverse=True))

_FIGURINE = "[♔-♟][\ufe0e\ufe0f]?"
_TARGET = "[a-h]?[1-8]?[x:×‐‑–—−-]?[a-h][1-8]"
_B_PAWN_PROMOTES = rf"b{_TARGET}(?:/|=?\()[QRBNqrbn](?![^\W_])"

WORD = re.compile(
    rf"""[\s.…]+
    | {{(?P<comment>[^}}]*)(?P<unclosed>\Z)?}}?
    | ;(?P<line>[^\n]*)
    | (?P<result>{RESULT})(?![\w/-])
    | (?P<castling>[Oo0]{DASH}[Oo0](?:{DASH}[Oo0])?)[+\#]*(?![\w-])
    | (?P<move>(?!{_B_PAWN_PROMOTES})(?:[KQRBNkqrbn]|{_FIGURINE}){_TARGET}
        | [Pp]?{_TARGET}(?:(?:=|/|(?<=[18]))[QRBNqrbn]|=?\([QRBNqrbn]\))?(?!(?<=[18])[^\W\d_]))
        (?:\+(?![-−/=>])|[\#†‡]|\s*\(?e\.?p\b\.?\)?)*(?!=\w|(?!(?:N|D|RR)\b)\w)
    | (?P<apart>N)(?=\s+[a-h][1-8](?!\w))
    | (?P<symbol>{_SYMBOL})(?!\w)
    | (?P<null>--|Z0|0000|@@@@)
    | (?P<open>\()
    | (?P<close>\))
    | \d+(?!{DASH}|[/½\d])
    | (?P<nag>\$\d{{1,3}}(?!\d)|[!?]{{1,2}})
    | (?P<unknown>[^\s{{}}();]+|.)
    """,
    re.VERBOSE,
)

FOREIGN = re.compile(r"[^\W\d_KQRBNPa-hkqrnp][a-h1-8x:-]*[a-h][1-8]|[a-h][1-8]=?[^\W\d_]")


def words(movetext: str) -> Iterator[str]:
    """Yield moves as written, and NAGs, comments, parentheses and the result in PGN format.

    Moves are input for `read_move`; castling is ``O-O``, a null move ``--``. A novelty is ``N`` if
    it may be a knight separated from its square. A comment is one line: line breaks become blanks.
    Raises `ValueError` for words that are not understood.
    """
    made, over = [0], False  # number of moves of the game, and of each open variation
    held: list[str] = []  # the start of a variation that has no move yet
    early: list[str] = []  # NAGs before a first move, to which they belong
    for found in WORD.finditer(movetext):
        kind = found.lastgroup
        word = found[kind] if kind else ""
        if kind in ("move", "castling", "null"):
            if over and len(made) == 1:
                raise ValueError("text after the result")
            yield from held
            made[-1] += 1
            yield _move(kind, word)
            yield from early
            held, early = [], []
        elif kind in ("comment", "line"):
            first, *rest = word.replace("}", "").split("\n")
            comment = "{" + " ".join([first, *filter(None, map(str.strip, rest))]) + "}"
            if held:
                held.append(comment)
            else:
                yield comment
        elif kind == "open":
            if not made[-1]:
                raise ValueError("a variation before the first move")
            made.append(0)
            held = ["("]
        elif kind == "close":
            if len(made) == 1:
                raise ValueError("a ) without (")
            # What a variation without moves holds belongs to the previous move.
            yield from [*held[1:], *early] if held else [")"]
            held, early = [], []
            made.pop()
        elif kind == "result" and len(made) > 1:
            yield "{" + word + "}"  # the result of a quoted game
        elif kind == "result":
            over = True
            yield result_of(word)
        elif kind == "apart" and made[-1]:
            yield word
        elif kind in ("apart", "nag", "symbol") and word != "$0":
            nag = word if kind == "nag" else f"${SYMBOLS[word]}"
            if made[-1]:
                yield nag
            else:
                early.append(nag)
        elif kind == "unclosed":
            raise ValueError("a comment is not closed: { without }")
        elif kind == "unknown":
            raise ValueError(_complaint(word))
    if len(made) > 1:
        raise ValueError("a variation is not closed: ( without )")


def is_foreign(word: str) -> bool:
    """Return whether a word is a move in another language's piece letters."""
    found = WORD.match(word)
    return bool(found and found.lastgroup == "unknown" and FOREIGN.match(word))


def result_of(word: str) -> str:
    """Return a result in PGN format: ``*`` for an unknown one."""
    if not re.fullmatch(RESULT, word):
        return "*"
    if word[0] == "½" or "/" in word:
        return "1/2-1/2"
    return re.sub(f"{DASH}|:", "-", word)


def _move(kind: str, word: str) -> str:
    if kind == "castling":
        return re.sub(DASH, "-", re.sub("[o0]", "O", word))
    return "--" if kind == "null" else word


def _complaint(word: str) -> str:
    word = word[:20]
    if word == "}":
        return "a } without {"
    return (
        f"{word!r} does not use English piece letters"
        if FOREIGN.match(word)
        else f"{word!r} is not a move"
    )

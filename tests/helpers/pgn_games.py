"""Random games as trees, and many ways in which people and programs write them down."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import chess
import chess.pgn

GLYPHS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
RESULTS = "1-0", "0-1", "1/2-1/2", "*"


@dataclass(frozen=True)
class Style:
    """How a game is written: the words around moves, and the blanks between words."""

    number: str = "{}. "
    black: bool = False  # a number at each of its moves
    san: str = "san"  # or "lan", "uci"
    change: tuple[tuple[str, str], ...] = ()  # texts within moves, and what is written instead
    glyphs: bool = False
    comment: str = "{{ {} }}"
    gap: str = " "
    tags: str = '[{} "{}"]\n'
    after_tags: str = "\n"
    result: bool = True


STYLES = {
    "plain": Style(),
    "tight": Style(number="{}."),
    "numberless": Style(number=""),
    "dotless": Style(number="{} "),
    "black-numbers": Style(black=True),
    "zeros": Style(change=(("O", "0"),)),
    "small-castling": Style(change=(("O", "o"),)),
    "dashes": Style(change=(("-", "–"),)),
    "long-moves": Style(san="lan"),
    "uci-moves": Style(san="uci"),
    "colons": Style(change=(("x", ":"),)),
    "bare-promotions": Style(change=(("=", ""),)),
    "small-promotions": Style(change=(("=Q", "=q"), ("=N", "=n"), ("=R", "=r"), ("=B", "=b"))),
    "without-checks": Style(change=(("+", ""), ("#", ""))),
    "double-plus": Style(change=(("#", "++"),)),
    "word-a-line": Style(gap="\n"),
    "blank-lines": Style(gap="\n\n", after_tags="\n\n\n"),
    "tabs": Style(gap="\t  "),
    "escapes": Style(gap="\n% an escape { ( [Event\n"),
    "no-blank-line": Style(after_tags=""),
    "tags-in-a-line": Style(tags="[{} \"{}\"] "),
    "roomy-tags": Style(tags="  [ {}   \"{}\" ]  \n"),
    "no-result": Style(result=False),
    "glyphs": Style(glyphs=True),
    "tight-comments": Style(comment="{{{}}}"),
    "remarks": Style(comment="; {}\n"),
    "remarks-without-space": Style(comment=";{}\n"),
    "comment-lines": Style(comment="{{\n\n{}\n}}"),
}  # fmt: skip


def write(game: chess.pgn.Game, style: Style = STYLES["plain"]) -> str:
    """Return a game in some style, its tags' values escaped, with a line end."""
    tags = "".join(
        style.tags.format(name, value.replace("\\", "\\\\").replace('"', '\\"'))
        for name, value in game.headers.items()
    )
    words = [style.comment.format(game.comment)] if game.comment else []
    words += _line(game, style)
    if style.result:
        words.append(game.headers.get("Result", "*"))
    return f"{tags}{style.after_tags if tags else ''}{style.gap.join(words)}\n"


def _line(parent: chess.pgn.GameNode, style: Style) -> Iterator[str]:
    """Yield the words of the moves after a node."""
    new = True
    while parent.variations:
        board, node = parent.board(), parent.variations[0]
        yield from _move(board, node, style, new)
        new = style.black
        for other in parent.variations[1:]:
            yield "("
            yield from _move(board, other, style, True)
            yield from _line(other, style)
            yield ")"
            new = True
        parent = node


def _move(board: chess.Board, node: chess.pgn.ChildNode, style: Style, new: bool) -> Iterator[str]:
    number = ""
    if board.turn or new:
        number = style.number.format(board.fullmove_number)
        if not board.turn and "." in number:
            number = number.replace(".", "...")
    text = getattr(board, style.san)(node.move)
    if style.san == "uci" and board.is_castling(node.move):
        text = board.san(node.move)
    for old, instead in style.change:
        text = text.replace(old, instead)
    nags = sorted(node.nags)
    if style.glyphs:
        text += "".join(GLYPHS.get(nag, "") for nag in nags)
        nags = [nag for nag in nags if nag not in GLYPHS]
    yield number + text
    yield from (f"${nag}" for nag in nags)
    if node.comment:
        yield style.comment.format(node.comment)


def random_game(
    dice: random.Random, plies: int, board: chess.Board | None = None, result: str = "",
    **tags: str,
) -> chess.pgn.Game:  # fmt: skip
    """Return a game of at most ``plies`` random moves; captures and castling are preferred."""
    board = board.copy() if board else chess.Board()
    game = chess.pgn.Game()
    game.setup(board)
    game.headers["White"], game.headers["Black"] = dice.sample(("Ada", "Max", "Eva", "Tom"), 2)
    node: chess.pgn.GameNode = game
    for _ in range(plies):
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        if not moves:
            break
        liked = [move for move in moves if board.is_castling(move) or board.is_capture(move)]
        move = dice.choice(liked if liked and dice.random() < 0.4 else moves)
        node = node.add_variation(move)
        board.push(move)
    if result or not board.is_game_over():
        game.headers["Result"] = result or dice.choice(RESULTS)
    else:
        game.headers["Result"] = board.result()
    for name, value in tags.items():
        game.headers[name] = value
    return game


def played_game(moves: str, fen: str = chess.STARTING_FEN, **tags: str) -> chess.pgn.Game:
    """Return a game of some moves in SAN."""
    game = chess.pgn.Game()
    game.setup(chess.Board(fen))
    node: chess.pgn.GameNode = game
    for word in moves.split():
        node = node.add_variation(node.board().parse_san(word))
    result = node.board().result(claim_draw=True)
    for name, value in ({"Result": result} | tags).items():
        game.headers[name] = value
    return game


def comment(game: chess.pgn.Game, texts: Sequence[str]) -> chess.pgn.Game:
    """Return the game with comments after its first moves; an empty text writes none."""
    for node, text in zip(game.mainline(), texts, strict=False):
        node.comment = text
    return game


def sign(game: chess.pgn.Game, nags: Sequence[int]) -> chess.pgn.Game:
    """Return the game with one of ``nags`` for each of its first moves."""
    for node, nag in zip(game.mainline(), nags, strict=False):
        node.nags.add(nag)
    return game


def branch(game: chess.pgn.Game, dice: random.Random, depth: int) -> chess.pgn.Game:
    """Add variations to a game, variations to these, and so on, with comments."""
    for node in list(game.mainline()):
        if dice.random() < 0.6:
            _branch(node.parent, dice, depth)
    return game


def _branch(node: chess.pgn.GameNode, dice: random.Random, depth: int) -> None:
    others = [move for move in node.board().legal_moves if not node.has_variation(move)]
    if not depth or not others:
        return
    line: chess.pgn.GameNode = node.add_variation(
        dice.choice(sorted(others, key=chess.Move.uci)),
        comment=dice.choice(("", f"branch {depth}")), nags=[dice.choice((4, 6, 140))],
    )  # fmt: skip
    for _ in range(dice.randrange(3)):
        parent, moves = line, sorted(line.board().legal_moves, key=chess.Move.uci)
        if moves:
            line = parent.add_variation(dice.choice(moves))
            _branch(parent, dice, depth - 1)

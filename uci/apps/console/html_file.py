"""A page that is one file and asks no network for anything: template, style, script, men."""

import base64
import hashlib
import json
from collections.abc import Iterable
from importlib.resources import files
from xml.etree import ElementTree

import chess.svg

from uci.apps.console.board_squares import dark_squares, labels
from uci.apps.console.extras import missing
from uci.errors import UciError


def one_file(room: str, name: str, data: Iterable[object], **values: object) -> str:
    """Return the page of ``NAME.html.j2``, ``.css`` and ``.js`` in the package ``room``.

    They extend ``base`` of this room. Each of ``data`` becomes a script of JSON of class ``data``.
    Raises `UciError` where jinja2 is not installed.
    """
    need_jinja2()
    from jinja2 import DictLoader, Environment, StrictUndefined
    from markupsafe import Markup

    def read(ending: str) -> list[str]:
        places = ((__package__, "base"), (room, name))
        return [(files(p) / f"{n}.{ending}").read_text(encoding="utf-8") for p, n in places]

    base, template = read("html.j2")
    environment = Environment(
        loader=DictLoader({"base.html.j2": base, "page": template}),
        autoescape=True,
        trim_blocks=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    style, script = "".join(read("css")), "".join(read("js"))
    return environment.get_template("page").render(
        values,
        dark_squares=dark_squares(),
        labels={"labels": labels(False), "labels-turned": labels(True)},
        pieces=Markup(pieces()),  # noqa: S704  (ours)
        style=Markup(style),  # noqa: S704  (ours)
        script=Markup(script),  # noqa: S704  (ours)
        style_hash=hash_of(style),
        script_hash=hash_of(script),
        data=[Markup(in_script(each)) for each in data],  # noqa: S704  (no `<` is in it)
    )


def need_jinja2() -> None:
    """Raise `UciError` where jinja2 is not installed."""
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise UciError(f"no HTML report: {missing('jinja2', 'analysis')}") from None


def in_script(value: object) -> str:
    """Return JSON that no text in it can end: ``<`` stands as an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def pieces() -> str:
    """Return the twelve men of python-chess (Colin M. L. Burnett), once, as symbols."""
    return "".join(
        f'<symbol id="{"w" if symbol.isupper() else "b"}{symbol.lower()}" viewBox="0 0 45 45">'
        f"{_plain(drawing)}</symbol>"
        for symbol, drawing in chess.svg.PIECES.items()
    )


def _plain(drawing: str) -> str:
    """Return a drawing without ids and classes, and with attributes in place of styles.

    The names would repeat those of other pages, and the page's policy refuses styles.
    """
    root = ElementTree.fromstring(drawing)  # noqa: S314  (python-chess's own)
    for node in root.iter():
        node.attrib.pop("id", None)
        node.attrib.pop("class", None)
        for rule in filter(None, node.attrib.pop("style", "").split(";")):
            name, _, value = rule.partition(":")
            node.set(name.strip(), value.strip())
    return ElementTree.tostring(root, encoding="unicode")


def hash_of(text: str) -> str:
    """Return the source of a script or a style as a Content-Security-Policy names it."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"

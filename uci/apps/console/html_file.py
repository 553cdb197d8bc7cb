"""HTML files that load nothing from the network: template, style, script, data and pieces."""

import base64
import functools
import hashlib
import json
from collections.abc import Iterable
from importlib.resources import files
from typing import TYPE_CHECKING

from uci.apps.console.board_svg import dark_squares, labels, pieces
from uci.apps.console.extras import missing
from uci.errors import UciError

if TYPE_CHECKING:
    from jinja2 import Template


def html_file(package: str, name: str, data: Iterable[object], **values: object) -> str:
    """Return the HTML of ``NAME.html.j2`` with ``NAME.css`` and ``NAME.js``, all in ``package``.

    The template extends ``base`` of this package; ``values`` are its variables. Each item of
    ``data`` becomes a script element with JSON, of class ``data``. Raises `UciError` if jinja2 is
    not installed.
    """
    need_jinja2()
    from markupsafe import Markup

    template, style, script = _parts(package, name)
    return template.render(
        values,
        dark_squares=dark_squares(),
        labels={"labels": labels(False), "labels-turned": labels(True)},
        pieces=Markup(pieces()),  # noqa: S704  (our own)
        style=Markup(style),  # noqa: S704  (our own)
        script=Markup(script),  # noqa: S704  (our own)
        style_hash=hash_of(style),
        script_hash=hash_of(script),
        data=[Markup(in_script(each)) for each in data],  # noqa: S704  (without any `<`)
    )


@functools.cache
def _parts(package: str, name: str) -> tuple["Template", str, str]:
    """Return the template, compiled once a process, the style and the script."""
    from jinja2 import DictLoader, Environment, StrictUndefined

    def read(ending: str) -> list[str]:
        places = ((__package__, "base"), (package, name))
        return [(files(p) / f"{n}.{ending}").read_text(encoding="utf-8") for p, n in places]

    base, template = read("html.j2")
    environment = Environment(
        loader=DictLoader({"base.html.j2": base, "page": template}),
        autoescape=True,
        trim_blocks=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.get_template("page"), "".join(read("css")), "".join(read("js"))


def need_jinja2() -> None:
    """Raise `UciError` if jinja2 is not installed."""
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise UciError(f"no HTML report: {missing('jinja2', 'analysis')}") from None


def in_script(value: object) -> str:
    """Return JSON that is safe inside a script element: ``<`` is escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def hash_of(text: str) -> str:
    """Return the Content-Security-Policy source (a hash) of a script or style."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"

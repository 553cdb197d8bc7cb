"""Converts JSON to dataclasses and back; the types of their fields define the format."""

import json
import math
from collections.abc import Sequence
from dataclasses import MISSING, asdict, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from uci.errors import shorten

T = TypeVar("T")

NAMES = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


class WrongJson(ValueError):
    """Raised for a missing value or a wrong type; the message is one line that names the place."""


def from_json(kind: type[T], value: object, place: str = "") -> T:
    """Return JSON ``value`` as an instance of the dataclass ``kind``.

    A field is text, a number, a boolean, a literal, a dataclass, or a tuple or dictionary of these;
    ``X | None`` is supported. A field with a default may be missing; unknown names are ignored.
    Raises `WrongJson` with the ``place``, such as ``games[2].white``.
    """
    if not isinstance(value, dict):
        raise _wrong(place, "an object", value)
    found = {}
    for name, hint, needed in _fields(kind):  # type: ignore[arg-type]  # a class is hashable
        inner = f"{place}.{name}" if place else name
        if name in value:
            found[name] = _read(hint, value[name], inner)
        elif needed:
            raise WrongJson(f"{inner} is missing")
    return kind(**found)


def to_json(value: Any, omitted_if_none: Sequence[str] = ()) -> dict[str, Any]:
    """Return a dataclass as JSON, without the ``omitted_if_none`` fields that are None."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        return {k: v for k, v in items if v is not None or k not in omitted_if_none}

    return asdict(value, dict_factory=pairs)


@cache
def _fields(kind: Any) -> list[tuple[str, Any, bool]]:
    """Return name and type of each field, and whether it has no default."""
    hints = get_type_hints(kind)
    return [(each.name, hints[each.name], each.default is MISSING) for each in fields(kind)]


def _read(hint: Any, value: object, place: str) -> object:
    if is_dataclass(hint):
        assert isinstance(hint, type)
        return from_json(hint, value, place)
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return None if value is None else _read(inner[0], value, place)
    if origin is Literal:
        if value not in inner:
            raise _wrong(place, " or ".join(map(json.dumps, inner)), value)
        return value
    if origin is tuple:
        if not isinstance(value, list):
            raise _wrong(place, "a list", value)
        return tuple(_read(inner[0], each, f"{place}[{at}]") for at, each in enumerate(value))
    if origin is dict:
        if not isinstance(value, dict):
            raise _wrong(place, "an object", value)
        return {name: _read(inner[1], each, f"{place}.{name}") for name, each in value.items()}
    if type(value) is hint or (hint is float and type(value) is int):
        if type(value) is float and not math.isfinite(value):
            raise _wrong(place, NAMES[float], value)
        return value
    raise _wrong(place, NAMES[hint], value)


def _wrong(place: str, expected: str, value: object) -> WrongJson:
    return WrongJson(f"{place or 'it'} must be {expected}, not {shorten(json.dumps(value))}")

"""Network files: a header, then the numbers of a `NETWORK` in little-endian order.

========  =========================================================================
bytes     meaning
========  =========================================================================
0 to 7    ``PYTHANET``
8 to 27   five ``uint32``: version, features, hidden neurons, output buckets, scale: the
          centipawns of an output of 1, from 1 to 10,000
28 to 59  SHA-256 of what follows
60 on     weights, output weights, bias (``int16``), output bias (``int32``)
========  =========================================================================

Networks of version 1 have half of the features: they do not know which pieces are threatened.
No pickle, no code: a bad file cannot do harm.
"""

import functools
import hashlib
import math
import struct
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.features import FEATURES
from engine.evaluation.shape import BUCKETS, HIDDEN, NETWORK, ONE, Network
from engine.files import open_file
from engine.memory.records import Record, new_record

DEFAULT = "default.nnue"
VERSION = 2
_FEATURES = {1: FEATURES // 2, VERSION: FEATURES}

_MAGIC = b"PYTHANET"
_HEADER = struct.Struct("<8s5I32s")
_PARTS = {"weights": "<i2", "output": "<i2", "bias": "<i2", "output_bias": "<i4"}
_FILE_BYTES = _HEADER.size + sum(
    new_record(NETWORK)[name].size * int(kind[2]) for name, kind in _PARTS.items()
)
_MAX_PIECES = 32
_MAX_SCALE = 10_000
_INT16, _INT32 = 2**15 - 1, 2**31 - 1


class NetworkError(ValueError):
    """A file that is not a network for this engine; the message is one line."""


@functools.cache
def default_network() -> Network:
    """Return the network that comes with the engine."""
    return parse(resources.files(__package__).joinpath("nets", DEFAULT).read_bytes())


def install(record: Record, net: Network) -> None:
    """Copy ``net`` into a record with `engine.evaluation.nnue.EVALUATION_FIELDS`."""
    for name in NETWORK.names or ():
        record[name] = net[name]


def read_network(path: Path) -> Network:
    """Return the network in a file; raises `NetworkError`, or `OSError` if it cannot be read."""
    with open_file(path) as file:
        return parse(file.read(_FILE_BYTES + 1))  # one byte more, to detect a longer file


def parse(data: bytes) -> Network:
    """Return the network in a file's bytes; raises `NetworkError` for a damaged file or a network
    of another shape."""
    parts, scale = parse_parts(data, HIDDEN)
    net = new_record(NETWORK)
    for name, part in parts.items():
        net[name][...] = part
    net.scale = scale
    prove_no_overflow(net)
    return net


def parse_parts(data: bytes, hidden: int) -> tuple[dict[str, NDArray[np.integer]], int]:
    """Return the fields of `NETWORK` and the scale, from a file with ``hidden`` neurons.

    Raises `NetworkError`. Does not check whether sums could overflow.
    """
    if len(data) < _HEADER.size or not data.startswith(_MAGIC):
        raise NetworkError("not a Pythagoras network")
    _, version, *shape, scale, digest = _HEADER.unpack_from(data)
    if version not in _FEATURES:
        raise NetworkError(f"network version {version} is not supported, expected {VERSION}")
    features = _FEATURES[version]
    if shape != [features, hidden, BUCKETS]:
        theirs, ours = ("×".join(map(str, s)) for s in (shape, (features, hidden, BUCKETS)))
        raise NetworkError(f"the network has {theirs}, expected {ours}")
    if not 1 <= scale <= _MAX_SCALE:
        raise NetworkError(f"network scale {scale} is out of range 1 to {_MAX_SCALE}")
    body = data[_HEADER.size :]
    shapes = ((features, hidden), (BUCKETS, 2, hidden), (hidden,), (BUCKETS,))
    kinds = [np.dtype(kind) for kind in _PARTS.values()]
    sizes = [math.prod(s) * kind.itemsize for s, kind in zip(shapes, kinds, strict=True)]
    if len(body) != sum(sizes):
        raise NetworkError("the network file has the wrong length")
    if hashlib.sha256(body).digest() != digest:
        raise NetworkError("bad checksum: the network file is damaged")
    parts, offset = {}, 0
    for name, kind, size, s in zip(_PARTS, kinds, sizes, shapes, strict=True):
        parts[name] = np.frombuffer(body[offset : offset + size], kind).reshape(s)
        offset += size
    if features != FEATURES:
        colours = parts["weights"].reshape(2, features // 2, hidden)
        parts["weights"] = np.concatenate([colours, colours], axis=1).reshape(FEATURES, hidden)
    return parts, scale


def serialise(net: Network) -> bytes:
    """Return the file's bytes of a network; `NetworkError` when it could overflow."""
    prove_no_overflow(net)
    body = b"".join(net[name].astype(kind).tobytes() for name, kind in _PARTS.items())
    head = (VERSION, FEATURES, HIDDEN, BUCKETS, int(net.scale))
    return _HEADER.pack(_MAGIC, *head, hashlib.sha256(body).digest()) + body


def fingerprint(net: Network) -> str:
    """Return twelve hexadecimal digits that identify a network."""
    return hashlib.sha256(serialise(net)).hexdigest()[:12]


def prove_no_overflow(net: Network) -> None:
    """Raise `NetworkError` if some position could overflow the integers of the compiled loops."""
    weights = np.sort(np.abs(net.weights.astype(np.int64)), axis=0)[-_MAX_PIECES:]
    accumulator = weights.sum(axis=0) + np.abs(net.bias.astype(np.int64))
    output = np.abs(net.output.astype(np.int64))
    half = output.sum(axis=2) * ONE * ONE
    if accumulator.max() > _INT16 or output.max() * ONE > _INT16 or half.max() > _INT32:
        raise NetworkError("the network's weights are too large: a sum could overflow")

"""Sentence vectors of a multilingual model in a user's file (ONNX, with its ``tokenizer.json`` beside it).

Nothing is fetched; only operators of ONNX and of the runtime itself are run, on the processor. The file is checked
before it is loaded, by the format's ``onnx.proto`` (Open Neural Network Exchange, IR version 10): only
the few fields that refer to other files and to the domains of operators are read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import Progress

TOKENIZER = "tokenizer.json"
MOST_BYTES = 2 << 30
"""Largest model file, which is also the format's own limit; external data may have the same size in addition."""
MOST_TOKENIZER_BYTES = 64 << 20
TOKENS = 256
"""Maximum number of tokens used of a sentence."""
MOST_SECONDS = 60.0
"""Time limit of one sentence."""
DIMENSIONS = (2, 8192)
_DOMAINS = {
    "",
    "ai.onnx",
    "ai.onnx.ml",
    "com.microsoft",
    "com.microsoft.nchwc",
    "ai.onnx.training",
    "ai.onnx.preview.training",
}
_NEEDED, _OPTIONAL = {"input_ids"}, {"attention_mask", "token_type_ids"}
_POOLED = ("sentence_embedding", "sentence_embeddings", "pooler_output")
_STATES = ("last_hidden_state", "token_embeddings")
_HINT = Message(
    "It needs inputs input_ids, attention_mask and token_type_ids (the last two are optional) of whole numbers, and an "
    "output sentence_embedding or last_hidden_state, as sentence-transformers exports them, with tokenizer.json in the "
    "same folder."
)


def digest(file: str) -> str:
    """A digest of a model and its tokenizer. Raises UserError if they cannot be read or are too large."""
    model = Path(file)
    hashed = hashlib.sha256()
    for path, most in ((model, MOST_BYTES), (model.with_name(TOKENIZER), MOST_TOKENIZER_BYTES)):
        hashed.update(_file_digest(path, *_stamp(path, most)).encode())
    return hashed.hexdigest()


def opened(file: str) -> SentenceModel:
    """The model in ``file``. Raises UserError if it cannot be used."""
    path = Path(file)
    return _opened(path, *_stamp(path, MOST_BYTES), *_stamp(path.with_name(TOKENIZER), MOST_TOKENIZER_BYTES))


def _stamp(path: Path, most: int) -> tuple[int, int]:
    """Modification time and size of a file."""
    try:
        stat = path.stat()
    except OSError as error:
        raise UserError(Message("The model cannot be read: this file is missing."), path=path, hint=_HINT) from error
    if not path.is_file():
        raise UserError(Message("The model cannot be read: this is not a file."), path=path, hint=_HINT)
    if stat.st_size > most:
        raise UserError(Message("The file is larger than {most} MB.", most=f"{most >> 20:,}"), path=path)
    return stat.st_mtime_ns, stat.st_size


@lru_cache(maxsize=4)
def _file_digest(path: Path, _changed: int, _size: int) -> str:
    with path.open("rb") as opened_file:
        return hashlib.file_digest(opened_file, "sha256").hexdigest()


@lru_cache(maxsize=1)
def _opened(path: Path, *_stamps: int) -> SentenceModel:
    return SentenceModel(path)


def _unusable(path: Path, reason: Message) -> UserError:
    return UserError(Message("The model cannot be used: {reason}.", reason=reason), path=path, hint=_HINT)


class SentenceModel:
    """A loaded sentence model. Raises UserError if the file is not a model, or has forbidden references."""

    def __init__(self, path: Path) -> None:
        try:
            import onnxruntime
            import tokenizers
        except ImportError as error:
            raise UserError(
                Message("Models need the optional part palimpsest[translations]."),
                hint=Message("Install it with: pip install 'palimpsest[translations]'"),
            ) from error
        self._path = path
        _check(path)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self._run_options = onnxruntime.RunOptions
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise _unusable(path, Message("the runtime rejects it")) from error
        self._inputs = {i.name: i for i in self._session.get_inputs()}
        self._output, self._pooled = self._chosen_output()
        names = set(self._inputs)
        wrong = [
            i for i in self._inputs.values() if i.type not in ("tensor(int64)", "tensor(int32)") or len(i.shape) != 2
        ]
        if not names >= _NEEDED or names - _NEEDED - _OPTIONAL or wrong:
            raise _unusable(path, Message("its inputs are {names}", names=", ".join(sorted(names)) or "-"))
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(path.with_name(TOKENIZER)))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(TOKENS)
        except Exception as error:
            raise _unusable(path.with_name(TOKENIZER), Message("this is not a tokenizer")) from error
        self.size = len(self._vector("."))

    def _chosen_output(self) -> tuple[str, bool]:
        """The output with the vectors, and whether they are for whole sentences."""
        ranks = {o.name: len(o.shape) for o in self._session.get_outputs() if o.type in _FLOATS}
        for name in _POOLED[:2]:
            if ranks.get(name) == 2:
                return name, True
        for name in _STATES:
            if ranks.get(name) == 3:
                return name, False
        if ranks.get(_POOLED[2]) == 2:
            return _POOLED[2], True
        names = ", ".join(o.name for o in self._session.get_outputs())
        raise _unusable(self._path, Message("its outputs are {names}", names=names))

    def vectors(self, sentences: Sequence[str], progress: Progress) -> NDArray[np.float32]:
        """A vector of length 1 for each sentence: float32 [n, size]; zeros if the model returns none. Raises UserError
        if the model fails, Cancelled.

        Each sentence is passed separately, so that its vector does not depend on the others.
        """
        rows = np.zeros((len(sentences), self.size), np.float32)
        known: dict[str, int] = {}
        for at, sentence in enumerate(sentences):
            progress.check()
            if sentence in known:
                rows[at] = rows[known[sentence]]
                continue
            known[sentence] = at
            rows[at] = self._vector(sentence)
        return rows

    def _vector(self, sentence: str) -> NDArray[np.float32]:
        tokens = self._tokenizer.encode(sentence)
        values = {"input_ids": tokens.ids, "attention_mask": tokens.attention_mask, "token_type_ids": tokens.type_ids}
        feed = {
            name: np.array([values[name]], np.int64 if wanted.type == "tensor(int64)" else np.int32)
            for name, wanted in self._inputs.items()
        }
        if not tokens.ids:
            return np.zeros(getattr(self, "size", 0), np.float32)
        output = self._run(feed)
        vector = output[0] if self._pooled else _mean(output[0], np.array(tokens.attention_mask, np.float32))
        if not DIMENSIONS[0] <= len(vector) <= DIMENSIONS[1] or not np.isfinite(vector).all():
            raise _unusable(self._path, Message("its vectors have the wrong shape, or values that are not numbers"))
        if len(vector) != getattr(self, "size", len(vector)):
            raise _unusable(self._path, Message("its vectors have the wrong shape, or values that are not numbers"))
        length = float(np.linalg.norm(vector))
        return vector / np.float32(length) if length > 0 else vector

    def _run(self, feed: dict[str, NDArray[Any]]) -> NDArray[np.float32]:
        run_options = self._run_options()
        stop = Timer(MOST_SECONDS, lambda: setattr(run_options, "terminate", True))
        stop.daemon = True
        stop.start()
        try:
            (output,) = self._session.run([self._output], feed, run_options)
        except Exception as error:
            raise _unusable(self._path, Message("it fails on a sentence")) from error
        finally:
            stop.cancel()
        vectors = np.asarray(output, np.float32)
        if vectors.ndim != (2 if self._pooled else 3) or len(vectors) != 1 or 0 in vectors.shape:
            raise _unusable(self._path, Message("its vectors have the wrong shape, or values that are not numbers"))
        return vectors


_FLOATS = ("tensor(float)", "tensor(float16)", "tensor(double)")


def _mean(states: NDArray[np.float32], mask: NDArray[np.float32]) -> NDArray[np.float32]:
    """The mean of the tokens' states, as pooled by sentence-transformers."""
    weights = mask[: len(states), None]
    pooled: NDArray[np.float32] = (states[: len(weights)] * weights).sum(axis=0) / np.maximum(weights.sum(), 1)
    return pooled


def _check(path: Path) -> None:
    """Raise UserError if the file is not a model, or refers to external files or to non-standard operators."""
    try:
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data, memoryview(data) as view:
            refers = references(view)
    except (OSError, ValueError) as error:
        raise _unusable(path, Message("this is not an ONNX file")) from error
    folder = path.parent.resolve()
    for name in sorted(refers.files):
        inside = False
        with suppress(OSError, ValueError):
            target = (folder / name).resolve()
            inside = folder in target.parents and not Path(name).is_absolute() and target.is_file()
        if not inside:
            raise _unusable(path, Message("it refers to {name}, which is not in its folder", name=repr(name)))
        _stamp(folder / name, MOST_BYTES)
    foreign = sorted(refers.domains - _DOMAINS)
    if foreign:
        raise _unusable(path, Message("it needs custom operators ({names})", names=", ".join(foreign)))


_GRAPH = {1: "node", 5: "tensor", 15: "sparse"}
_NODE = {5: "attribute"}
_ATTRIBUTE = {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"}
_WITHIN = {
    "model": {7: "graph", 25: "function", 20: "training"},
    "training": {1: "graph", 2: "graph"},
    "graph": _GRAPH,
    "function": {7: "node", 11: "attribute"},
    "node": _NODE,
    "attribute": _ATTRIBUTE,
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
}
"""Messages, with the numbers and types of the fields that are examined."""
_DOMAIN_OF_NODE = 7
_OPERATOR_SETS = 8
_DEPTH = 32
"""Maximum depth of nested messages; graphs are nested deeper only in malicious files."""


@dataclass
class References:
    """``files``: locations of external data, as written; ``domains``: those of operators, "" for ONNX's own."""

    files: set[str] = field(default_factory=set)
    domains: set[str] = field(default_factory=set)


def references(data: memoryview) -> References:
    """The references of the model in ``data``. Raises ValueError if it is not a model."""
    refers = References()
    graphs = _read(data, "model", refers, 0)
    if not graphs:
        raise ValueError("no graph")
    return refers


def _read(data: memoryview, kind: str, refers: References, depth: int) -> int:
    """Scan one message; returns the number of graphs directly in it."""
    if depth > _DEPTH:
        raise ValueError("too deep")
    graphs = 0
    for number, value in _fields(data):
        if value is None:
            continue
        inner = _WITHIN[kind].get(number)
        if inner == "entry":
            entry = {n: bytes(v) for n, v in _fields(value) if v is not None}
            if entry.get(1) == b"location":
                refers.files.add(entry.get(2, b"").decode("utf-8"))
        elif inner is not None:
            graphs += inner == "graph"
            _read(value, inner, refers, depth + 1)
        elif kind == "node" and number == _DOMAIN_OF_NODE:
            refers.domains.add(bytes(value).decode("utf-8"))
        elif kind == "model" and number == _OPERATOR_SETS:
            refers.domains |= {bytes(v).decode("utf-8") for n, v in _fields(value) if n == 1 and v is not None}
    return graphs


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview | None]]:
    """The fields of a message: number and, if it is bytes, the value."""
    at, end = 0, len(data)
    while at < end:
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        if number == 0:
            raise ValueError("no field has the number 0")
        if wire == 0:
            _, at = _varint(data, at)
            yield number, None
            continue
        if wire == 2:
            length, at = _varint(data, at)
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
        else:
            raise ValueError("no such kind of field")
        if length > end - at:
            raise ValueError("cut short")
        yield number, data[at : at + length] if wire == 2 else None
        at += length


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise ValueError("cut short")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("number too long")

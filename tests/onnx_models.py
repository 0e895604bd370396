"""Tiny ONNX models as bytes, for tests: written field by field, so that no library is needed to make them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

FLOAT, INT64 = 1, 7


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value >= 0x80:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def message(field: int, content: bytes | str) -> bytes:
    data = content.encode() if isinstance(content, str) else content
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def tensor(name: str, values: np.ndarray, location: str = "") -> bytes:
    """A tensor of float32 with its values, or with those of an external file."""
    dims = b"".join(number(1, size) for size in values.shape)
    head = dims + number(2, FLOAT) + message(8, name)
    if location:
        return head + message(13, message(1, "location") + message(2, location)) + number(14, 1)
    return head + message(9, values.astype("<f4").tobytes())


def value_info(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    dims = b"".join(message(1, number(1, s) if isinstance(s, int) else message(2, s)) for s in shape)
    return message(1, name) + message(2, message(1, number(1, kind) + message(2, dims)))


def node(operator: str, inputs: Sequence[str], outputs: Sequence[str], domain: str = "") -> bytes:
    names = b"".join(message(1, name) for name in inputs) + b"".join(message(2, name) for name in outputs)
    return names + message(4, operator) + (message(7, domain) if domain else b"")


def model(
    table: np.ndarray,
    *,
    inputs: Sequence[str] = ("input_ids", "attention_mask"),
    output: str = "last_hidden_state",
    location: str = "",
    domain: str = "",
) -> bytes:
    """A model that gives each token its row of ``table``."""
    graph = message(1, node("Gather", ["table", inputs[0]], [output], domain))
    graph += message(2, "tiny") + message(5, tensor("table", table, location))
    graph += b"".join(message(11, value_info(name, INT64, ["batch", "tokens"])) for name in inputs)
    graph += message(12, value_info(output, FLOAT, ["batch", "tokens", table.shape[1]]))
    operators = message(8, number(2, 17)) + (message(8, message(1, domain) + number(2, 1)) if domain else b"")
    return number(1, 8) + message(7, graph) + operators


def tokenizer(words: Mapping[str, int]) -> str:
    """A tokenizer of words between spaces; others are the number 0."""
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [],
            "normalizer": {"type": "Lowercase"},
            "pre_tokenizer": {"type": "Whitespace"},
            "post_processor": None,
            "decoder": None,
            "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, **words}, "unk_token": "[UNK]"},
        }
    )


def bilingual(folder: Path, meanings: Sequence[Sequence[str]], size: int = 48) -> Path:
    """A model in ``folder`` whose words of one line of ``meanings`` have the same vector."""
    rng = np.random.default_rng(4)
    table = np.zeros((1 + sum(map(len, meanings)), size), np.float32)
    words: dict[str, int] = {}
    for row in meanings:
        vector = rng.normal(size=size)
        for word in row:
            words[word] = len(words) + 1
            table[words[word]] = vector
    (folder / "tokenizer.json").write_text(tokenizer(words), encoding="utf-8")
    path = folder / "model.onnx"
    path.write_bytes(model(table))
    return path

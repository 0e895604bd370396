"""Evidence as JSON: the form in which it is stored and passes between processes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.base.messages import read, stored


def packed(evidence: Mapping[str, Any]) -> str:
    """``evidence`` as compact JSON with sorted keys, messages in their stored form."""
    plain = {name: stored(value) if isinstance(value, str) else value for name, value in evidence.items()}
    return json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def packed_rows(columns: Mapping[str, Sequence[float]]) -> list[str]:
    """One packed mapping for each row of ``columns``, which contain finite numbers only."""
    pairs = (f"{json.dumps(name, ensure_ascii=False)}:%r" for name in sorted(columns))
    template = "{" + ",".join(pairs) + "}"
    return [template % row for row in zip(*(columns[name] for name in sorted(columns)), strict=True)]


def unpacked(text: str) -> dict[str, Any]:
    """The evidence that :func:`packed` wrote; trusted to be this program's own, so nothing is checked."""
    return {name: read(value) if isinstance(value, str) else value for name, value in json.loads(text).items()}

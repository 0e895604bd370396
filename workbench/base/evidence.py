"""Evidence as JSON: the form in which it is stored and passes between processes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workbench.base.messages import read, stored


def packed(evidence: Mapping[str, Any]) -> str:
    """``evidence`` as compact JSON with sorted keys, messages in their stored form."""
    plain = {name: stored(value) if isinstance(value, str) else value for name, value in evidence.items()}
    return json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def unpacked(text: str) -> dict[str, Any]:
    """What :func:`packed` wrote, by this program: nothing is checked."""
    return {name: read(value) if isinstance(value, str) else value for name, value in json.loads(text).items()}

"""Makes hostile text safe to display: characters that are invisible or reverse the line are spelled out."""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"
"""Needed inside words of some scripts and inside emoji; harmless there."""


def visible(text: str, keep: str = "\n\t") -> str:
    """``text`` with control, format and line-separator characters outside ``keep`` written as ``<U+XXXX>``."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep or not _hidden(c) else spelled(c) for c in text)


def _hidden(character: str) -> bool:
    return character not in _JOINERS and unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def spelled(character: str) -> str:
    """``character`` as ``<U+XXXX>``."""
    return f"<U+{ord(character):04X}>"

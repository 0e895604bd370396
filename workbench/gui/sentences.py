"""Sentences that the parts below the window made, in the interface language.

They are made in English with figures and names filled in. Their messages ("{n} sentences kept") are collected from the
source by packaging/sentences.py into a catalogue of their own; a sentence is known again by the message's fixed parts.
"""

from __future__ import annotations

import gettext
import re
from functools import lru_cache

from workbench.base.resources import resource
from workbench.gui import i18n

DOMAIN = "sentences"
_NAME = re.compile(r"\{(\w+)\}")
_FOREIGN = frozenset({"id", "id_", "examples", "error", "key", "value"})
"""Names whose values come from documents or files and are never translated."""
_DEEPEST = 4


class _Messages(gettext.GNUTranslations):
    """A catalogue that knows its messages."""

    def messages(self) -> dict[str, str]:
        """Translations by English message."""
        return {key: text for key, text in self._catalog.items() if isinstance(key, str) and key}  # type: ignore[attr-defined]


class _Catalogue:
    """The messages of one language: those without names by text, the others as patterns, the most fixed first."""

    def __init__(self, messages: dict[str, str]) -> None:
        self.plain = {key: text for key, text in messages.items() if not _NAME.search(key)}
        order = sorted(messages, key=lambda key: -len(_NAME.sub("", key)))
        # What begins with a sign is said after something else.
        ends = [key for key in order if not key[0].isalnum() and key[0] not in "{<“"]
        self.ends = [(_pattern(key, "(?P<before_>.+?)"), messages[key]) for key in ends]
        self.whole = [(_pattern(key), messages[key]) for key in order if _NAME.search(key) and key not in ends]

    def say(self, sentence: str, deep: int = 0) -> str:
        """``sentence`` translated as far as it is known."""
        if sentence in self.plain or deep > _DEEPEST:
            return self.plain.get(sentence, sentence)
        for pattern, text in self.whole:
            if found := pattern.fullmatch(sentence):
                return text.format(**self._values(found, deep))
        for pattern, text in self.ends:
            if found := pattern.fullmatch(sentence):
                return self.say(found["before_"], deep + 1) + text.format(**self._values(found, deep))
        return sentence

    def _values(self, found: re.Match[str], deep: int) -> dict[str, str]:
        values = found.groupdict()
        return {name: value if name in _FOREIGN else self.say(value, deep + 1) for name, value in values.items()}


def told(sentence: str) -> str:
    """``sentence`` in the interface language; as it is where no message fits."""
    return sentence if i18n.current() == "en" or not sentence else _said(i18n.current(), sentence)


@lru_cache(maxsize=4096)
def _said(language: str, sentence: str) -> str:
    return _catalogue(language).say(sentence)


@lru_cache(maxsize=4)
def _catalogue(language: str) -> _Catalogue:
    found = gettext.translation(DOMAIN, str(resource("locale")), [language], class_=_Messages, fallback=True)
    return _Catalogue(found.messages() if isinstance(found, _Messages) else {})


def _pattern(message: str, before: str = "") -> re.Pattern[str]:
    parts = _NAME.split(message)
    fixed = [re.escape(part) if i % 2 == 0 else f"(?P<{part}>.+?)" for i, part in enumerate(parts)]
    if parts[0] and not parts[-1]:
        fixed[-2] = f"(?P<{parts[-2]}>.*)"  # what may be added at the end is often nothing
    return re.compile(before + "".join(fixed), re.DOTALL)

"""Sentences that the parts below the window made, in the interface language.

They are made in English with figures and names filled in. Their messages ("{n} sentences kept") are collected from the
source by packaging/sentences.py into a catalogue of their own; a sentence is known again by the message's fixed parts.
"""

from __future__ import annotations

import gettext
import re
from functools import lru_cache
from itertools import islice

from workbench.base.resources import resource
from workbench.gui import i18n

DOMAIN = "sentences"
_NAME = re.compile(r"\{(\w+)\}")
_FOREIGN = frozenset({"id", "id_", "examples", "error", "key", "value"})
"""Names whose values come from documents or files and are never translated."""
_BEFORE = "before_"
_DEEPEST = 4
_LONGEST = 4_000
_PLACES = 8
"""Levels of what is filled in, characters, and places to look at between sentences: what a file made up ends soon."""
_BETWEEN = re.compile(r"(?<=\.) ")
_AFTER_PLACE = re.compile(r": ")
"""Between two sentences, and between the file that is spoken of and the sentence."""


class _Messages(gettext.GNUTranslations):
    """A catalogue that knows its messages."""

    def messages(self) -> dict[str, str]:
        """Translations by English message."""
        return {key: text for key, text in self._catalog.items() if isinstance(key, str) and key}  # type: ignore[attr-defined]


class _Message:
    """A message with names, recognised by its fixed parts; ``text`` is its translation."""

    def __init__(self, message: str, text: str) -> None:
        self.text = text
        self.fixed, self._names = _NAME.split(message)[::2], _NAME.findall(message)

    def values(self, sentence: str) -> dict[str, str] | None:
        """What is filled in, each as short as can be; None where ``sentence`` is another.

        Nothing is filled with nothing, but for what may be added at the end.
        """
        first, *between, last = self.fixed
        at, end = len(first), len(sentence) - len(last)
        if at > end or not sentence.startswith(first) or not sentence.endswith(last):
            return None
        values = {}
        for name, part in zip(self._names, between, strict=False):
            found = sentence.find(part, at + 1, end)
            if found < 0:
                return None
            values[name], at = sentence[at:found], found + len(part)
        values[self._names[-1]] = sentence[at:end]
        return values if at < end or (at == end and first and not last) else None


class _Catalogue:
    """The messages of one language: those without names by text, the others the most fixed first."""

    def __init__(self, messages: dict[str, str]) -> None:
        self.messages = messages
        self.plain = {key: text for key, text in messages.items() if not _NAME.search(key)}
        order = sorted(messages, key=lambda key: -len(_NAME.sub("", key)))
        # What begins with a sign is said after something else.
        ends = [key for key in order if not key[0].isalnum() and key[0] not in "{<“"]
        self.ends = [_Message(f"{{{_BEFORE}}}{key}", messages[key]) for key in ends]
        self.whole = [_Message(key, messages[key]) for key in order if _NAME.search(key) and key not in ends]

    def say(self, sentence: str, deep: int = 0) -> str:
        """``sentence`` translated as far as it is known."""
        if deep > _DEEPEST or len(sentence) > _LONGEST:
            return sentence
        if (said := self._known(sentence, deep)) is not None:
            return said
        for message in self.ends:
            if values := message.values(sentence):
                return self.say(values.pop(_BEFORE), deep + 1) + self._filled(message, values, deep)
        for colon in islice(_AFTER_PLACE.finditer(sentence), _PLACES):
            if (said := self._known(sentence[colon.end() :], deep)) is not None:
                return sentence[: colon.end()] + said
        return sentence

    def _known(self, text: str, deep: int) -> str | None:
        """One sentence, or several of which each is known; None for any other."""
        if text in self.plain:
            return self.plain[text]
        for stop in islice(_BETWEEN.finditer(text), _PLACES):
            # One at a time: what is filled in at the end of a sentence would match all that follows.
            first = self._one(text[: stop.start()], deep)
            if first is not None and (rest := self._known(text[stop.end() :], deep)) is not None:
                return first + ("" if first.endswith("。") else " ") + rest
        return self._one(text, deep)

    def _one(self, sentence: str, deep: int) -> str | None:
        if sentence in self.plain:
            return self.plain[sentence]
        for message in self.whole:
            if values := message.values(sentence):
                return self._filled(message, values, deep)
        return None

    def _filled(self, message: _Message, values: dict[str, str], deep: int) -> str:
        said = {name: value if name in _FOREIGN else self.say(value, deep + 1) for name, value in values.items()}
        return message.text.format(**said)


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

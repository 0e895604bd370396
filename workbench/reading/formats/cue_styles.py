"""Words of subtitles that players do not show: transparent, tiny, off the screen, or without duration.

Subtitles are usually white. White words count as hidden only beside words without a colour, if no other colour is used:
players draw words without a colour in their default, and a program with a white window shows only these.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from html import unescape
from typing import NamedTuple

from workbench.reading.html.styles import is_hiding_style, is_white
from workbench.reading.integrity import LEAST_UNSEEN

_TOKEN = re.compile(r"<(?P<end>/?)(?P<tag>[A-Za-z0-9:]+)(?P<rest>[^<>\n]{0,200})>|\{(?P<codes>\\[^{}\n]{0,200})\}")
_COLOUR = re.compile(r"color\s*=\s*[\"']?\s*(#?\w+)", re.IGNORECASE)
_COLOUR_OF = re.compile(r"(?<![-\w])color\s*:\s*(#?\w+)", re.IGNORECASE)
_SIZE = re.compile(r"size\s*=\s*[\"']?\s*0*[01](?:px|pt)?[\"'\s]", re.IGNORECASE)
_RULE = re.compile(r"(?P<names>::cue\([^(){}]{1,500}\)[^{}]{0,500})\{(?P<style>[^{}]{4,500})\}")
_NAME = re.compile(
    r"::cue\(\s*(?P<tag>[a-z]{0,4})(?:\.(?P<name>[\w-]{1,100})|\[voice=[\"']?(?P<voice>[^\"'\]]{1,100})[\"']?\])?\s*\)"
)
"""The element, class or voice to which a rule applies."""
_CODES = {
    "\\alpha": (re.compile(r"\\(?:1a|alpha)(?:&?H?([0-9a-f]{1,2}))?", re.IGNORECASE), ("ff",)),
    "\\fs": (re.compile(r"\\fs(\d{0,4})(?![\da-z])", re.IGNORECASE), ("0", "1")),
}
"""Codes of transparency and size, each with the values that hide words."""
_COLOUR_CODE = re.compile(r"\\1?c(?:&?H(?P<colour>[0-9a-f]{1,8})&?)?(?![a-z\d])", re.IGNORECASE)
_COLOURS = frozenset(("white", "lime", "cyan", "red", "yellow", "magenta", "blue", "black"))
"""The classes of colours that WebVTT defines, each with a ``bg_`` variant."""
_SETTING = re.compile(r"(?P<name>size|line|position):(?P<value>-?\d{1,6}(?:\.\d+)?)%")
_WHITE_CODE = 0xFFFFFF


class _Look(Enum):
    PLAIN = auto()
    COLOURED = auto()
    WHITE = auto()
    UNSEEN = auto()


class _Part(NamedTuple):
    words: str
    look: _Look


def is_off_screen(settings: str) -> bool:
    """Whether the settings of a WebVTT cue give it no size or a position outside the picture."""
    for setting in _SETTING.finditer(settings):
        value = float(setting["value"])
        if value < 0 or value > 100 or (setting["name"] == "size" and value == 0):
            return True
    return False


class CueStyles:
    """The look of the words in the cues of a file, which is read line by line."""

    def __init__(self, text: str) -> None:
        hidden, white = set[str](), set[str]()
        for rule in _RULE.finditer(text):
            colour = _COLOUR_OF.search(rule["style"])
            is_pale = colour is not None and is_white(colour[1])
            kept = hidden if is_hiding_style(rule["style"]) else white if is_pale else set[str]()
            kept.update(one["name"] or one["voice"] or one["tag"] for one in _NAME.finditer(rule["names"]))
        self._hidden, self._white = hidden, white
        self._parts: dict[str, list[_Part]] = defaultdict(list)
        self._letters: dict[_Look, int] = defaultdict(int)
        self._is_unseen = False
        self._open: list[tuple[str, _Look]] = []

    def begin_cue(self, *, is_unseen: bool) -> None:
        """Begin a cue, which ends all marks; ``is_unseen``: none of it is visible."""
        self._is_unseen, self._open = is_unseen, []

    def read_line(self, line: str, words: str) -> None:
        """Note the looks of a ``line`` of the file; ``words`` is its text without marks."""
        at = 0
        for token in _TOKEN.finditer(line):
            self._add(words, line[at : token.start()])
            at = token.end()
            if token["codes"]:
                self._read_codes(token["codes"])
            elif token["end"]:
                tags = [tag for tag, _ in self._open]
                if token["tag"] in tags:
                    del self._open[len(tags) - 1 - tags[::-1].index(token["tag"])]
            else:
                self._open.append((token["tag"], self._look_of(token["tag"], token["rest"])))
        self._add(words, line[at:])

    def unseen_in(self, text: str, lines: Sequence[str]) -> Iterator[tuple[int, int]]:
        """The invisible parts of ``text``, which consists of ``lines``."""
        letters = self._letters
        others = letters[_Look.PLAIN]
        is_hiding = letters[_Look.WHITE] < others and not letters[_Look.COLOURED]
        looks = {_Look.UNSEEN, _Look.WHITE} if is_hiding else {_Look.UNSEEN}
        if sum(letters[look] for look in looks) < LEAST_UNSEEN:
            return
        at = 0
        for line in lines:
            for part in self._parts[line]:
                start = text.find(part.words, at)
                if start >= 0:
                    at = start + len(part.words)
                    if part.look in looks:
                        yield start, at

    def _add(self, words: str, piece: str) -> None:
        plain = " ".join(unescape(piece).split())
        if plain:
            look = max((look for _, look in self._open), key=lambda look: look.value, default=_Look.PLAIN)
            look = _Look.UNSEEN if self._is_unseen else look
            self._parts[words].append(_Part(plain, look))
            self._letters[look] += sum(map(str.isalnum, plain))

    def _look_of(self, tag: str, rest: str) -> _Look:
        if tag.lower() == "font":
            colour = _COLOUR.search(rest)
            if _SIZE.search(f"{rest} ") or (colour and is_hiding_style(f"color:{colour[1]}")):
                return _Look.UNSEEN
            if colour:
                return _Look.WHITE if is_white(colour[1]) else _Look.COLOURED
        classes = rest.split()[0].strip(".").split(".") if rest.startswith(".") else []
        names = {*classes, tag, rest.strip()}
        if not self._hidden.isdisjoint(names) or any(f"bg_{name}" in classes for name in classes):
            return _Look.UNSEEN
        if not self._white.isdisjoint(names):
            return _Look.WHITE
        colours = _COLOURS.intersection(classes)
        if not colours:
            return _Look.PLAIN
        return _Look.WHITE if colours == {"white"} else _Look.COLOURED

    def _read_codes(self, codes: str) -> None:
        """Overrides of Advanced SubStation Alpha, which last until another of the same kind, or a reset of all."""
        if "\\r" in codes:
            self._open = [(tag, look) for tag, look in self._open if not tag.startswith("\\")]
        for name, (pattern, values) in _CODES.items():
            if settings := pattern.findall(codes):
                self._override(name, _Look.UNSEEN if settings[-1].lower() in values else None)
        if colours := _COLOUR_CODE.findall(codes):
            is_pale = bool(colours[-1]) and int(colours[-1], 16) & _WHITE_CODE == _WHITE_CODE
            self._override("\\c", (_Look.WHITE if is_pale else _Look.COLOURED) if colours[-1] else None)

    def _override(self, name: str, look: _Look | None) -> None:
        self._open = [one for one in self._open if one[0] != name]
        if look is not None:
            self._open.append((name, look))

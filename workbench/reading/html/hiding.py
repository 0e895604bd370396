"""Elements of a page that browsers do not show, because of the ``hidden`` attribute or styles.

Declarations are read as CSS reads them (CSS Syntax 3, Cascade 5): in order, names whole, invalid ones dropped,
important ones first. A page's own style sheets only matter for elements hidden by their own style: an element that a
sheet may show counts as shown. External sheets are not fetched.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from string import ascii_lowercase, ascii_uppercase
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.text.markup.columns import GONE, SHOWN, VEILED
from workbench.text.markup.tags import NEVER_HIDDEN

_Value = Literal["hides", "shows", "default", "inherits"]
_REPLACED = re.compile(r"(?<![-\w\x80-\U0010ffff])(?:var|env|attr|if)\(", re.IGNORECASE)
"""Functions whose value is unknown here."""
_SPACE = " \t\n\r\f"
_SPACES = re.compile(f"[{_SPACE}]+")
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_IMPORTANT = re.compile(rf"![{_SPACE}]*important[{_SPACE}]*\Z", re.IGNORECASE)
_SPECIAL = re.compile(r"[\\\"'(){}\[\]]|/\*")
_STRING = r"\"(?:\\.|[^\"\\\n\r\f])*+\"?|'(?:\\.|[^'\\\n\r\f])*+'?"
_TOKENS = re.compile(
    rf"/\*.*?(?:\*/|\Z)|{_STRING}"
    r"|\burl\(\s*(?![\"'\s])(?:\\.|[^)\\])*+\)?"
    r"|\\(?:[0-9a-f]{1,6}\s?|.)",
    re.DOTALL | re.IGNORECASE,
)
_BRACKETS = re.compile(r"[;(){}\[\]]")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_DISPLAY_NAMES = """
    block inline inline-block run-in flow flow-root table flex grid ruby math list-item contents inline-table
    inline-flex inline-grid table-row-group table-header-group table-footer-group table-row table-cell
    table-column-group table-column table-caption ruby-base ruby-text ruby-base-container ruby-text-container
    inherit initial unset
"""
_DISPLAYS = frozenset(_DISPLAY_NAMES.split())
_PART_NAMES = "block inline run-in flow flow-root table flex grid ruby math list-item"
_PARTS = frozenset(_PART_NAMES.split())
_MOST_PARTS = 3
_WIDE = frozenset(("inherit", "initial", "unset", "revert", "revert-layer"))
_LONGEST_KEPT = 1000
_MAY_BE_SHOWN = re.compile(r"display|visibility|all|\\", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb' (.[^=]*)="([^"]*)"', re.DOTALL)
_NAME = re.compile(rb"[^ />]+")
_CLOSED_DIALOG = re.compile(rb"<dialog(?![^<>]* open=)(?=[ />])")

_NO_RULES = re.compile(rf"/\*.*?(?:\*/|\Z)|{_STRING}|<!--|-->|\\[{{}};,()\[\]]", re.DOTALL)
_TO_A_BRACE = re.compile(r"([^{}]*)([{}]|\Z)")
_PRINT_ONLY = re.compile(r"@media\s+(?:print|speech)\b[^,]*(?:,\s*(?:print|speech)\b[^,]*)*", re.IGNORECASE)
_GROUP = re.compile(r"@(?:media|supports|container|layer|scope|starting-style)\b", re.IGNORECASE)
_PARENTHESES = re.compile(r"\([^()]*\)")
_DEEPEST_PARENTHESES = 4
COMBINATOR = re.compile(r"\s*([\s>+~])\s*")
_WORD = r"((?:\\[0-9a-fA-F]{1,6}\s?|\\.|[-\w]|[^\x00-\x7f])+)"
_SIMPLE = re.compile(rf"::?(?P<pseudo>[-\w]+)|\.{_WORD}|#{_WORD}|\[\s*([-\w]+)\s*([^\]]*)\]|{_WORD}")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))")
_PSEUDO_ELEMENTS = frozenset(("before", "after", "first-line", "first-letter"))


class Declared(NamedTuple):
    """The declared ``display`` and ``visibility``, each with whether it is important; None if not declared."""

    display: tuple[_Value, bool] | None = None
    visibility: tuple[_Value, bool] | None = None


def declared(style: str) -> Declared:
    """The result of the declarations in ``style``."""
    return _kept(style) if len(style) <= _LONGEST_KEPT else _declared(style)


def _declared(style: str) -> Declared:
    winning: dict[str, tuple[_Value, bool]] = {}
    for name, value, important in declarations(style):
        if name in ("display", "visibility", "all"):
            for set_name, what in _values(name, value):
                if what is not None and (important or not winning.get(set_name, ("", False))[1]):
                    winning[set_name] = what, important
    return Declared(winning.get("display"), winning.get("visibility"))


_kept = lru_cache(maxsize=4096)(_declared)


def declarations(style: str) -> Iterator[tuple[str, str, bool]]:
    """The declarations in ``style``: property in lower case, value, whether important. Strings are left empty."""
    for declaration in _declarations(style):
        name, colon, value = declaration.partition(":")
        if colon:
            important = _IMPORTANT.search(value)
            value = value[: important.start()] if important else value
            yield name.strip(_SPACE).translate(_LOWER), value.strip(_SPACE), important is not None


def _declarations(style: str) -> Iterator[str]:
    """The declarations, separated by semicolons outside brackets, with comments as spaces and strings empty."""
    if not _SPECIAL.search(style):
        yield from style.split(";")
        return
    plain = _TOKENS.sub(_plain_token, style)
    begin = 0
    open_brackets: list[str] = []
    for match in _BRACKETS.finditer(plain):
        mark = match[0]
        if mark in _CLOSING:
            open_brackets.append(_CLOSING[mark])
        elif open_brackets:
            if mark == open_brackets[-1]:
                open_brackets.pop()
        elif mark == ";":
            yield plain[begin : match.start()]
            begin = match.end()
    yield plain[begin:]


def _plain_token(match: re.Match[str]) -> str:
    """A comment, string, address or escape, replaced by text without special characters."""
    token = match[0]
    if token.startswith("/*"):
        return " "
    if token.startswith("\\"):
        character = _unescaped(token)
        return character if character.isalnum() or character in "-_" else "\ufffd"
    return "url()" if token[0] in "uU" else '""'


def _values(name: str, text: str) -> Iterator[tuple[str, _Value | None]]:
    """The properties that a declaration sets, each with its value, None for an invalid one."""
    words = [word for word in _SPACES.split(text.translate(_LOWER)) if word]
    unknown = _REPLACED.search(text) is not None
    word = words[0] if len(words) == 1 else ""
    if name != "visibility" and (name == "display" or unknown or word in _WIDE):
        yield "display", "shows" if unknown else _display(words)
    if name != "display" and (name == "visibility" or unknown or word in _WIDE):
        yield "visibility", "shows" if unknown else _visibility(word)


def _display(words: Sequence[str]) -> _Value | None:
    if words == ["none"]:
        return "hides"
    if words in (["revert"], ["revert-layer"]):
        return "default"
    one = len(words) == 1 and (words[0] in _DISPLAYS or words[0].startswith("-"))
    return "shows" if one or (1 < len(words) <= _MOST_PARTS and _PARTS.issuperset(words)) else None


def _visibility(word: str) -> _Value | None:
    if word in ("hidden", "collapse"):
        return "hides"
    if word in ("visible", "initial"):
        return "shows"
    return "inherits" if word in _WIDE else None


class Element(NamedTuple):
    """The properties of an element that selectors can test: its tag, id, classes and attribute names."""

    tag: str
    name: str
    classes: frozenset[str]
    attributes: frozenset[str]

    @classmethod
    def of(cls, tag: str, attributes: Mapping[str, str]) -> Element:
        """The element ``tag`` with ``attributes``."""
        classes = frozenset(attributes.get("class", "").split())
        return cls(tag, attributes.get("id", ""), classes, frozenset(attributes))

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys (:attr:`Compound.key`) of compounds that may match it."""
        return ("", self.tag, *(f".{c}" for c in self.classes), *((f"#{self.name}",) if self.name else ()))


class Compound(NamedTuple):
    """The last compound of a selector. ``certain``: it alone determines to which elements the rule applies."""

    tag: str
    name: str
    classes: frozenset[str]
    attributes: frozenset[str]
    certain: bool
    weight: tuple[int, int, int]

    @property
    def key(self) -> str:
        """The id, class or tag that it requires."""
        return f"#{self.name}" if self.name else f".{min(self.classes)}" if self.classes else self.tag

    def matches(self, element: Element) -> bool:
        """Whether the compound matches ``element``, apart from values of attributes and pseudo-classes."""
        return (
            self.tag in ("", element.tag)
            and self.name in ("", element.name)
            and self.classes <= element.classes
            and self.attributes <= element.attributes
        )


class _Rule(NamedTuple):
    selector: Compound
    declared: Declared


@dataclass(frozen=True)
class StyleSheets:
    """A page's own style sheets. ``check`` is called periodically, and raises if reading them takes too long."""

    texts: tuple[str, ...] = ()
    check: Callable[[], None] = lambda: None

    @cached_property
    def _rules(self) -> Mapping[str, Mapping[_Rule, int]]:
        """The rules on visibility, each with its last number, by the id, class or tag they require."""
        by_key: dict[str, dict[_Rule, int]] = defaultdict(dict)
        number = 0
        for text in self.texts:
            if _MAY_BE_SHOWN.search(text):
                for rule in _rules(text):
                    self.check()
                    by_key[rule.selector.key][rule] = number
                    number += 1
        return by_key

    def fate(self, tag: str, attributes: Mapping[str, str]) -> int:
        """The visibility of an element: GONE, VEILED, SHOWN, or 0 to inherit it."""
        if tag in NEVER_HIDDEN:
            return 0
        own = declared(attributes.get("style", ""))
        default = "hidden" in attributes
        gone = own.display[0] == "hides" if own.display and own.display[0] != "default" else default
        veiled = own.visibility is not None and own.visibility[0] == "hides"
        if (gone or veiled) and self.texts:
            gone = gone and not self._shows(tag, attributes, 0, own.display, default)
            veiled = veiled and not self._shows(tag, attributes, 1, own.visibility, False)
        if gone:
            return GONE
        if veiled:
            return VEILED
        return SHOWN if own.visibility is not None and own.visibility[0] == "shows" else 0

    def _shows(
        self,
        tag: str,
        attributes: Mapping[str, str],
        which: Literal[0, 1],
        own: tuple[_Value, bool] | None,
        default: bool,
    ) -> bool:
        """Whether a sheet may set the property ``which`` to a value that shows the element."""
        best: tuple[bool, bool, tuple[int, int, int], int] = (False, False, (0, 0, 0), -1)
        value: _Value = "default"
        if own is not None:
            best, value = (own[1], True, (0, 0, 0), -1), own[0]
        for number, rule in self._matching(tag, attributes):
            declaration = rule.declared[which]
            if declaration is not None and (declaration[0] == "shows" or rule.selector.certain):
                rank = (declaration[1], False, rule.selector.weight, number)
                if rank > best:
                    best, value = rank, declaration[0]
        return value == "shows" or (value == "default" and not default) or value == "inherits"

    def _matching(self, tag: str, attributes: Mapping[str, str]) -> Iterator[tuple[int, _Rule]]:
        element = Element.of(tag, attributes)
        for key in element.keys:
            for rule, number in self._rules.get(key, {}).items():
                self.check()
                if rule.selector.matches(element):
                    yield number, rule


def style_rules(sheet: str) -> Iterator[tuple[str, str, Sequence[str]]]:
    """The rules of a sheet, except those for print: selectors, declarations and the at-rules around them."""
    plain = _NO_RULES.sub(lambda match: '""' if match[0][0] in "\"'" else " " if match[0][0] != "\\" else "_", sheet)
    around: list[tuple[str, bool]] = []  # the owner of each open brace, and whether rules may occur in it
    for text, brace in _TO_A_BRACE.findall(plain):
        if brace == "{":
            prelude = text.rpartition(";")[2].strip()
            kept = not prelude.startswith("@") or bool(_GROUP.match(prelude) and not _PRINT_ONLY.fullmatch(prelude))
            kept = kept and (not around or around[-1][1])
            around.append((prelude, kept))
        elif brace and around:
            prelude, kept = around.pop()
            if kept and not prelude.startswith("@"):
                yield prelude, text, [outer for outer, _ in around]


def _rules(sheet: str) -> Iterator[_Rule]:
    """The visibility rules of a sheet, except those for print."""
    for prelude, text, around in style_rules(sheet):
        if _MAY_BE_SHOWN.search(text):
            own = declared(text)
            if own != Declared():
                yield from (_Rule(s, own) for s in _selectors(prelude, certain=not around))


def _selectors(prelude: str, *, certain: bool) -> Iterator[Compound]:
    for _ in range(_DEEPEST_PARENTHESES):
        prelude = _PARENTHESES.sub("", prelude)
    for selector in prelude.split(","):
        compounds = COMBINATOR.split(selector.strip())[::2]
        last = compound(compounds[-1])
        if last is not None:
            weight = [sum(parts) for parts in zip(*(c.weight for c in map(compound, compounds) if c), strict=True)]
            alone = certain and last.certain and len(compounds) == 1
            yield last._replace(certain=alone, weight=(weight[0], weight[1], weight[2]))


@lru_cache(maxsize=4096)
def compound(text: str) -> Compound | None:
    """The compound ``text``; None if it matches no element."""
    tag, name, classes, attributes, certain, pseudo = "", "", set(), set(), "&" not in text and "(" not in text, 0
    for part in _SIMPLE.finditer(text):
        if part["pseudo"]:
            if part[0].startswith("::") or part["pseudo"].lower() in _PSEUDO_ELEMENTS:
                return None
            certain, pseudo = False, pseudo + 1
        elif part[2]:
            classes.add(_unescaped(part[2]))
        elif part[3]:
            name = _unescaped(part[3])
        elif part[4]:
            attributes.add(part[4].lower())
            certain = certain and not part[5]
        else:
            tag = _unescaped(part[6]).lower()
    weight = (int(bool(name)), len(classes) + len(attributes) + pseudo, int(bool(tag)))
    return Compound(tag, name, frozenset(classes), frozenset(attributes), certain, weight)


def _unescaped(word: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = int(match[1], 16) if match[1] else 0
        return match[2] or (chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd")

    return _ESCAPE.sub(character, word) if "\\" in word else word


def hidden_elements(written: bytes, sheets: StyleSheets) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """The offsets of the names of start tags in ``written``, and the elements' visibility (GONE, VEILED, SHOWN)."""
    from workbench.kernels.pages.styles import styled
    from workbench.text.markup.columns import unescaped

    places: list[int] = []
    fates: list[int] = []
    if b' style="' in written or b' hidden="' in written:
        for first, end in styled(np.frombuffer(written, np.uint8)).tolist():
            sheets.check()
            name = _NAME.match(written, first, end)
            pairs = _ATTRIBUTE.findall(written, first, end)
            attributes = {unescaped(k.decode()): unescaped(v.decode()) for k, v in pairs}
            fate = sheets.fate(name[0].decode() if name else "", attributes)
            if fate:
                places.append(first)
                fates.append(fate)
    closed = [match.start() + 1 for match in _CLOSED_DIALOG.finditer(written) if match.start() + 1 not in places]
    if closed:
        both = sorted([*zip(places, fates, strict=True), *((place, GONE) for place in closed)])
        places, fates = [place for place, _ in both], [fate for _, fate in both]
    return np.array(places, np.int64), np.array(fates, np.uint8)

"""Words of a page that its styles hide within visible text.

The style of each element is computed from its own declarations and the page's style sheets (CSS Cascade 5: importance,
specificity, order), and inherits the colour, background and size of its parent. Only rules that certainly match are
used: without conditions, and without pseudo-classes, siblings or attribute values in the selector.

Pages fade in whole menus and contain words for screen readers. *Words out of sight* (transparent, cut off, off the
page, not displayed) therefore count only within a block that shows more text. If hidden by the element's own style,
they must be all of the element and less than half of the block; if by a style sheet, they must also be between visible
words, and not in a link, button or formula. Size and colour always count.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from workbench.base.types import Block, Span
from workbench.reading.html.hiding import COMBINATOR, Compound, Element, compound, declarations, style_rules
from workbench.reading.html.page import parse, time_limit
from workbench.reading.html.styles import ground_of, is_invisible, style_of

_SHEET = re.compile(r"<style\b[^<>]{0,500}>([^<]*(?:<(?!/?style)[^<]*)*)</style", re.IGNORECASE)
_OWN_STYLE = re.compile(r"\s(?:style\s*=\s*(?:\"([^\"]*)\"|'([^']*)')|color\s*=\s*[\"']?([#\w]+))", re.IGNORECASE)
_START = re.compile(r"<([a-z][a-z0-9]{0,15})\b([^<>]{0,2000})", re.IGNORECASE)
_NAMED = re.compile(r"(?<![\w-])(class|id)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_NAME = re.compile(r"[a-z][\w-]*", re.IGNORECASE)
_VARIABLE = re.compile(r"(?<![-\w])(?P<name>--[\w-]{1,100})\s*:\s*(?P<value>[^;{}\"'<>]{1,200})")
_USE = re.compile(r"var\(\s*(?P<name>--[\w-]{1,100})\s*(?:,[^()]{0,200})?\)", re.IGNORECASE)
_ALWAYS = re.compile(r"@(?:media\s+(?:all|screen)|layer\b.*|supports\b.*)", re.IGNORECASE | re.DOTALL)
_LINK_ADDRESS = re.compile(r"[\[(]?https?://\S+")
_NOT_READ = frozenset(("script", "style", "template", "noscript", "title", "textarea", "math", "svg"))
_SPOKEN_NAMES = "a abbr button dt h1 h2 h3 h4 h5 h6 label math nav summary svg th"
_SPOKEN = frozenset(_SPOKEN_NAMES.split())
"""Elements in which pages put words for screen readers."""
_INLINE_NAMES = """
    abbr b bdi bdo big cite code em font i ins kbd mark q s samp small span strike strong sub sup tt u
"""
_INLINE = frozenset(_INLINE_NAMES.split())
_AHEAD = 400
"""Characters of the text that are searched for the next words of the markup."""


class _Rule(NamedTuple):
    """A rule of a sheet: its selector, with the combinators between its compounds, and its declarations."""

    compounds: tuple[Compound, ...]
    is_child: tuple[bool, ...]
    properties: str
    rank: tuple[tuple[int, int, int], int]


class _Look(NamedTuple):
    """The look of the words of an element; ``behind`` is their background colour, None if unknown."""

    is_tiny: bool
    colour: str
    behind: str | None


@dataclass(slots=True)
class _Frame:
    """An open element. ``may_hide``: a style of it or of an ancestor may hide words; only then are its ``look`` and
    ``hiding`` computed. ``hiding`` is the innermost element, itself included, that puts its words out of sight;
    ``by_sheet``: only a style sheet does.
    """

    element: Element
    own: str
    is_left_out: bool
    may_hide: bool
    look: _Look | None = None
    hiding: _Frame | None = None
    by_sheet: bool = False
    pieces: list[Span] = field(default_factory=list)


def block_at(blocks: Sequence[Span], at: int) -> Span | None:
    """The last of the ordered ``blocks`` that begins at or before ``at``."""
    number = bisect_right(blocks, at, key=lambda span: span.start)
    return blocks[number - 1] if number else None


def hidden_in(
    markup: str, text: str, blocks: Sequence[Block], *, not_shown: bool = False, by_any_class: bool = False
) -> Iterator[int]:
    """The characters of a page's ``text`` that its ``markup`` hides within a block, in any order.

    ``not_shown``: the text includes elements that browsers do not show; ``by_any_class``: no script shows elements
    hidden by a class. Raises UnreadableInput for a page that takes longer than 10 s.
    """
    if "style" in markup or "color" in markup:
        page = _Page(markup, text, [block.span for block in blocks], not_shown, by_any_class)
        if page.may_hide:
            parse(markup, page)
            yield from page.hidden


class _Page:
    """Parser target: tracks open elements and the position of their words in the text."""

    def __init__(self, markup: str, text: str, blocks: list[Span], not_shown: bool, by_any_class: bool) -> None:
        self.hidden: list[int] = []
        self._text, self._blocks = text, blocks
        self._not_shown, self._by_any_class = not_shown, by_any_class
        values: dict[str, set[str]] = defaultdict(set)
        for match in _VARIABLE.finditer(markup):
            values[match["name"]].add(match["value"].strip())
        self._variables = {name: own.pop() for name, own in values.items() if len(own) == 1}
        rules = [rule for sheet in _SHEET.findall(markup) for rule in _certain_rules(sheet)]
        self._sheets = [(number, selectors, self._resolved(text)) for number, (selectors, text) in enumerate(rules)]
        self._ground = ground_of(markup)
        self._check = time_limit()
        self._answers: dict[str, bool] = {}
        self._hiding = self._by_key(rule for rule in self._sheets if self._may_hide(rule[2]))
        root = Element("", "", frozenset(), frozenset())
        self._open = [_Frame(root, "", False, False, _Look(False, "", self._ground))]
        self._open_tags = Counter[str]()
        self._at = 0
        own = {a or b or f"color:{colour}" for a, b, colour in _OWN_STYLE.findall(markup)}
        self.may_hide = any(self._own_may_hide(self._resolved(style)) for style in own) or any(
            map(self._is_candidate, _elements(markup) if self._hiding else ())
        )

    @cached_property
    def _rules(self) -> Mapping[str, Sequence[_Rule]]:
        return self._by_key(self._sheets)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element."""
        own = attributes.get("style", "") + (f";color:{attributes['color']}" if "color" in attributes else "")
        own = self._resolved(own)
        element = Element.of(tag, attributes)
        is_gone = "hidden" in attributes or style_of(own).is_gone
        is_left_out = self._open[-1].is_left_out or tag in _NOT_READ or (is_gone and not self._not_shown)
        may_hide = self._open[-1].may_hide or self._own_may_hide(own)
        self._open.append(_Frame(element, own, is_left_out, may_hide))
        self._open_tags[tag] += 1
        if not may_hide and not is_left_out:
            self._open[-1].may_hide = any(self._is_relevant(rule, tag) for rule in self._matching(self._hiding))

    def end(self, tag: str) -> None:
        """Close an element, and any still open inside it."""
        while self._open_tags[tag]:
            last = self._open.pop()
            self._open_tags[last.element.tag] -= 1
            if last.hiding is last and len(last.pieces) == 1:
                self._out_of_sight(last, last.pieces[0])
            if last.element.tag == tag:
                return

    def data(self, text: str) -> None:
        """Character data."""
        frame = self._open[-1]
        words = "" if frame.is_left_out else " ".join(text.split())
        if not words:
            return
        look = self._look() if frame.may_hide else None
        is_invisible_here = look is not None and (look.is_tiny or is_invisible(look.colour, look.behind))
        at = self._text.find(words, self._at, self._at + len(words) + _AHEAD)
        if at < 0 and (is_invisible_here or frame.hiding):
            at = self._text.find(words, self._at)
        if at < 0:
            return
        self._at = at + len(words)
        span = Span(at, self._at)
        # Markup as text is code that is shown; books contain the addresses of links beside them for print.
        if self._text[max(0, at - 1) : at] == ">" or _LINK_ADDRESS.fullmatch(words):
            return
        if is_invisible_here:
            if block_at(self._blocks, at) is not None:
                self.hidden.extend(range(*span))
        elif frame.hiding is not None:
            frame.hiding.pieces.append(span)

    def comment(self, text: str) -> None:
        """Comments are not text."""

    def close(self) -> None:
        """The end of the page."""

    def _out_of_sight(self, frame: _Frame, span: Span) -> None:
        """Note the words of an element that ``frame`` hides, if they are part of a block that shows more."""
        block = block_at(self._blocks, span.start)
        if block is None or 2 * (span.end - span.start) >= block.end - block.start:
            return
        if frame.by_sheet:
            before, after = self._text[block.start : span.start], self._text[span.end : block.end]
            is_between = frame.element.tag in _INLINE and before.strip() and after.strip()
            is_spoken = any(other.element.tag in _SPOKEN for other in (*self._open, frame))
            if is_spoken or not (is_between or self._by_any_class):
                return
        self.hidden.extend(range(*span))

    def _may_hide(self, declared: str) -> bool:
        """Whether declarations hide words, alone or on the colour of the page."""
        answer = self._answers.get(declared)
        if answer is None:
            style = style_of(declared)
            behind = self._ground if style.background == "" else style.background
            answer = style.is_tiny or style.is_unseen or style.is_gone or is_invisible(style.colour, behind)
            self._answers[declared] = answer
        return answer

    def _own_may_hide(self, declared: str) -> bool:
        """Whether an element's own declarations hide words that are part of the text."""
        return self._may_hide(declared) and (self._not_shown or not style_of(declared).is_gone)

    def _is_candidate(self, element: Element) -> bool:
        """Whether a rule that hides words may apply to ``element``."""
        rules = (rule for key in element.keys for rule in self._hiding.get(key, ()))
        for rule in rules:
            self._check()
            if self._is_relevant(rule, element.tag) and rule.compounds[-1].matches(element):
                return True
        return False

    def _is_relevant(self, rule: _Rule, tag: str) -> bool:
        """Whether ``rule`` is relevant to elements ``tag``: not if it only moves the words of such elements out of
        sight.
        """
        style = style_of(rule.properties)
        is_colourless = style.is_tiny or is_invisible(style.colour, style.background or self._ground)
        return is_colourless or self._by_any_class or tag in _INLINE

    def _matching(self, rules: Mapping[str, Sequence[_Rule]], at: int = -1) -> Iterator[_Rule]:
        """The ``rules`` whose selector matches the open element number ``at``."""
        at %= len(self._open)
        for key in self._open[at].element.keys:
            for rule in rules.get(key, ()):
                self._check()
                if self._applies(rule, at):
                    yield rule

    def _applies(self, rule: _Rule, at: int) -> bool:
        if not rule.compounds[-1].matches(self._open[at].element):
            return False
        for part, is_child in zip(rule.compounds[-2::-1], reversed(rule.is_child), strict=True):
            at -= 1
            while not is_child and at > 0 and not part.matches(self._open[at].element):
                at -= 1
            if at <= 0 or not part.matches(self._open[at].element):
                return False
        return True

    def _look(self) -> _Look:
        """The look of words in the innermost open element."""
        known = next(at for at in range(len(self._open) - 1, -1, -1) if self._open[at].look is not None)
        look = self._open[known].look
        assert look is not None
        for at in range(known + 1, len(self._open)):
            frame = self._open[at]
            frame.hiding = self._open[at - 1].hiding
            look = frame.look = self._styled(
                frame, look, sorted(self._matching(self._rules, at), key=attrgetter("rank"))
            )
        return look

    def _styled(self, frame: _Frame, around: _Look, matching: Sequence[_Rule]) -> _Look:
        """The look of an element within ``around``; records whether it puts its words out of sight."""
        winning: dict[str, tuple[str, bool]] = {}
        for properties in (*(rule.properties for rule in matching), frame.own):
            for name, value, is_important in declarations(properties):
                if is_important or not winning.get(name, ("", False))[1]:
                    winning[name] = value, is_important
        style = style_of(";".join(f"{name}:{value}" for name, (value, _) in winning.items()))
        alone = style_of(frame.own)
        frame.by_sheet = not (alone.is_unseen or alone.is_gone)
        if style.is_unseen or (style.is_gone and (frame.by_sheet or self._not_shown)):
            frame.hiding = frame
        return _Look(
            style.is_tiny or (around.is_tiny and not style.is_sized),
            style.colour or around.colour,
            around.behind if style.background == "" else style.background,
        )

    def _by_key(self, sheets: Iterable[tuple[int, str, str]]) -> Mapping[str, Sequence[_Rule]]:
        """The rules that certainly apply, by the key of the last compound of their selectors."""
        by_key: dict[str, list[_Rule]] = defaultdict(list)
        for number, selectors, properties in sheets:
            for selector in dict.fromkeys(selectors.split(",")):
                self._check()
                first, *rest = COMBINATOR.split(selector.strip())
                parts = [compound(part) for part in (first, *rest[1::2])]
                compounds = tuple(part for part in parts if part is not None and part.certain)
                combinators = rest[::2]
                if first and len(compounds) == len(parts) and not {"+", "~"}.intersection(combinators):
                    a, b, c = (sum(values) for values in zip(*(part.weight for part in compounds), strict=True))
                    is_child = tuple(sign == ">" for sign in combinators)
                    by_key[compounds[-1].key].append(_Rule(compounds, is_child, properties, ((a, b, c), number)))
        return by_key

    def _resolved(self, declared: str) -> str:
        """``declared`` with the values of variables that have a single value in the page."""
        if "var(" not in declared:
            return declared
        return _USE.sub(lambda use: self._variables.get(use["name"], use[0]), declared)


def _certain_rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Selectors and declarations of the rules of a sheet that apply under no condition."""
    for selectors, text, around in style_rules(sheet):
        if all(_ALWAYS.fullmatch(outer) for outer in around):
            yield selectors, text


def _elements(markup: str) -> Iterator[Element]:
    """The different elements of a page, as distinguished by selectors of classes, ids and tags."""
    seen: set[tuple[str, str, str]] = set()
    for tag, attributes in set(_START.findall(markup)):
        own = {name.lower(): a or b or c for name, a, b, c in _NAMED.findall(attributes)}
        key = tag.lower(), own.get("class", ""), own.get("id", "")
        if key not in seen:
            seen.add(key)
            names = frozenset(name.lower() for name in _NAME.findall(attributes))
            yield Element(key[0], key[2], frozenset(key[1].split()), names)

"""Lists of Word documents: which item of which list a paragraph is, and whether its list is numbered."""

from __future__ import annotations

from lxml import etree

from workbench.reading.formats.package import attribute, local, named

_DEEPEST = 8
"""The last level of a list; there are nine."""
_UNNUMBERED = frozenset(("bullet", "none"))


class Lists:
    """The lists that ``numbering``, the part of that name, defines, and how many items each has had so far."""

    def __init__(self, numbering: etree._Element | None) -> None:
        levels = {attribute(e, "abstractNumId"): _levels(e) for e in named(numbering, "abstractNum")}
        self._numbered: dict[str, dict[int, bool]] = {}
        for one in named(numbering, "num"):
            of = next((attribute(e, "val") for e in one if local(e) == "abstractNumId"), "")
            self._numbered[attribute(one, "numId")] = levels.get(of, {})
        self._counts: dict[str, list[int]] = {}

    def item(self, number: str, level: str) -> str:
        """The path of the next item at a ``level``, from 0, of the list ``number``: ``ol[3]/li[2]/ul[3]/li[1]/``."""
        deep = min(_DEEPEST, int(level)) if level.isdecimal() else 0
        counts = self._counts.setdefault(number, [0] * (_DEEPEST + 1))
        counts[deep] += 1
        counts[deep + 1 :] = [0] * (_DEEPEST - deep)
        numbered = self._numbered.get(number, {})
        identity = number if number.isdecimal() else "0"
        return "".join(f"{'ol' if numbered.get(at) else 'ul'}[{identity}]/li[{counts[at]}]/" for at in range(deep + 1))


def _levels(definition: etree._Element) -> dict[int, bool]:
    """Whether each level of a list is numbered."""
    levels = {}
    for level in definition:
        at = attribute(level, "ilvl")
        if local(level) == "lvl" and at.isdecimal():
            form = next((attribute(e, "val") for e in level if local(e) == "numFmt"), "")
            levels[int(at)] = form not in _UNNUMBERED
    return levels

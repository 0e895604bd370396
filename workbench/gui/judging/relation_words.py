"""Relations of pages, and the steps that decided them, in the interface language."""

from __future__ import annotations

from workbench.base.messages import Message
from workbench.gui.i18n import say, tr
from workbench.services.relations.names import relation_name


def relation_word(name: str) -> str:
    """The window's name of a relation, or the method's own if unknown; "" has a name too."""
    return say(relation_name(name))


def relation_meaning(name: str) -> str:
    """The meaning of this class of relations; "" for an unknown class."""
    return _meanings().get(name, "")


def _meanings() -> dict[str, str]:
    return {
        "": tr("The method of this run does not determine how the two documents are related."),
        "mirror": tr("Nearly the same text at similar addresses."),
        "identical copy": tr("Nearly the same text at different or unknown addresses: a copy, or a standard page."),
        "archive": tr("One page contains the other, at similar addresses, as an archive of a month contains its days."),
        "link collection": tr("One page contains the other and links to it; the addresses differ."),
        "inclusion": tr("One page contains the other without a link to it; the addresses differ or are unknown."),
        "same site": tr("Part of the text is the same, at similar addresses."),
        "citation": tr("Part of the text is the same, and one page links to the other."),
        "shared sentences": tr("Part of the text is the same; no link, and the addresses differ or are unknown."),
        "near-duplicate": tr("Nearly all of one text is in the other."),
        "whole copy": tr("Nearly all of each text is in the other."),
        "inclusion of a copy": tr("Nearly all of one text is in the other, which is longer."),
        "partial copy": tr("The texts have a part in common."),
    }


def direction_word(direction: str) -> str:
    """The direction of copying in words."""
    match direction:
        case "a from b":
            return tr("{first} took from {second}", first="A", second="B")
        case "b from a":
            return tr("{first} took from {second}", first="B", second="A")
        case "cannot tell":
            return tr("Cannot tell")
    return direction


def direction_sign(direction: str) -> str:
    """The arrow from the original to the copy, for use between A and B."""
    return {"b from a": "→", "a from b": "←", "cannot tell": "?"}.get(direction, direction)


def strength_word(strength: str) -> str:
    """The strength of the evidence for a direction; "" if there is none."""
    return {"strong": tr("strong evidence"), "medium": tr("moderate evidence"), "weak": tr("weak evidence")}.get(
        strength, ""
    )


DIRECTION_EVIDENCE = ("direction", "direction_strength", "direction_reason")
"""The parts of a pair's evidence that :func:`direction_sentence` covers."""


def direction_sentence(direction: str, strength: str = "", reason: str = "") -> str:
    """The direction of copying, the strength of its evidence, and the evidence; "" for no direction."""
    if not direction:
        return ""
    words = tr("Direction: {words}", words=direction_word(direction))
    if strength_word(strength):
        words = tr("{words} ({strength})", words=words, strength=strength_word(strength))
    return " · ".join([words, say(reason)] if reason else [words])


def decision_steps(decision: str) -> list[str]:
    """The steps of a decision, in order."""
    steps = decision.values.values() if isinstance(decision, Message) and decision.values else [decision]
    return [say(step) for step in steps if isinstance(step, str) and step]


def links_word(a_to_b: bool, b_to_a: bool) -> str:
    """Arrows for the links between the pages of a pair."""
    return ("A ↔ B" if b_to_a else "A → B") if a_to_b else "A ← B" if b_to_a else ""

"""Relations of pages, and the steps that decided them, in the interface language."""

from __future__ import annotations

import re

from workbench.gui.i18n import tr


def relation_word(name: str) -> str:
    """A class of relations as the window names it; a method's own word where it is not known, "" has its word too."""
    return _words().get(name, name)


def _words() -> dict[str, str]:
    return {
        "": tr("No class"),
        "mirror": tr("Mirror"),
        "identical copy": tr("Identical copy"),
        "archive": tr("Archive"),
        "link collection": tr("Link collection"),
        "inclusion": tr("Inclusion"),
        "same site": tr("Same site"),
        "citation": tr("Citation"),
        "shared sentences": tr("Shared sentences"),
        "near-duplicate": tr("Near-duplicate"),
    }


def relation_meaning(name: str) -> str:
    """When a pair is of this class; "" for a class that is not known."""
    match name:
        case "":
            return tr("The method of this run does not say how the two documents are related.")
        case "mirror":
            return tr("Nearly the same text at similar addresses.")
        case "identical copy":
            return tr("Nearly the same text at addresses that are unlike or unknown: a copy, or a standard page.")
        case "archive":
            return tr("One page holds the other, at similar addresses, as a month holds its days.")
        case "link collection":
            return tr("One page holds the other and links to it; the addresses are unlike.")
        case "inclusion":
            return tr("One page holds the other without a link to it; the addresses are unlike or unknown.")
        case "same site":
            return tr("Part of the text is the same, at similar addresses.")
        case "citation":
            return tr("Part of the text is the same, and one page links to the other.")
        case "shared sentences":
            return tr("Part of the text is the same; no link, and the addresses are unlike or unknown.")
        case "near-duplicate":
            return tr("Nearly all of the text of one stands in the other.")
    return ""


def direction_word(direction: str, first: str = "A", second: str = "B") -> str:
    """Which page took from which."""
    match direction:
        case "a from b":
            return tr("{first} took from {second}", first=first, second=second)
        case "b from a":
            return tr("{first} took from {second}", first=second, second=first)
        case "cannot tell":
            return tr("Cannot be said")
    return direction


_COMPARED = re.compile(r"(R|Simpson|URL similarity) (\S+) (>|<=) (\S+?)(?:: (.+))?")


def step_words(step: str) -> str:
    """A step of the decision; one that is not known stays as the method wrote it."""
    found = _COMPARED.fullmatch(step)
    if found is None:
        return _steps().get(step, step)
    name, value, sign, limit, conclusion = found.groups()
    figure = {"R": tr("Resemblance"), "Simpson": tr("Simpson"), "URL similarity": tr("Address similarity")}[name]
    if sign == ">":
        said = tr("{figure} {value} is above {limit}", figure=figure, value=value, limit=limit)
    else:
        said = tr("{figure} {value} is not above {limit}", figure=figure, value=value, limit=limit)
    return f"{said}: {_steps().get(conclusion, conclusion)}" if conclusion else said


def _steps() -> dict[str, str]:
    return {
        "identical": tr("the pages are identical"),
        "inclusion": tr("one page holds the other"),
        "part of the text": tr("Only part of the text is the same"),
        "similar URL": tr("the addresses are similar"),
        "unlike URL": tr("The addresses are unlike"),
        "no URL known": tr("No address is known"),
        "link to the page it holds": tr("The page links to the one it holds"),
        "no link to the page it holds": tr("The page does not link to the one it holds"),
        "no link": tr("No page links to the other"),
        "link in both directions": tr("Each page links to the other"),
        "link from a to b": tr("A links to B"),
        "link from b to a": tr("B links to A"),
        "a was published before b": tr("A was published before B"),
        "b was published before a": tr("B was published before A"),
        "the dates are the same, no link": tr("The dates are the same, and there is no link"),
        "a date is missing, no link": tr("A date is missing, and there is no link"),
        "the dates are the same, links in both directions": tr("The dates are the same, and each links to the other"),
        "a date is missing, links in both directions": tr("A date is missing, and each links to the other"),
    }


def decision_steps(decision: str) -> list[str]:
    """The steps of a decision, in order."""
    return [step_words(step.strip()) for step in decision.split(";") if step.strip()]


def links_word(a_to_b: bool, b_to_a: bool) -> str:
    """Arrows for the links between the pages of a pair."""
    return ("A ↔ B" if b_to_a else "A → B") if a_to_b else "A ← B" if b_to_a else ""

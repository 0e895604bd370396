"""One of two reviewers who write to the same project at the same time."""

from __future__ import annotations

from multiprocessing.synchronize import Barrier
from pathlib import Path

from workbench.base.types import Label, Span
from workbench.services.labels.label_state import give
from workbench.services.review.exclusions import Exclusion, ExclusionKind, exclude, restore_excluded
from workbench.services.review.verdicts import Unit, give_verdict
from workbench.services.session import Session
from workbench.services.tagging import change_tags_of

ROUNDS = 15
LENGTH = 30


def unit(number: int) -> Unit:
    """The passage that both judge in round ``number``."""
    at = Span(number * LENGTH, (number + 1) * LENGTH)
    return Unit("s", "t", (at, at))


def phrase(who: str, number: int) -> Exclusion:
    """What ``who`` leaves out in round ``number``."""
    return Exclusion(ExclusionKind.PHRASE, f"phrase {number} of {who}")


def work(session: Session, who: str) -> None:
    """A verdict, a label, an exclusion (every other one is withdrawn) and a tag in each round."""
    for number in range(ROUNDS):
        give_verdict(session, unit(number), "copy" if who == "Ann" else "not-copy", f"{who} {number}", who)
        give(session, [Label("document:s", f"value {number}", who, "", label_set="class")])
        exclude(session, [phrase(who, number)], who, who)
        if number % 2:
            restore_excluded(session, [phrase(who, number)], who)
        change_tags_of(session, ["s", "t"], [f"{who.lower()}{number}"], [])


def review(project: Path, who: str, begin: Barrier) -> None:
    """All that ``who`` does, once the project is open for both."""
    with Session(project) as session:
        begin.wait(60)
        work(session, who)

"""One of two reviewers who write to the same project at the same time.

two_reviewers.py PROJECT WHO      prints "open", waits for a line, and ends when everything is written
"""

from __future__ import annotations

import sys
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


if __name__ == "__main__":
    with Session(Path(sys.argv[1])) as opened:
        print("open", flush=True)
        sys.stdin.readline()
        work(opened, sys.argv[2])

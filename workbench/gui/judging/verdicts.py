"""The verdicts as the window names, colours and keys them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import NamedTuple

from workbench.gui.i18n import current, tr
from workbench.gui.workspace.actions import Action
from workbench.services.labels.sets import PAIR_VALUES, UNDECIDED, MatchVerdict
from workbench.services.review.judgement import CONFLICT


class VerdictLook(NamedTuple):
    """Words, token roles, icon and key of a verdict."""

    value: str
    words: str
    short: str
    role: str
    icon: str
    key: str


def verdict_looks() -> tuple[VerdictLook, ...]:
    """The verdicts in key order."""
    return (
        VerdictLook(MatchVerdict.COPY, tr("Copy"), tr("Copy"), "danger", "circle-check", "1"),
        VerdictLook(MatchVerdict.PARTIAL, tr("Partial or common source"), tr("Partial"), "warn", "circle-half", "2"),
        VerdictLook(MatchVerdict.NOT_COPY, tr("Not a copy"), tr("Not a copy"), "ok", "circle-cross", "3"),
    )


def pair_looks() -> tuple[VerdictLook, ...]:
    """The verdicts on a pair of whole documents, in key order."""
    near, no, unknown = PAIR_VALUES
    return (
        VerdictLook(near, tr("Near-duplicate"), tr("Near-duplicate"), "danger", "circle-check", "1"),
        VerdictLook(unknown, tr("Cannot be said"), tr("Cannot be said"), "warn", "circle-half", "2"),
        VerdictLook(no, tr("Not a near-duplicate"), tr("Different"), "ok", "circle-cross", "3"),
    )


def decision_looks() -> tuple[VerdictLook, ...]:
    """The verdicts on a suspect as a whole, in key order."""
    looks = (look._replace(words=look.short, key=f"Alt+{look.key}") for look in verdict_looks())
    words = tr("Undecided")
    return *looks, VerdictLook(UNDECIDED, words, words, "accent", "info", "Alt+4")


def verdict_actions(
    view: str, looks: Sequence[VerdictLook], give: Callable[[str], object], enabled: Callable[[], bool], missing: str
) -> list[Action]:
    """An action of ``view`` for each of the verdicts ``looks``, which calls ``give`` with its value.

    ``missing`` says what they need while they are not ``enabled``.
    """
    return [
        Action(
            f"{view}.verdict-{look.value}",
            tr("Verdict: {words}", words=look.words),
            partial(give, look.value),
            look.key,
            view,
            look.icon,
            enabled,
            missing,
        )
        for look in looks
    ]


def pair_value(value: str) -> str:
    """The verdict on a pair that shares its key with a verdict on a passage; any other value as it is."""
    keys = {look.value: look.key for look in verdict_looks()}
    return {look.key: look.value for look in pair_looks()}.get(keys.get(value, ""), value)


def state_words(state: str) -> tuple[str, str]:
    """Short words and token role of a state: "open", a verdict, or that verdicts differ."""
    return _states(current()).get(state) or (tr("Open"), "text3")


@cache
def _states(_language: str) -> dict[str, tuple[str, str]]:
    """Words and roles of all states but "open" in a language: lists ask for them at every row."""
    looks = (*decision_looks(), *pair_looks(), *verdict_looks())
    return {look.value: (look.short, look.role) for look in looks} | {CONFLICT: (tr("Conflict"), "warn")}

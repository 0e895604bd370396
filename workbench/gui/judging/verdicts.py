"""The verdicts with their names, colours and keys in the window, and the current reviewer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial

from workbench.gui.i18n import current, say, tr
from workbench.gui.workspace.actions import Action
from workbench.gui.workspace.context import AppContext
from workbench.services.labels.verdicts import PAIR, PASSAGE, SUSPECT, Verdict
from workbench.services.review.judgement import CONFLICT, Reviewer


def viewer(context: AppContext) -> Reviewer:
    """The reviewer at the keyboard."""
    return context.viewer


def become(context: AppContext, name: str, *, blind: bool) -> None:
    """Make ``name`` the reviewer ("": the logged-in user), blind or not."""
    context.settings.reviewer, context.settings.blind = name, blind
    context.announce({"labels"})


def verdict_looks() -> tuple[Verdict, ...]:
    """The verdicts on a passage in the window's language."""
    return _translated(PASSAGE)


def pair_looks() -> tuple[Verdict, ...]:
    """The verdicts on a pair of whole documents in the window's language."""
    return _translated(PAIR)


def decision_looks() -> tuple[Verdict, ...]:
    """The verdicts on a suspect as a whole in the window's language."""
    return _translated(SUSPECT)


def _translated(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    return tuple(replace(verdict, words=say(verdict.words), short=say(verdict.short)) for verdict in verdicts)


def verdict_actions(
    view: str, looks: Sequence[Verdict], give: Callable[[str], object], enabled: Callable[[], bool], missing: str
) -> list[Action]:
    """An action of ``view`` for each verdict in ``looks``, which calls ``give`` with its value.

    ``missing`` describes the requirement while not ``enabled``.
    """
    return [
        Action(
            f"{view}.verdict-{look.value}",
            tr("Verdict: {words}", words=look.words),
            partial(give, look.value),
            look.key,
            view=view,
            icon=look.icon,
            enabled=enabled,
            needs=missing,
        )
        for look in looks
    ]


def state_words(state: str) -> tuple[str, str]:
    """Short text and token role of a state: "open", a verdict, or a conflict."""
    return _states(current()).get(state) or (tr("Open"), "text3")


@cache
def _states(_language: str) -> dict[str, tuple[str, str]]:
    """Texts and roles of all states except "open" in a language, cached because lists need them for every row."""
    looks = (*decision_looks(), *pair_looks(), *verdict_looks())
    return {look.value: (look.short, look.role) for look in looks} | {CONFLICT: (tr("Conflict"), "warn")}

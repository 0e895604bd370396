"""Giving verdicts: on passages, on pairs of whole documents, on suspects; and settling conflicts."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.base.messages import Message
from workbench.base.types import Label, Match, Span
from workbench.project import labels
from workbench.project.batches import batched
from workbench.project.clock import now
from workbench.project.database import Connection
from workbench.project.documents import texts_of
from workbench.project.listing import hashes_of, ids_of, keys_of
from workbench.services.labels.sets import ATTACHED, LABEL_SET, PAIR_LABELS, SUSPECT_LABELS, VALUES
from workbench.services.labels.targets import adjudicator, document_target, pair_target, passage_target
from workbench.services.review.judged_text import joined, side_digest
from workbench.services.review.judgement import Judgement
from workbench.services.review.verdict_index import VerdictIndex
from workbench.services.session import Session

State = tuple[str, str]
"""A verdict ("" for none) and a note."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The target of a verdict: the passage of ``a`` and ``b`` (ids) at ``spans``, the two as a whole, or suspect ``a``.

    Without ``spans`` it is the pair; without ``b`` the suspect. ``digest`` is the digest of the judged text if
    available (see :mod:`workbench.services.review.judged_text`); otherwise it is computed. ``keys`` are the documents
    with that text; 0: the newest one with the id.
    """

    a: str
    b: str = ""
    spans: tuple[Span, Span] | None = None
    digest: str = field(default="", compare=False)
    keys: tuple[int, int] = (0, 0)

    @property
    def by_id(self) -> dict[str, int]:
        """The keys of its documents by id."""
        return {name: key for name, key in zip((self.a, self.b), self.keys, strict=True) if name}

    @property
    def label_set(self) -> str:
        """The label set of its verdicts."""
        return SUSPECT_LABELS if not self.b else PAIR_LABELS if self.spans is None else LABEL_SET

    @property
    def target(self) -> str:
        """The name of the unit in the label log."""
        if not self.b:
            return document_target(self.a)
        if self.spans is None:
            return pair_target(self.a, self.b)
        return passage_target(self.a, self.spans[0], self.b, self.spans[1])


def passage_unit(match: Match, ids: Mapping[int, str]) -> Unit:
    """The passage of ``match``; ``ids`` maps keys of documents to imported ids."""
    return Unit(ids[match.a], ids[match.b], (match.a_span, match.b_span), keys=(match.a, match.b))


def reviewer() -> str:
    """The login name of this machine's user; empty if there is none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def judgement_of(session: Session, unit: Unit) -> Judgement | None:
    """All reviewers' verdicts on ``unit``, whether they differ, and the settled one; None if there are no verdicts.

    A verdict on a passage with other limits counts if it carries over to ``unit`` alone; the passages of a run are read
    together with :meth:`~workbench.services.review.verdict_index.PairVerdicts.on`.
    """
    with session.read() as connection:
        return _judgement(session.verdicts.follow(connection), unit)


def _judgement(index: VerdictIndex, unit: Unit) -> Judgement | None:
    if unit.spans is None:
        return index.whole(unit.label_set, unit.target, unit.by_id)
    return index.of(unit.a, unit.b).at(*unit.spans, unit.keys)


def set_verdict(session: Session, match: Match, value: str, note: str = "", who: str = "") -> Label:
    """Like :func:`give_verdict` on the passage of ``match``."""
    with session.read() as connection:
        ids = ids_of(connection, [match.a, match.b])
    return give_verdict(session, passage_unit(match, ids), value, note, who)


def give_verdict(session: Session, unit: Unit, value: str, note: str = "", who: str = "") -> Label:
    """Append the verdict of ``who`` on ``unit``; an empty ``value`` withdraws it. Others' verdicts are unchanged.

    Raises ValueError for an unknown verdict.
    """
    event = _event(unit, (value, note), who)
    with session.write() as connection:
        return labels.add_label(connection, _signed(connection, [unit], [event])[0])


def give_note(session: Session, unit: Unit, note: str, who: str = "", carried: str = "") -> Label:
    """Append a note of ``who`` on ``unit``, keeping the current verdict, if any.

    ``carried`` is a verdict that carries over to the passage in its run, if it has none of its own.
    """
    who = who or reviewer()
    with session.write() as connection:
        value = state_of(session.verdicts.follow(connection), unit, who)[0] or carried
        event = _event(unit, (value, note), who)
        return labels.add_label(connection, _signed(connection, [unit], [event])[0])


def settle(session: Session, unit: Unit, value: str, note: str = "", who: str = "") -> Label:
    """Settle the verdict on ``unit``, in addition to the reviewers' verdicts; "" reopens it.

    Raises ValueError for an unknown verdict.
    """
    return give_verdict(session, unit, value, note, adjudicator(who or reviewer()))


def judge(session: Session, units: Sequence[Unit], value: str, who: str = "", note: str = "") -> list[State]:
    """Append the verdict of ``who`` ("" withdraws) on each of ``units``, keeping notes unless there is a new ``note``;
    returns previous states.

    All or none of them are written. Raises ValueError for an unknown verdict.
    """
    who = who or reviewer()
    with session.write() as connection:
        index = session.verdicts.follow(connection)
        before = [state_of(index, unit, who) for unit in units]
        events = [_event(unit, (value, note or kept), who) for unit, (_, kept) in zip(units, before, strict=True)]
        labels.add_labels(connection, _signed(connection, units, events))
    return before


def state_of(index: VerdictIndex, unit: Unit, who: str) -> State:
    """The verdict of ``who`` on ``unit``; a note may exist without a verdict."""
    if unit.spans is None:
        last = index.last(unit.label_set, unit.target, who, unit.by_id)
    else:
        last = index.of(unit.a, unit.b).last(*unit.spans, who, unit.keys)
    return ("", "") if last is None else (last.value, last.note)


def restore(session: Session, units: Sequence[Unit], states: Sequence[State], who: str = "") -> None:
    """Restore the previous state of ``who`` on each of ``units``; raises ValueError if the numbers differ."""
    events = [_event(unit, state, who) for unit, state in zip(units, states, strict=True)]
    with session.write() as connection:
        labels.add_labels(connection, _signed(connection, units, events))


def attach(session: Session, target: str, unit: Unit | None, who: str = "") -> Label:
    """Attach the verdicts on the passage named ``target`` to the passage ``unit`` of the same pair; None detaches them.

    The verdicts keep their names and times; the attachment, with its author, is a separate event.
    """
    event = Label(target, "" if unit is None else unit.target, who or reviewer(), "", label_set=ATTACHED)
    with session.write() as connection:
        return labels.add_label(connection, event)


def history(session: Session, unit: Unit, judgement: Judgement | None = None) -> list[Label]:
    """Every verdict and note on ``unit`` and the passages from which ``judgement`` was carried over, oldest first."""
    with session.read() as connection:
        own = labels.history(connection, [unit.target], unit.label_set)
        rest = [] if judgement is None else events_of(connection, judgement, apart=unit.target)
    return sorted([*own, *rest], key=lambda event: event.when)


def judged_events(session: Session, unit: Unit, judgement: Judgement | None = None) -> list[tuple[Label, bool]]:
    """:func:`history` with whether each event is about the text of ``unit``. Of those that are, ``old`` is the verdict
    before on this text.
    """
    events = history(session, unit, judgement)
    with session.read() as connection:
        of_text = session.verdicts.follow(connection).of_texts(events, unit.a, unit.b, unit.keys)
    before: dict[tuple[str, bool], str] = {}
    result = []
    for event, same in zip(events, of_text, strict=True):
        result.append((replace(event, old=before.get((event.who, same), "")), same))
        before[event.who, same] = event.value
    return result


def events_of(connection: Connection, judgement: Judgement, apart: str = "") -> list[Label]:
    """Every verdict and note on the passages that the verdicts of ``judgement`` were given for, oldest first.

    Events on the target ``apart`` are excluded.
    """
    verdicts = (*judgement.verdicts, *((judgement.settled,) if judgement.settled else ()))
    subjects = {(label.target, label.label_set): None for label in verdicts if label.target != apart}
    events = [event for target, of in subjects for event in labels.history(connection, [target], of)]
    return sorted(events, key=lambda event: event.when)


def expected_label(unit: Unit, state: State, who: str) -> Label:
    """The label that :func:`give_verdict` will write now. Raises ValueError for an unknown verdict."""
    return replace(_event(unit, state, who), when=now())


def _event(unit: Unit, state: State, who: str) -> Label:
    value, note = state
    if value and value not in VALUES[unit.label_set]:
        raise ValueError(Message("{value} is not a verdict that can be given here.", value=repr(value)))
    return Label(unit.target, value, who or reviewer(), "", note, label_set=unit.label_set, digest=unit.digest)


def _signed(connection: Connection, units: Sequence[Unit], events: Sequence[Label]) -> list[Label]:
    """``events`` on ``units`` with the digests of the judged texts, even if the units have none."""
    unsigned = [unit for unit in units if not unit.digest]
    newest = keys_of(connection, [name for unit in unsigned for name, key in unit.by_id.items() if not key])
    whole: set[int] = set()
    spans: dict[int, set[Span]] = {}
    for unit in unsigned:
        for at, key in enumerate(_keys(unit, newest)):
            if unit.spans is None:
                whole.add(key)
            else:
                spans.setdefault(key, set()).add(unit.spans[at])
    known: dict[tuple[int, Span | None], str] = {
        (key, span): side_digest(text[span.start : span.end])
        for some in batched([*spans])
        for key, text in texts_of(connection, some)
        for span in spans[key]
    }
    known |= {(key, None): text.hex() for key, text in hashes_of(connection, [*whole]).items()}
    signed = []
    for unit, event in zip(units, events, strict=True):
        if not unit.digest:
            of = unit.spans or (None, None)
            texts = [known.get(side, "") for side in zip(_keys(unit, newest), of, strict=False)]
            event = replace(event, digest=joined(*texts) if len(texts) > 1 else texts[0]) if all(texts) else event
        signed.append(event)
    return signed


def _keys(unit: Unit, newest: Mapping[str, int]) -> list[int]:
    """The documents of ``unit``, 0 for an unknown one; those of a pair as a whole in the order of its target."""
    by_id = unit.by_id
    return [by_id[name] or newest.get(name, 0) for name in (by_id if unit.spans else sorted(by_id))]

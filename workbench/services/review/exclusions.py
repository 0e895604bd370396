"""Exclusions from the count by reviewers, with reasons: append-only, each can be undone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from workbench.base.messages import Message
from workbench.base.types import Label, Match, Span
from workbench.project import labels
from workbench.project.database import Connection
from workbench.project.documents import texts_of
from workbench.project.followed_labels import current_followed
from workbench.project.imports import versions
from workbench.services.labels.sets import EXCLUSIONS
from workbench.services.labels.targets import passage_spans, passage_target
from workbench.services.review.judged_text import JudgedTexts
from workbench.services.review.verdicts import reviewer
from workbench.services.session import Session
from workbench.text.finding import as_read
from workbench.text.tokens import UNSPACED_CLASS

_PREFIX = "exclusion:"
_IN_FORCE = "excluded"


class ExclusionKind(StrEnum):
    """What is excluded: a passage, all from a source or a site, a phrase wherever it occurs, passages below a length in
    characters, or quotations, references, or notes.

    ``BELOW``, passages that score less than the project's threshold, is derived and not stored.
    """

    PASSAGE = "passage"
    SOURCE = "source"
    SITE = "site"
    PHRASE = "phrase"
    SHORTER = "shorter"
    QUOTATIONS = "quotations"
    REFERENCES = "references"
    NOTES = "notes"
    BELOW = "below"


OF_CITATIONS = (ExclusionKind.QUOTATIONS, ExclusionKind.REFERENCES, ExclusionKind.NOTES)
"""The kinds for text marked as another author's."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """An exclusion from the count.

    ``what``: the name of the passage (see :func:`workbench.services.labels.targets.passage_target`), the id of the
    source, the site, the phrase, the minimum length or score that counts; empty for quotations, references and notes.
    ``suspect`` is the id of the document it applies to, empty for all. ``place`` is the present name of a passage in
    texts that have changed since (see :func:`in_texts`); None: it is ``what``.
    """

    kind: ExclusionKind
    what: str = ""
    suspect: str = ""
    reason: str = ""
    who: str = ""
    when: str = ""
    place: str | None = field(default=None, compare=False)

    @property
    def target(self) -> str:
        """The name of the exclusion in the label log."""
        return _PREFIX + json.dumps([self.kind.value, self.what, self.suspect], ensure_ascii=False)


def of_passage(match: Match, a: str, b: str) -> Exclusion:
    """The exclusion of the passage of ``match`` between the documents ``a`` and ``b`` (ids)."""
    return Exclusion(ExclusionKind.PASSAGE, passage_target(a, match.a_span, b, match.b_span), a)


def parse_exclusion(target: str) -> Exclusion | None:
    """The exclusion that ``target`` names; None for other targets."""
    if not target.startswith(_PREFIX):
        return None
    try:
        kind, what, suspect = json.loads(target.removeprefix(_PREFIX))
        exclusion = Exclusion(ExclusionKind(kind), what, suspect)
    except (ValueError, TypeError, RecursionError):
        return None
    if not (isinstance(what, str) and isinstance(suspect, str)) or exclusion.kind is ExclusionKind.BELOW:
        return None
    if exclusion.target != target:
        return None  # With another spelling, undoing it would not find it.
    return None if exclusion.kind is ExclusionKind.SHORTER and not least_length(what) else exclusion


def least_length(what: str) -> int:
    """The minimum length that counts, in characters; 0 if ``what`` is not such a number."""
    return int(what) if re.fullmatch(r"[1-9][0-9]{0,8}", what) else 0


def exclusions(connection: Connection, suspect: str | None = None) -> list[Exclusion]:
    """The current exclusions, oldest first; with a document (id), those that apply to it."""
    chosen = []
    for target, label in current_followed(connection, EXCLUSIONS).items():
        parsed = parse_exclusion(target)
        if parsed is not None and label.value == _IN_FORCE and (suspect is None or parsed.suspect in ("", suspect)):
            chosen.append(Exclusion(parsed.kind, parsed.what, parsed.suspect, label.note, label.who, label.when))
    return sorted(chosen, key=lambda e: e.when)


def in_texts(
    connection: Connection, chosen: Sequence[Exclusion], suspect: int, sources: Mapping[int, str]
) -> list[Exclusion]:
    """``chosen``, with the places of passages in the texts of document ``suspect`` (key) and of ``sources`` (ids by
    key), which may have changed since; empty if the text is gone.
    """
    several = versions(connection) if any(e.kind is ExclusionKind.PASSAGE for e in chosen) else {}
    if not several:
        return [*chosen]
    texts = JudgedTexts(lambda key: next((text for _, text in texts_of(connection, [key])), ""))
    texts.follow(several)

    def placed(exclusion: Exclusion) -> Exclusion:
        for key, source in sources.items() if exclusion.kind is ExclusionKind.PASSAGE else ():
            names = exclusion.suspect, source
            spans = passage_spans(exclusion.what, *names)
            if spans is None or not texts.changed(*names):
                continue
            a, b = (texts.now(*of, "", exclusion.when) for of in zip(names, (suspect, key), spans, strict=True))
            return replace(exclusion, place="" if a is None or b is None else passage_target(names[0], a, names[1], b))
        return exclusion

    return [placed(exclusion) for exclusion in chosen]


def exclude(session: Session, chosen: Sequence[Exclusion], reason: str = "", who: str = "") -> None:
    """Exclude ``chosen`` from the count, all or none. Raises ValueError for an invalid exclusion."""
    for exclusion in chosen:
        if parse_exclusion(exclusion.target) is None or (exclusion.kind not in OF_CITATIONS and not exclusion.what):
            raise ValueError(Message("This cannot be excluded: {what}.", what=exclusion.target))
    _append(session, chosen, _IN_FORCE, reason, who)


def restore_excluded(session: Session, chosen: Sequence[Exclusion], who: str = "") -> None:
    """Count ``chosen`` again, all or none."""
    _append(session, chosen, "", "", who)


def _append(session: Session, chosen: Iterable[Exclusion], value: str, reason: str, who: str) -> None:
    name = who or reviewer()
    events = [
        Label(exclusion.target, value, name, "", reason or exclusion.reason, label_set=EXCLUSIONS)
        for exclusion in chosen
    ]
    with session.write() as connection:
        labels.add_labels(connection, events)


_WORD = f"[^\\W{UNSPACED_CLASS}\uac00-\ud7a3]"
"""A letter or digit that a space separates from the next word; not Hangul, since particles follow a word directly."""


def occurrences(phrase: str, text: str) -> list[Span]:
    """Where ``phrase`` occurs in ``text`` as it reads (see :func:`workbench.text.finding.find_all`); not within longer
    words ("in" in "begin").
    """
    words = phrase.strip()
    if not words:
        return []
    before = f"(?<!{_WORD})" if re.match(_WORD, words[0]) else ""
    after = f"(?!{_WORD})" if re.match(_WORD, words[-1]) else ""
    return [Span(*match.span()) for match in re.finditer(before + as_read(words) + after, text, re.IGNORECASE)]


def described(exclusion: Exclusion) -> Message:
    """An exclusion in words; a source by its id."""
    kind, what = exclusion.kind, exclusion.what
    if kind is ExclusionKind.PASSAGE:
        spans = re.fullmatch(r"match:.*?:(\d+)-(\d+):.*", exclusion.place or what, re.DOTALL)
        return Message("The passage at characters {span}", span="–".join(spans.groups()) if spans else what)
    by_kind = {
        ExclusionKind.SOURCE: Message("All passages from {source}", source=what),
        ExclusionKind.SITE: Message("All passages from the site {site}", site=what),
        ExclusionKind.PHRASE: Message("The phrase “{phrase}”, wherever it occurs", phrase=what),
        ExclusionKind.SHORTER: Message("Passages with fewer than {count} characters", count=what),
        ExclusionKind.QUOTATIONS: Message("Quotations in the text"),
        ExclusionKind.REFERENCES: Message("Reference lists"),
        ExclusionKind.NOTES: Message("Notes"),
        ExclusionKind.BELOW: Message("Passages that score less than {score}", score=what),
    }
    return by_kind[kind]

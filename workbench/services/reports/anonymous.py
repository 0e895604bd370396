"""Anonymous reports: documents and reviewers get numbers, and the key to them is a separate file."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from workbench.base.options import FILE
from workbench.base.types import Document, Label, Run, Span, text_hash
from workbench.methods.core import registry
from workbench.project.documents import load_document
from workbench.services.labels.sets import ATTACHED
from workbench.services.labels.targets import (
    adjudicator,
    document_target,
    is_adjudicator,
    pair_target,
    parse_document,
    parse_pair,
    passage_target,
    passages,
    person,
)
from workbench.services.reports.data import ReportDocument
from workbench.services.reports.decisions import Decision, decisions_about
from workbench.services.review.exclusions import Exclusion, ExclusionKind, parse_exclusion
from workbench.services.review.judgement import Judgement
from workbench.services.review.pairs import PairRow
from workbench.services.session import Session
from workbench.text.finding import as_read, beginnings

MASK = "█"
_SHORTEST = 3
"""Minimum length of a name in Latin script that is searched in running text."""
_NUMBER = "([0-9]{1,15})"
_SPANS = re.compile(f"{_NUMBER}-{_NUMBER}:.*:{_NUMBER}-{_NUMBER}", re.DOTALL)
"""The name of a passage after the id of its first document."""


@dataclass(frozen=True, slots=True)
class Disguise:
    """New names by old: of documents (ids) and of people. ``names`` are those for the groups of the pattern of names.

    In the texts of documents a name is masked by as many MASKs, so that positions do not change; in notes it is
    replaced by the new name.
    """

    documents: Mapping[str, str]
    people: Mapping[str, str]
    names: Sequence[str]
    project: str = "Project"
    _pattern: re.Pattern[str] | None = field(default=None, repr=False)

    def mask(self, text: str) -> str:
        """The text of a document with every name masked; its length does not change."""
        return text if self._pattern is None else self._pattern.sub(lambda name: MASK * len(name[0]), text)

    def words(self, text: str) -> str:
        """The text of a note with every name replaced."""
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda name: self.names[(name.lastindex or 1) - 1], text)

    def document(self, facts: ReportDocument) -> ReportDocument:
        """A document with its new name, without other identifying data."""
        old = facts.document
        text = self.mask(old.text)
        new = replace(
            old,
            id=self.documents[old.id],
            text=text,
            title="",
            url="",
            site="",
            origin="",
            links=(),
            anchors=(),
            markup="",
            tags=(),
        )
        return replace(facts, document=new, sha256=text_hash(text).hex(), body_sha256="")

    def run(self, run: Run) -> Run:
        """A run without its message, the tags that it is limited to, and the folders of files that it used: these may
        name people.
        """
        masked: dict[str, Any] = {name: MASK for name in ("suspect_tags", "source_tags") if run.parameters.get(name)}
        for spec in registry.get(run.method).parameters.specs():
            if spec.kind == FILE and (path := run.parameters.get(spec.name)):
                masked[spec.name] = PurePath(str(path).replace("\\", "/")).name
        return replace(run, message="", parameters={**run.parameters, **masked})

    def label(self, label: Label) -> Label:
        """A decision under the new names, without the hash of the text, by which masked names could be guessed."""
        return replace(
            label,
            digest="",
            target=self.target(label.target),
            value=self._value(label.label_set, label.value),
            old=self._value(label.label_set, label.old),
            who=self.person(label.who),
            note=self.words(label.note),
        )

    def person(self, who: str) -> str:
        """An annotator under the new name; adjudicators are still shown as such."""
        name = person(who)
        return adjudicator(self.people.get(name, name)) if is_adjudicator(who) else self.people.get(who, who)

    def judgement(self, judgement: Judgement) -> Judgement:
        """The judgement of all reviewers, under the new names."""
        return replace(
            judgement,
            verdicts=tuple(map(self.label, judgement.verdicts)),
            settled=None if judgement.settled is None else self.label(judgement.settled),
            carried=frozenset(map(self.person, judgement.carried)),
            attached=tuple((self.person(who), self.person(by)) for who, by in judgement.attached),
        )

    def _value(self, label_set: str, value: str) -> str:
        """A value of a label; only attached verdicts have values that name a passage."""
        return self.target(value) if label_set == ATTACHED and value else value

    def target(self, target: str) -> str:
        """The target of a label, under the new names."""
        if (identity := parse_document(target)) is not None:
            return document_target(self.documents.get(identity, MASK))
        if (pair := parse_pair(target)) is not None:
            return pair_target(*(self.documents.get(identity, MASK) for identity in pair))
        if (exclusion := parse_exclusion(target)) is not None:
            return self.exclusion(exclusion).target
        for a, a_span, b, b_span in passages(target, self.documents.keys()):
            return passage_target(self.documents[a], a_span, self.documents[b], b_span)
        return self.words(target)

    def decision(self, decision: Decision) -> Decision:
        """A decision of the log under the new names."""
        return replace(decision, label=self.label(decision.label))

    def row(self, row: PairRow) -> PairRow:
        """A pair of the summary under the new names."""
        return replace(row, a_id=self.documents[row.a_id], b_id=self.documents[row.b_id], a_title="", b_title="")

    def exclusion(self, exclusion: Exclusion) -> Exclusion:
        """An exclusion, under the new names."""
        what, kind = exclusion.what, exclusion.kind
        if kind is ExclusionKind.BELOW:
            return replace(exclusion, who="")
        if kind is ExclusionKind.SOURCE:
            what = self.documents.get(what, MASK)
        elif kind is ExclusionKind.PASSAGE:
            what = self._passage(what, exclusion.suspect)
        elif kind is ExclusionKind.SITE:
            what = MASK
        elif kind is ExclusionKind.PHRASE:
            what = self.mask(what)
        return replace(
            exclusion,
            what=what,
            suspect=self.documents.get(exclusion.suspect, MASK) if exclusion.suspect else "",
            reason=self.words(exclusion.reason),
            who=self.person(exclusion.who),
        )

    def _passage(self, target: str, suspect: str) -> str:
        """The name of an excluded passage of ``suspect``; its source may be a document outside the report."""
        if any(passages(target, self.documents.keys())):
            return self.target(target)
        start = f"match:{suspect}:"
        spans = _SPANS.fullmatch(target, len(start)) if target.startswith(start) else None
        if spans is None:
            return MASK
        a_start, a_end, b_start, b_end = map(int, spans.groups())
        return passage_target(self.documents.get(suspect, MASK), Span(a_start, a_end), MASK, Span(b_start, b_end))

    def mapping(self) -> dict[str, Any]:
        """Old names by new ones, to be stored separately from the report."""
        return {
            "documents": {new: old for old, new in self.documents.items()},
            "reviewers": {new: old for old, new in self.people.items()},
        }


def disguise_of(session: Session, rows: Sequence[PairRow]) -> Disguise:
    """New names for the documents of ``rows`` (numbered in their order) and for their reviewers."""
    suspects = {row.a_id: f"suspect-{number}" for number, row in enumerate({r.a_id: r for r in rows}.values(), 1)}
    sources = [identity for identity in dict.fromkeys(row.b_id for row in rows) if identity not in suspects]
    documents = suspects | {identity: f"source-{number}" for number, identity in enumerate(sources, 1)}
    keys = {row.a_id: row.a for row in rows} | {row.b_id: row.b for row in rows}
    with session.read() as connection:
        decisions = decisions_about(connection, [row.as_compared for row in rows])
        written = {identity: _names_of(load_document(connection, keys[identity])) for identity in documents}
    people = {
        who: f"reviewer-{number}"
        for number, who in enumerate(dict.fromkeys(person(d.label.who) for d in decisions if person(d.label.who)), 1)
    }
    return disguise(documents, people, written)


def disguise(documents: Mapping[str, str], people: Mapping[str, str], written: Mapping[str, Iterable[str]]) -> Disguise:
    """Like :func:`disguise_of`; ``written`` contains other names of documents by id."""
    spelled: dict[str, str] = {}
    for identity, new in documents.items():
        for name in (identity, *written.get(identity, ())):
            spelled.setdefault(name.strip(), new)
    for who, new in people.items():
        spelled.setdefault(who.strip(), new)
    # At each place of a text, only the names that begin so are tried; there may be thousands.
    alike: defaultdict[frozenset[str], list[str]] = defaultdict(list)
    for name in sorted(filter(_is_recognisable, spelled), key=len, reverse=True):
        alike[beginnings(name)].append(name)
    sought = [name for names in alike.values() for name in names]
    patterns = (
        f"(?=[{''.join(map(re.escape, sorted(first)))}])(?:{'|'.join(map(_as_word, names))})"
        for first, names in alike.items()
    )
    pattern = re.compile("|".join(patterns), re.IGNORECASE) if sought else None
    return Disguise(documents, people, [spelled[name] for name in sought], _pattern=pattern)


def _names_of(document: Document) -> tuple[str, ...]:
    pieces = document.origin.replace("\\", "/").split("!")
    # A name in an archive, or one that contains exclamation marks itself.
    paths = [PurePath("!".join(pieces[at:])) for at in range(len(pieces))]
    files = (name for path in paths if not path.name.startswith(".") for name in (path.name, path.stem))
    return (document.title, document.url, document.origin, *files)


def _is_recognisable(name: str) -> bool:
    """Whether ``name`` is recognisable in running text: not a number or a single letter."""
    return not name.isdigit() and len(name) >= (_SHORTEST if name.isascii() else 2)


def _as_word(name: str) -> str:
    """A pattern whose group is all that reads like ``name``; if ``name`` begins or ends with a Latin letter or digit,
    only as a whole word.
    """
    before = r"(?<![A-Za-z0-9])" if name[0].isascii() and name[0].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if name[-1].isascii() and name[-1].isalnum() else ""
    return f"{before}({as_read(name)}){after}"

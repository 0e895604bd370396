"""Which labels of several annotators count together, and the value they settle on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from workbench.base.types import Label, Span
from workbench.project import labels
from workbench.project.batches import batched
from workbench.project.database import Connection
from workbench.project.documents import texts_of
from workbench.project.imports import present_version, version_at, versions
from workbench.project.listing import current_ids
from workbench.services.labels.rows import UNRESOLVED
from workbench.services.labels.sets import unknown_set
from workbench.services.labels.targets import (
    PASSAGE_PREFIX,
    document_target,
    ids_in,
    is_adjudicator,
    parse_document,
    parse_pair,
    parse_passage,
)
from workbench.services.review.judged_text import side_digest, sides
from workbench.services.session import Session

_TEXTS = 500
"""Number of documents whose texts are requested at a time; one text is in memory at a time."""


def _texts_of(connection: Connection, keys: Iterable[int]) -> Iterator[tuple[int, str]]:
    for some in batched(sorted(keys), _TEXTS):
        yield from texts_of(connection, some)


class LabelledTexts:
    """Which labels were given for another text of a document than its present one: an earlier one, or one that undo
    has replaced by an earlier one. A passage whose words are unchanged in the present text, wherever they moved, is the
    same in both.

    Passages are known from the labels of ``label_set``, by default of all.
    """

    def __init__(self, connection: Connection, label_set: str | None = None) -> None:
        prefix = document_target("")
        named = {parse_document(target) or "" for target in labels.digests(connection, prefix)}
        self._versions = versions(connection, named)
        self._known = current_ids(connection).union(self._versions) if self._versions else frozenset[str]()
        self._present = {name: present_version(of_id) for name, of_id in self._versions.items()}
        self._passages = self._read_passages(connection, label_set) if self._versions else {}

    def _read_passages(self, connection: Connection, label_set: str | None) -> dict[tuple[str, str], dict[str, str]]:
        """By target and digest of passages, the digest of the whole text that each id's side is in; without a digest by
        target and the digest of each text that it may have been given for.
        """
        by_target = labels.digests(connection, PASSAGE_PREFIX, label_set, unsigned=True)
        passages = {
            target: parsed for target in by_target if (parsed := parse_passage(target, self._known)) is not None
        }
        spans: dict[str, set[Span]] = {}
        for a, a_span, b, b_span in passages.values():
            for name, span in ((a, a_span), (b, b_span)):
                if name in self._versions:
                    spans.setdefault(name, set()).add(span)
        by_key, kept = self._read_sides(connection, spans)
        known: dict[tuple[str, str], dict[str, str]] = {}
        for target, passage in passages.items():
            for at, (name, span) in enumerate((passage[:2], passage[2:])):
                of_id = self._versions.get(name, ())
                wanted = {digest: sides(digest)[at] for digest in by_target[target] if digest}
                if "" in by_target[target]:
                    wanted |= {version.text: by_key[version.key, span] for version in of_id}
                texts = {by_key[version.key, span]: version.text for version in of_id}
                for digest, side in wanted.items():
                    if side and of_id:
                        there = self._present[name].text if (name, side) in kept else texts.get(side, side)
                        known.setdefault((target, digest), {})[name] = there
        return known

    def _read_sides(
        self, connection: Connection, spans: Mapping[str, set[Span]]
    ) -> tuple[dict[tuple[int, Span], str], set[tuple[str, str]]]:
        """The digests of what is at the ``spans`` of each id in each of its texts, by document and span; and those,
        with their ids, whose words are in the present text, wherever.
        """
        of = {version.key: name for name in spans for version in self._versions[name]}
        present = {self._present[name].key: name for name in spans}
        digests: dict[tuple[int, Span], str] = {}
        kept: set[tuple[str, str]] = set()
        moved: dict[str, dict[str, str]] = {}
        for key, text in _texts_of(connection, present):
            digests |= {(key, span): side_digest(text[span.start : span.end]) for span in spans[of[key]]}
            kept |= {(of[key], digests[key, span]) for span in spans[of[key]]}
        for key, text in _texts_of(connection, of.keys() - present):
            for span in spans[name := of[key]]:
                side = text[span.start : span.end]
                digests[key, span] = side_digest(side)
                if (name, digests[key, span]) not in kept and (words := "".join(side.split())):
                    moved.setdefault(name, {})[digests[key, span]] = words
        for key, text in _texts_of(connection, (key for key, name in present.items() if name in moved)):
            words_now = "".join(text.split())
            kept |= {(of[key], side) for side, words in moved[of[key]].items() if words in words_now}
        return digests, kept

    def is_of_other(self, label: Label) -> bool:
        """Whether ``label`` was given for another text than the present one of one of its documents."""
        return any(digest != self._present[name].text for name, digest in self._texts(label))

    def present(self, target: str) -> str:
        """What identifies the present text of the document that ``target`` names; "" if it has had only one."""
        version = self._present.get(parse_document(target) or "")
        return "" if version is None else version.text

    def digest(self, label: Label) -> str:
        """What identifies the text of the document that ``label`` was given for; "" if it has had only one."""
        texts = self._texts(label) if parse_document(label.target) is not None else []
        return label.digest or next((digest for _, digest in texts), "")

    def counted(self, by: Mapping[str, Label]) -> dict[str, Label]:
        """Those of an item's labels ``by`` annotator that count together: the ones given for its newest labelled text,
        the present one if any was.
        """
        if not self._versions:
            return dict(by)
        texts = {who: self._texts(label) for who, label in by.items()}
        latest = max(texts.values(), key=self._age, default=[])
        return {who: label for who, label in by.items() if texts[who] == latest}

    def _age(self, texts: list[tuple[str, str]]) -> list[tuple[bool, int]]:
        """Orders texts of an item: the present one last, before it the newest."""
        ages = []
        for name, digest in texts:
            places = [at for at, version in enumerate(self._versions[name]) if version.text == digest]
            ages.append((self._present[name].text == digest, max(places, default=-1)))
        return ages

    def _texts(self, label: Label) -> list[tuple[str, str]]:
        """The digest of the text that ``label`` was given for of each document that has had several."""
        names = [name for name in ids_in(label.target, self._known) if name in self._versions] if self._versions else []
        known: dict[str, str] = {}
        if label.digest and (identity := parse_document(label.target)) is not None:
            known = {identity: label.digest}
        elif label.digest and (pair := parse_pair(label.target)) is not None:
            known = dict(zip(pair, label.digest.split(":"), strict=False))
        elif label.digest:
            known = self._passages.get((label.target, label.digest), {})
        return [(name, known.get(name) or self._by_time(label, name)) for name in names]

    def _by_time(self, label: Label, name: str) -> str:
        text = version_at(self._versions[name], label.when).text
        return self._passages.get((label.target, text), {}).get(name, text)


def labels_that_count(
    connection: Connection, label_set: str, texts: LabelledTexts | None = None
) -> dict[str, dict[str, Label]]:
    """Each annotator's label of each target, those that count together (:meth:`LabelledTexts.counted`)."""
    texts = texts or LabelledTexts(connection, label_set)
    return {target: texts.counted(by) for target, by in labels.by_annotator(connection, label_set).items()}


@dataclass(frozen=True, slots=True)
class Settled:
    """The settled result for a target: ``value`` ("" if unresolved) and how it was determined. ``of_other``: the labels
    were given for another text than the present one.

    ``how`` is adjudicator, single (one annotator alone labelled it), unanimous, majority (more than half of the
    annotators), or unresolved; ``votes`` maps annotators to values.
    """

    value: str
    how: str
    votes: Mapping[str, str]
    of_other: bool = False


def settle(votes: Mapping[str, str]) -> Settled:
    """The settled value of one target from its labels, by annotator, in chronological order."""
    judged = [value for who, value in votes.items() if is_adjudicator(who)]
    choices = {who: value for who, value in votes.items() if not is_adjudicator(who)}
    if judged:
        return Settled(judged[-1], "adjudicator", choices)
    (value, count), *_ = Counter(choices.values()).most_common(1)
    if count == len(choices):
        return Settled(value, "unanimous" if count > 1 else "single", choices)
    if 2 * count > len(choices):
        return Settled(value, "majority", choices)
    return Settled("", UNRESOLVED, choices)


def settled(session: Session, label_set: str) -> dict[str, Settled]:
    """The settled result for each target of ``label_set``. Raises UserError if the set has no labels."""
    with session.read() as connection:
        texts = LabelledTexts(connection, label_set)
        by_target = labels_that_count(connection, label_set, texts)
        if not by_target:
            raise unknown_set(label_set, labels.label_sets(connection))
    return {target: settle_labels(by, texts) for target, by in by_target.items()}


def settle_labels(by: Mapping[str, Label], texts: LabelledTexts) -> Settled:
    """The settled result of the labels ``by`` annotator that count together, in chronological order."""
    state = settle({who: label.value for who, label in by.items()})
    return replace(state, of_other=any(map(texts.is_of_other, by.values())))


def settled_values(connection: Connection, label_set: str) -> dict[str, str]:
    """The settled value of each target of ``label_set``, "" if it is unresolved; none if the set has no labels."""
    by_target = labels_that_count(connection, label_set).items()
    return {target: settle({who: label.value for who, label in by.items()}).value for target, by in by_target}

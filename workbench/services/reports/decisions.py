"""The decisions behind a report, as a log in which each entry is chained to the previous one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from workbench.base.types import Label
from workbench.project import labels
from workbench.project.database import Connection
from workbench.services.labels.sets import ATTACHED, LABEL_SET, PAIR_LABELS, SUSPECT_LABELS
from workbench.services.labels.targets import parse_document, parse_pair, passages
from workbench.services.review.exclusions import parse_exclusion
from workbench.services.review.judgement import Reviewer
from workbench.services.review.pairs import ANYBODY


@dataclass(frozen=True, slots=True)
class Decision:
    """One event of the project's label log: its ``number`` there, and its ``link`` in that log's chain."""

    number: int
    label: Label
    link: bytes


def decisions_about(
    connection: Connection, pairs: Collection[tuple[str, str]], viewer: Reviewer = ANYBODY
) -> list[Decision]:
    """The decisions about ``pairs`` of documents (ids), their passages, or one of their documents; oldest first.

    Verdicts hidden from ``viewer`` are left out, without gaps in the numbers.
    """
    wanted, known = set(pairs), {identity for pair in pairs for identity in pair}
    decisions = [
        Decision(number, label, link)
        for number, label, link in labels.chained(connection)
        if _concerns(label.target, wanted, known)
    ]
    if not viewer.blind:
        return decisions
    own = {(d.label.label_set, d.label.target): d.label.value for d in decisions if d.label.who == viewer.name}
    hidden = {LABEL_SET, PAIR_LABELS, SUSPECT_LABELS, ATTACHED}
    seen = [
        d.label
        for d in decisions
        if d.label.label_set not in hidden or d.label.who == viewer.name or own.get((d.label.label_set, d.label.target))
    ]
    return [Decision(number, label, b"") for number, label in enumerate(seen, 1)]


def _concerns(target: str, pairs: Collection[tuple[str, str]], known: Collection[str]) -> bool:
    if (identity := parse_document(target)) is not None:
        return identity in known
    if (pair := parse_pair(target)) is not None:
        return pair in pairs or pair[::-1] in pairs
    if (exclusion := parse_exclusion(target)) is not None:
        return exclusion.suspect in ("", *known)
    return any((a, b) in pairs or (b, a) in pairs for a, _, b, _ in passages(target, known))


def chained_lines(decisions: Iterable[Decision], *, with_links: bool) -> Iterator[str]:
    """One line with a JSON object for each of ``decisions``.

    ``hash`` is SHA-256 of the bytes of ``before`` (the ``hash`` of the line above) and the other fields as compact JSON
    with sorted keys. ``project_hash`` is the event's link in the project's own log; without ``with_links`` it is left
    out, because names differ from that log's.
    """
    before = ""
    for decision in decisions:
        label = decision.label
        fields: dict[str, Any] = {
            "number": decision.number,
            "label_set": label.label_set,
            "target": label.target,
            "value": label.value,
            "old": label.old,
            "who": label.who,
            "when": label.when,
            "note": label.note,
        }
        if label.digest:
            fields["digest"] = label.digest
        if with_links:
            fields["project_hash"] = decision.link.hex()
        fields["before"] = before
        fields["hash"] = before = entry_hash(fields)
        yield json.dumps(fields, ensure_ascii=False)


def entry_hash(fields: dict[str, Any]) -> str:
    """The hash of a line of the log, in hex; ``fields`` with or without it. Raises ValueError for a bad ``before``."""
    rest = {name: value for name, value in fields.items() if name not in ("hash", "before")}
    text = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(bytes.fromhex(fields["before"]) + text.encode("utf-8", "surrogatepass")).hexdigest()


def broken_entry(lines: Iterable[str]) -> int | None:
    """The first of ``lines`` (from 1) that does not follow from the one before; None if all do."""
    before = ""
    for number, line in enumerate(lines, 1):
        try:
            fields = json.loads(line)
            if fields["before"] != before or entry_hash(fields) != fields["hash"]:
                return number
            before = fields["hash"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return number
    return None

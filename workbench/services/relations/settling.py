"""The last step of a run, once all pairs are known: relations by site-level evidence, and directions.

A method's decision tree sees only two pages. Hosts with many identical pages, in the same order and with the same
template, are mirrors; a common word in the paths of two addresses does not make their hosts one site.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any

from workbench.base.messages import Message, percent
from workbench.base.progress import Progress
from workbench.base.types import BlockClass, Document, PairScore, Run
from workbench.methods.core import registry
from workbench.methods.rare_sentences.relations import Relation
from workbench.project.database import Connection, Project
from workbench.project.documents import load_document
from workbench.project.listing import addresses
from workbench.project.pairs import Pair, change_pairs, pair_pages
from workbench.project.runs import load_run
from workbench.services.relations.directions import Directions
from workbench.services.relations.hosts import HostPair, host_of, mirrors, path_of, same_owner

_CHANGED = 2_000
"""Pairs written in one transaction."""
_READING, _STAGE = Message("Reading pages"), Message("Relating pages")


def settle(ctx: Progress, project: Project, run_id: int) -> int:
    """Settle the relations and directions of a finished run of a method that relates pages, unless it used only the
    paper's tree. Returns the number of pairs whose relation changed. Raises Cancelled.
    """
    with project.read() as connection:
        run = load_run(connection, run_id)
        if not registry.get(run.method).facts.relates or not run.parameters.get("site_evidence") or not run.pairs:
            return 0
        settling = _Settling(ctx, connection, run)
        changed, relations = [], 0
        for done, page in enumerate(pair_pages(connection, run_id), 1):
            ctx.check()
            ctx.advance(_STAGE, min(done * 5_000, run.pairs), run.pairs)
            for pair in page:
                after = settling.settled(pair)
                relations += after.relation != pair.relation
                changed.append(after)
    for start in range(0, len(changed), _CHANGED):
        with project.write() as writing:
            change_pairs(writing, run_id, changed[start : start + _CHANGED])
    return relations


class _Settling:
    """The data about all pages of a run."""

    def __init__(self, ctx: Progress, connection: Connection, run: Run) -> None:
        self._connection = connection
        self._identical = float(run.parameters["identical"])
        self._inclusion = float(run.parameters["inclusion"])
        identical: list[tuple[int, int]] = []
        every: list[tuple[int, int]] = []
        for page in pair_pages(connection, run.id):
            every += [(pair.a, pair.b) for pair in page]
            identical += [(p.a, p.b) for p in page if (p.resemblance or 0) > self._identical]
        self._directions = Directions(connection, every, ctx)
        self._load = lru_cache(maxsize=64)(lambda key: _template(load_document(connection, key)))
        by_url = {url: key for key, url in self._directions.urls().items()}
        counted = Counter(map(host_of, addresses(connection).values()))
        urls = [(self._directions.url(a), self._directions.url(b)) for a, b in identical]
        urls = [(a, b) for a, b in urls if a and b]
        self._hosts = mirrors(urls, counted, lambda a, b: self._alike(by_url[a], by_url[b]))

    def settled(self, pair: Pair) -> PairScore:
        """The pair with its final relation and direction."""
        relation, step = self._relation(pair, self._directions.url(pair.a), self._directions.url(pair.b))
        evidence: dict[str, Any] = dict(pair.evidence)
        if step:
            evidence["decision"] = Message.joined("; ", [str(evidence.get("decision", "")), step])
        evidence |= self._directions.of(pair.a, pair.b).evidence
        return PairScore(pair.a, pair.b, pair.score, pair.resemblance, pair.containment, relation, evidence)

    def _relation(self, pair: Pair, a: str, b: str) -> tuple[str | None, str]:
        """The relation, and the step that changed the tree's result; empty if unchanged."""
        if not a or not b:
            return pair.relation, ""
        hosts = self._hosts.get(frozenset((host_of(a), host_of(b))))
        owned = same_owner(a, b)
        if (pair.resemblance or 0) > self._identical:
            return _identical(pair, hosts, owned=owned, same_path=path_of(a) == path_of(b))
        quoting = pair.evidence.get("link_ab") if self._is_a_smaller(pair) else pair.evidence.get("link_ba")
        included = (pair.containment or 0) > self._inclusion
        if owned:
            return pair.relation, ""
        if included and quoting:
            return Relation.CITATION.value, Message("the smaller page links to the one its text is from")
        if pair.relation == Relation.ARCHIVE:
            linked = pair.evidence.get("link_ba") if self._is_a_smaller(pair) else pair.evidence.get("link_ab")
            chosen = Relation.LINK_COLLECTION if linked else Relation.INCLUSION
            return chosen.value, Message("the hosts are not of one site")
        if pair.relation == Relation.SAME_SITE:
            linked = pair.evidence.get("link_ab") or pair.evidence.get("link_ba")
            chosen = Relation.CITATION if linked else Relation.SHARED_SENTENCES
            return chosen.value, Message("the hosts are not of one site")
        return pair.relation, ""

    @staticmethod
    def _is_a_smaller(pair: Pair) -> bool:
        return _number(pair, "characters_a") < _number(pair, "characters_b")

    def _alike(self, a: int, b: int) -> float:
        """The share of template texts that two pages have in common."""
        left, right = self._load(a), self._load(b)
        return len(left & right) / len(left | right) if left | right else 0.0


def _identical(pair: Pair, hosts: HostPair | None, *, owned: bool, same_path: bool) -> tuple[str | None, str]:
    mirrored = hosts is not None and hosts.is_mirror
    few = hosts is None or hosts.pages < 5
    if mirrored and hosts is not None:
        words = Message(
            "{pages} identical pages of the two hosts, {covered} of the smaller one's, in the same order and layout",
            pages=hosts.pages,
            covered=percent(hosts.covered),
        )
        return Relation.MIRROR.value, "" if pair.relation == Relation.MIRROR else words
    if pair.relation == Relation.MIRROR and not owned and not (same_path and few):
        return Relation.IDENTICAL_COPY.value, Message(
            "the hosts do not belong to one site, and are not mirrors as a whole"
        )
    return pair.relation, ""


def _number(pair: Pair, name: str) -> float:
    value = pair.evidence.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def _template(document: Document) -> frozenset[str]:
    """The texts of a page that are not its content."""
    spans = (block.span for block in document.blocks if block.verdict is not BlockClass.CONTENT)
    texts = (" ".join(document.text[span.start : span.end].split()) for span in spans)
    return frozenset(text for text in texts if text)

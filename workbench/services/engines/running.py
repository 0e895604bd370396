"""Searching for copies with a search engine: query it, fetch the results, compare them.

The queries are the sentences of a document that are least likely to appear elsewhere. A sentence is characteristic if
its words are rare in the project: its rarity is the mean, over its distinct tokens (words, or two characters in a row
in scripts without spaces), of log2(N / df), where N is the number of documents and df the number with the token.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import NamedTuple

import numpy as np

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.types import BlockClass, Document, Role, Run, Span
from workbench.jobs.context import Context
from workbench.methods.core.token_parameters import TokenParameters
from workbench.methods.core.tokenising import tokenise
from workbench.project.captures import keys_of
from workbench.project.database import Connection, open_project
from workbench.project.documents import documents_of, iter_documents
from workbench.project.listing import addresses as known_addresses
from workbench.project.listing import ids_of, keys_of_role
from workbench.reading.formats import Failure
from workbench.services.detecting.runs import Subset, detect
from workbench.services.engines import setup
from workbench.services.engines.asking import Answer, Declined, ask
from workbench.services.engines.setup import SNIPPET, SearchOptions
from workbench.services.fetching import FetchOptions, fetch
from workbench.services.watching.settings import covers, host_of
from workbench.text.segmenting.sentences import sentences
from workbench.text.tokens import SCRIPT, token_class

_BUCKETS = 1 << 20
"""Number of counters, indexed by hash: tokens that share a counter seem slightly less rare."""
FEWEST, MOST = 6, 24
"""Words in a query (twice as many characters in scripts without spaces): fewer are not specific enough, and search
engines accept about thirty at most.
"""


class _Unit(NamedTuple):
    """A token: a word, or two adjacent characters of a script without spaces; its hash and span."""

    value: int
    span: Span
    is_unspaced: bool


class Rarity:
    """Document frequencies of tokens, from one pass over the documents in bounded memory."""

    def __init__(self) -> None:
        self._documents = np.zeros(_BUCKETS, np.uint32)
        self._count = 0

    def add(self, document: Document) -> None:
        """Count a document."""
        self._count += 1
        self._documents[list({unit.value % _BUCKETS for unit in _units(document)})] += 1

    def of(self, units: Iterable[_Unit]) -> float:
        """The rarity of a sentence with these tokens, in bits."""
        different = {unit.value for unit in units}
        total = sum(log2(self._count / max(1, int(self._documents[value % _BUCKETS]))) for value in different)
        return total / max(1, len(different))


_WITHOUT_QUOTES = str.maketrans(dict.fromkeys('"\u201c\u201d\u201e\uff02', " "))


def queries(document: Document, rarity: Rarity, most: int) -> list[str]:
    """Up to ``most`` of the most characteristic sentences of a document's content, each cut to the length of a query.

    The rarest first; of equally rare ones the longer, then the earlier.
    """
    ranks: dict[str, tuple[float, int, int]] = {}
    content = [block.span for block in document.blocks if block.verdict is BlockClass.CONTENT]
    for sentence in sentences(document.text, blocks=document.blocks):
        if document.blocks and not any(span.start <= sentence.start and sentence.end <= span.end for span in content):
            continue
        text = document.text[sentence.start : sentence.end]
        units = list(_units(Document("", text)))
        unspaced = sum(unit.is_unspaced for unit in units)
        factor = 2 if unspaced * 2 > len(units) else 1
        if len(units) < FEWEST * factor:
            continue
        kept = units[: MOST * factor]
        # A query is a quotation, which one inside it would end; search engines ignore other signs.
        words = " ".join(text[kept[0].span.start : kept[-1].span.end].translate(_WITHOUT_QUOTES).split())
        ranks.setdefault(words, (-rarity.of(kept), -len(kept), sentence.start))
    return sorted(ranks, key=ranks.__getitem__)[:most]


def _units(document: Document) -> Iterator[_Unit]:
    cut = tokenise([document], TokenParameters())
    rows = list(zip(cut.values.tolist(), cut.start.tolist(), cut.end.tolist(), strict=True))
    unspaced = [bool(token_class(document.text[start]) & SCRIPT) for _, start, _ in rows]
    for at, (value, start, end) in enumerate(rows):
        if not unspaced[at]:
            yield _Unit(value, Span(start, end), False)
        elif at + 1 < len(rows) and unspaced[at + 1]:
            after, _, pair_end = rows[at + 1]
            yield _Unit(hash((value, after)), Span(start, pair_end), True)


_STAGE = Message("Asking the search engine")
BUDGET = Message("queries beyond the day's budget")
DECLINED = Message("queries after the search engine refused")
KNOWN = Message("pages already in the project")
OWN = Message("pages of your own or ignored sites")


@dataclass(frozen=True, slots=True)
class Searched:
    """Counts: queries ``sent``, distinct addresses ``named``, pages ``fetched``. ``run`` compared the pages (None:
    there were none). ``left_out`` counts queries and addresses by reason.
    """

    sent: int
    named: int
    fetched: int
    run: Run | None
    failed: tuple[Failure, ...]
    left_out: Mapping[str, int]


def search(ctx: Context, project_path: Path, what: SearchOptions) -> Searched:
    """Query the configured search engine for sentences of sources, fetch the pages it names as suspects, and compare
    them, with those named that are suspects already (a job). Raises UserError if none is configured, Cancelled.
    """
    what.check()
    engine, key = setup.ready()
    with open_project(project_path) as project, project.read() as connection:
        asked_for = list(_queries(ctx, connection, what))
        ids = ids_of(connection)
        # Only some words of a page are in its snippet.
        known = {page for key, page in known_addresses(connection).items() if SNIPPET not in ids[key]}
        examined = set(_suspects(connection).values())
        own = _own_hosts(connection)
    pages: dict[str, None] = {}
    sent, failed, left_out = send(
        ctx, engine, key, asked_for, lambda _, answers: pages.update(dict.fromkeys(one.address for one in answers))
    )
    fresh: list[str] = []
    again: set[str] = set()
    for page in pages:
        host = host_of(page)
        if host in own or any(covers(one, page, host) for one in what.ignored):
            left_out[OWN] = left_out.get(OWN, 0) + 1
        elif page in examined:
            # It may not have been compared with these sources.
            again.add(page)
        elif page in known:
            left_out[KNOWN] = left_out.get(KNOWN, 0) + 1
        else:
            fresh.append(page)
    keys: set[int] = set()
    fetched = 0
    if fresh:
        options = FetchOptions(
            role=Role.SUSPECT, allow_private=what.allow_private, workers=what.workers, name="search-"
        )
        result = fetch(ctx, project_path, [PageSource(PlaceKind.URL, page) for page in fresh], options)
        failed += result.failed
        keys.update(result.keys)
        fetched = result.fetched
    with open_project(project_path, write=False) as project, project.read() as connection:
        # An interrupted search may have fetched some of them.
        named = again.union(fresh)
        keys.update(key for key, page in _suspects(connection).items() if page in named)
    run = None
    if keys:
        only = Subset(frozenset(keys))
        # Tags select among the previous suspects.
        parameters = {**what.parameters, "suspect_tags": ""}
        run = detect(ctx, project_path, what.method, parameters, workers=what.workers, resume=True, only=only)
    return Searched(sent, len(pages), fetched, run, tuple(failed), left_out)


def _suspects(connection: Connection) -> dict[int, str]:
    """The addresses, by key, of the suspects that have one."""
    return known_addresses(connection, keys_of_role(connection, Role.SUSPECT))


def _queries(ctx: Context, connection: Connection, what: SearchOptions) -> Iterator[tuple[str, str]]:
    """(source, words) of each query: the most characteristic of every source first, then the second of each."""
    rarity = Rarity()
    for document in iter_documents(connection, [Role.SOURCE, Role.BACKGROUND]):
        ctx.check()
        rarity.add(document)
    keys = keys_of_role(connection, Role.SOURCE)
    if what.sources:
        chosen = keys_of(connection, what.sources)
        if missing := [name for name in what.sources if name not in chosen]:
            raise UserError(Message("There is no document {id} in this project.", id=missing[0]))
        keys = sorted(chosen.values())
    if not keys:
        raise UserError(Message("There are no sources to search for."))
    wanted = []
    for document in documents_of(connection, keys, list(Role)):
        ctx.check()
        words = queries(document, rarity, what.each)
        wanted += [(place, document.key, document.id, query) for place, query in enumerate(words)]
    for _, _, name, query in sorted(wanted):
        yield name, f'"{query}"'


def _own_hosts(connection: Connection) -> set[str]:
    addresses = known_addresses(connection)
    own = set(keys_of_role(connection, Role.SOURCE))
    return {host for key, address in addresses.items() if key in own and (host := host_of(address))}


def send(
    ctx: Context,
    engine: setup.Engine,
    key: str,
    wanted: Sequence[tuple[str, str]],
    receive: Callable[[str, list[Answer]], object],
) -> tuple[int, list[Failure], dict[str, int]]:
    """Send queries (name, words) within budget and rate; ``receive`` gets the name and the answers of each.

    Returns the number sent, the failures, and the counts left out by reason. Raises Cancelled.
    """
    failed: list[Failure] = []
    left_out: dict[str, int] = {}
    sent, following = 0, 0.0
    for number, (name, words) in enumerate(wanted):
        ctx.advance(_STAGE, number, len(wanted))
        if setup.used_today() >= engine.budget:
            left_out[BUDGET] = len(wanted) - number
            break
        while (wait := following - time.monotonic()) > 0:
            ctx.check()
            time.sleep(min(wait, 0.1))
        following = time.monotonic() + 1 / engine.rate
        setup.count_query()
        sent += 1
        try:
            answers = ask(engine, key, words)
        except Declined as error:
            failed.append(Failure(name, error.sentence))
            left_out[DECLINED] = len(wanted) - number - 1
            break
        except UserError as error:
            failed.append(Failure(name, error.sentence))
        else:
            receive(name, answers)
    return sent, failed, {reason: count for reason, count in left_out.items() if count}

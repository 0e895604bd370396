"""Gathering a background corpus: words are searched for, and the engine's results become documents.

Source: Takeda and Takasu (2009, section 5.4): splogs are made of search results for trend words, so they copy the
snippets of such results.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from workbench.base.errors import UserError
from workbench.base.messages import Counted, Message
from workbench.base.options import FILE, QUERIES, TAGS, URLS, option
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.tags import Role
from workbench.base.types import Document
from workbench.reading.formats import Failure
from workbench.services.engines.setup import SNIPPET
from workbench.services.tasks import Outcome, Task, failure_records, workers

if TYPE_CHECKING:
    from workbench.jobs.context import Context
    from workbench.services.engines.asking import Answer
    from workbench.services.engines.setup import Engine

KNOWN = Message("words searched for before")
_FETCHES = "gather-"
"""Prefix of the names of its fetches."""
_TAG = re.compile(r"<[^<>]*>")
_MOST_BYTES = 20_000_000


@dataclass(frozen=True)
class Gather(Task):
    """Search for ``words``, the lines of ``word_file`` and the titles of the feeds ``trends``; each snippet becomes a
    document with ``tags`` and the query as its origin. Words that already have snippets are skipped unless ``again``.
    With ``pages``, the pages are fetched as well.
    """

    title: ClassVar[str] = "Gather a search corpus"
    about: ClassVar[str] = (
        "Trend words, or words of your choice, are sent to the search engine. The snippets of its results, and if you "
        "wish the pages, become background documents: what spam blogs are made of. Queries beyond the day's budget are "
        "counted, not made."
    )
    cancelled: ClassVar[str] = "The snippets that were received are in the project; the same words continue there."

    words: tuple[str, ...] = option(
        (), "Words of a query; commas separate queries", title="Words, separated by commas", kind=QUERIES, flag="--word"
    )
    word_file: str = option("", "File of words, a query a line", title="File of words", kind=FILE, flag="--words")
    trends: tuple[str, ...] = option(
        (), "Feed whose titles are trend words", title="Feeds of trend words", kind=URLS, flag="--trends"
    )
    tags: tuple[str, ...] = option(("search",), "Tags of the documents", title="Tags", kind=TAGS, flag="--tag")
    again: bool = option(False, title="Also words searched for before")
    pages: bool = option(False, title="Also fetch the pages")
    allow_private: bool = option(False, title="Also from private networks and this computer")
    workers: int | None = workers()

    def run(self, ctx: Context, project: Path) -> Outcome:
        """Send the queries, and store each answer before the next. Raises UserError without words or an engine."""
        from workbench.project.captures import fetched_since
        from workbench.project.database import open_project
        from workbench.project.documents import add_documents
        from workbench.project.imports import begin_batch
        from workbench.project.listing import ids_of
        from workbench.services.engines import setup
        from workbench.services.engines.running import send
        from workbench.services.fetching import FetchOptions, fetch
        from workbench.services.importing.storing import batch_ended

        engine, key = setup.ready()
        named, unread = self._words()
        words = list(dict.fromkeys(word for one in named if (word := " ".join(one.split()))))
        if not words:
            raise UserError(unread[0].error if unread else Message("There are no words to search for."))
        if not engine.snippets and not self.pages:
            raise UserError(
                Message("It is not known where the search engine's responses have the texts of results."),
                command="Tell it: palimpsest engine set --snippets web.results[].description, or gather with --pages",
            )
        addresses: dict[str, None] = {}
        stored = 0
        unstored: list[Failure] = []
        with open_project(project) as opened:
            with opened.read() as connection:
                named_for = [i.partition(SNIPPET)[::2] for i in ids_of(connection).values() if SNIPPET in i]
                before = {word for _, word in named_for}
                fresh = [word for word in words if self.again or word not in before]
                # Pages that an interrupted job did not fetch.
                passed = set(words).difference(fresh)
                rest = {address for address, word in named_for if word in passed}
                addresses.update(dict.fromkeys(sorted(rest - fetched_since(connection, list(rest), _FETCHES, ""))))
            with opened.write() as connection:
                batch = begin_batch(connection, Role.BACKGROUND)

            def receive(word: str, answers: list[Answer]) -> None:
                nonlocal stored
                addresses.update(dict.fromkeys(answer.address for answer in answers))
                documents = [self._document(engine, word, answer) for answer in answers if answer.snippet.strip()]
                with opened.write() as connection:
                    result = add_documents(connection, documents, batch)
                stored += result.added
                unstored.extend(Failure(*failure) for failure in result.failures)
                ctx.changed("documents")

            with batch_ended(opened, batch):
                sent, failed, left_out = send(ctx, engine, key, [(word, word) for word in fresh], receive)
        failed = [*unread, *failed, *unstored]
        if len(fresh) < len(words):
            left_out[KNOWN] = len(words) - len(fresh)
        fetched = 0
        if self.pages and addresses:
            options = FetchOptions(
                role=Role.BACKGROUND, tags=self.tags, allow_private=self.allow_private, workers=self.workers,
                name=_FETCHES,
            )  # fmt: skip
            fetching = fetch(ctx, project, [PageSource(PlaceKind.URL, page) for page in addresses], options)
            fetched, failed = fetching.fetched, [*failed, *fetching.failed]
        return _outcome(sent, stored, fetched, failed, left_out)

    def _words(self) -> tuple[list[str], list[Failure]]:
        """All words, and the feeds that could not be read."""
        from workbench.reading.decoding import decode

        words = list(self.words)
        if self.word_file:
            try:
                words += decode(Path(self.word_file).read_bytes()).text.splitlines()
            except OSError as error:
                raise UserError(Message("The file of words cannot be read."), path=Path(self.word_file)) from error
        unread = []
        for feed in self.trends:
            try:
                words += _titles(feed)
            except UserError as error:
                unread.append(Failure(feed, error.sentence))
        return words, unread

    def _document(self, engine: Engine, word: str, answer: Answer) -> Document:
        from workbench.services.watching.settings import host_of

        return Document(
            f"{answer.address}{SNIPPET}{word}",
            unescape(_TAG.sub("", answer.snippet)),
            Role.BACKGROUND,
            title=word,
            url=answer.address,
            site=host_of(answer.address),
            # The key must not be stored.
            origin=engine.address(word, "KEY"),
            tags=self.tags,
        )


def _titles(feed: str) -> list[str]:
    from workbench.reading.web.listings import feed_titles
    from workbench.services.fetching.calling import NoAnswer, call

    try:
        reply = call(feed, {}, limit=_MOST_BYTES)
    except NoAnswer as error:
        raise UserError(Message("The feed {feed} cannot be read ({reason}).", feed=feed, reason=error.reason)) from None
    if not reply.is_success:
        raise UserError(Message("The feed {feed} cannot be read ({reason}).", feed=feed, reason=str(reply.status)))
    return feed_titles(reply.body)


def _outcome(sent: int, stored: int, fetched: int, failed: list[Failure], left_out: dict[str, int]) -> Outcome:
    sentences: list[Message] = [
        Counted("{count} query made.", "{count} queries made.", sent),
        Counted("{count} snippet added.", "{count} snippets added.", stored),
        Counted("{count} page fetched.", "{count} pages fetched.", fetched),
        *(Message("Left out: {reason} ({count}).", count=f"{n:,}", reason=why) for why, n in left_out.items()),
    ]
    record = {
        "queries": sent,
        "snippets": stored,
        "fetched": fetched,
        "failed": failure_records(failed),
        "left_out": dict(left_out),
    }
    return Outcome(sentences, record, failed, succeeded=not failed)

"""A web of news sites and of what others make of their articles: what is said of it, as a confusion matrix.

    python -m tests.golden.local_web [--seed N] [--show]

Four news sites with dated articles; a mirror under the same paths and one that moved every page; monthly archives;
blogs that quote with a link, and a forum whose short posts do; a scraper, twelve copies of one article on as many
hosts; pages stitched together from passages, each used on several pages; copies that claim to be a day older than their
originals, and copies of the same day, hours later. Pages are read, judged, stored and captured (originals on the first
day, the rest on the second) as a fetch does it, and examined by ``rare-sentences``.

Pairs of which nothing is constructed to be said (a quotation with a copy of its original) are not counted.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urljoin

from tests.golden.relations import Maker, Page, Site
from workbench.base.types import Role
from workbench.jobs.context import Context
from workbench.methods.rare_sentences.relations import Relation
from workbench.project.captures import Capture, Outcome, add_captures
from workbench.project.database import open_project
from workbench.project.documents import add_documents
from workbench.project.pairs import pairs_of
from workbench.reading.formats import html
from workbench.services.detecting.runs import detect
from workbench.services.pages.sites import judge_sites
from workbench.services.relations.stitched import stitched_pages
from workbench.services.session import Session, create

MIRROR, ARCHIVE, CITATION, COPY, NOTHING = "mirror", "archive", "citation", "copy", "other or none"
_REPORTED_AS = {
    Relation.MIRROR: MIRROR,
    Relation.ARCHIVE: ARCHIVE,
    Relation.CITATION: CITATION,
    Relation.LINK_COLLECTION: CITATION,
    Relation.IDENTICAL_COPY: COPY,
    Relation.INCLUSION: COPY,
}
ARTICLES = 20
COPIERS = 12


@dataclass
class Web:
    """Pages by address; ``truth``: the class of pairs; ``ignored`` pairs are not counted; ``first``: (earlier, later)
    address of the pairs whose direction is known, by how; ``stitched``: addresses of stitched pages to their originals.
    """

    pages: list[tuple[Page, int]] = field(default_factory=list)
    truth: dict[frozenset[str], str] = field(default_factory=dict)
    first: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    stitched: dict[str, set[str]] = field(default_factory=dict)
    roots: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def construct(seed: int) -> Web:
    """The web of a seed."""
    maker = Maker(seed)
    web = Web()
    sites = [maker.site(("ja", "zh", "en", "en")[at], f"news{maker.word(3)}{at}.example") for at in range(4)]
    start = datetime(2026, 3, 2, 6, tzinfo=UTC)
    articles: list[list[Page]] = []
    for at, site in enumerate(sites):
        language = ("ja", "zh", "en", "en")[at]
        mine = []
        for number in range(ARTICLES):
            when = start + timedelta(hours=7 * number + at)
            path = f"{when:%Y/%m}/{maker.word(4)}-{number}.html"
            mine.append(_add(web, maker, site, maker.text(language, 10, 20), path, 1, when))
        articles.append(mine)
    _mirrors(web, maker, sites, articles)
    _archives(web, maker, sites[2], articles[2])
    _quotations(web, maker, articles)
    _copies(web, maker, articles)
    _stitched(web, maker, articles)
    return web


def _add(
    web: Web, maker: Maker, site: Site, text: Sequence[str], path: str, day: int, when: datetime | None, **more: object
) -> Page:
    page = maker.page(site, text, path, **more)
    page.published = when.isoformat() if when else ""
    web.pages.append((page, day))
    return page


def _text(page: Page) -> list[str]:
    return [sentence for paragraph in page.paragraphs for sentence in paragraph]


def _when(page: Page) -> datetime:
    return datetime.fromisoformat(page.published)


def _mirrors(web: Web, maker: Maker, sites: Sequence[Site], articles: Sequence[Sequence[Page]]) -> None:
    for at in (0, 1):
        site = Site(f"{maker.word(5)}{at}.test", sites[at].menu, sites[at].notices)
        for number, page in enumerate(articles[at]):
            path = page.path if at == 0 else f"old/{number + 1:03d}.html"
            _related(web, page, _add(web, maker, site, _text(page), path, 2, _when(page)), MIRROR)


def _related(web: Web, page: Page, other: Page, relation: str) -> None:
    web.truth[frozenset((page.url, other.url))] = relation
    web.roots[page.url].add(other.url)


def _archives(web: Web, maker: Maker, site: Site, articles: Sequence[Page]) -> None:
    for number in range(0, ARTICLES, 10):
        days = articles[number : number + 10]
        whole = [sentence for page in days for sentence in _text(page)]
        archive = _add(web, maker, site, whole, f"archive/2026-{number // 10 + 1:02d}.html", 1, None)
        for page in days:
            web.truth[frozenset((page.url, archive.url))] = ARCHIVE
            web.roots[page.url].add(archive.url)


def _quotations(web: Web, maker: Maker, articles: Sequence[Sequence[Page]]) -> None:
    forum = maker.site("en", f"forum{maker.word(3)}.example")
    blogs = [maker.site("en", f"blog{maker.word(4)}.example") for _ in range(5)]
    originals = [page for of_site in articles for page in of_site]
    for number, page in enumerate(maker.rng.sample(originals, 55)):
        text = _text(page)
        at = maker.rng.randrange(len(text) - 3)
        taken = text[at : at + maker.rng.randint(1, 3)]
        when = _when(page) + timedelta(days=2)
        if number < 15:
            post = _add(web, maker, forum, taken, f"t/{number}", 2, when, links=[page.url])
        else:
            own = maker.text("en", 10, 18)
            path = f"{when:%Y/%m}/{maker.word(4)}.html"
            post = _add(web, maker, maker.rng.choice(blogs), own, path, 2, when, quoted=taken, links=[page.url])
        _related(web, page, post, CITATION)
        web.first["link"].append((page.url, post.url))


def _copies(web: Web, maker: Maker, articles: Sequence[Sequence[Page]]) -> None:
    scraper = maker.site("en", f"best{maker.word(4)}.example")
    for page in [*articles[2][:8], *articles[3][:8]]:
        when = _when(page) + timedelta(hours=5)
        copy = _add(web, maker, scraper, _text(page), f"post/{page.path.rsplit('/')[-1]}", 1, when)
        _related(web, page, copy, COPY)
        web.first["hours"].append((page.url, copy.url))
    for number, page in enumerate(articles[3][8:20]):
        forger = maker.site("en", f"forger{maker.word(4)}{number % 3}.example")
        when = _when(page) - timedelta(days=1)
        copy = _add(web, maker, forger, _text(page), maker.path(), 2, when)
        _related(web, page, copy, COPY)
        web.first["forged"].append((page.url, copy.url))
    popular = articles[2][9]
    for _ in range(COPIERS):
        site = maker.site("en", f"{maker.word(5)}.example")
        when = _when(popular) + timedelta(days=1)
        _related(web, popular, _add(web, maker, site, _text(popular), maker.path(), 2, when), COPY)


def _stitched(web: Web, maker: Maker, articles: Sequence[Sequence[Page]]) -> None:
    passages = []
    for of_site in articles[:2]:
        for page in of_site:
            text = _text(page)
            at = maker.rng.randrange(len(text) - 4)
            passages.append((page, text[at : at + 4]))
    for _ in range(2):
        site = maker.site("en", f"mix{maker.word(4)}.example")
        for _ in range(12):
            chosen = maker.rng.sample(passages, 4)
            text = [sentence for _, taken in chosen for sentence in taken]
            stitched_page = _add(
                web, maker, site, text, maker.path(), 2, max(_when(p) for p, _ in chosen) + timedelta(days=1)
            )
            stitched_page.paragraphs = [list(taken) for _, taken in chosen]
            web.stitched[stitched_page.url] = {page.url for page, _ in chosen}


@dataclass(frozen=True)
class Measured:
    """``counts``: pairs by (class, what was said); ``directions``: (right, unknown, reversed) by how a direction is
    known; ``stitched``: (found, made, wrong), ``originals``: (named, made); ``copies``: holders found of the most
    copied article.
    """

    pages: int
    counts: Mapping[tuple[str, str], int]
    directions: Mapping[str, tuple[int, int, int]]
    stitched: tuple[int, int, int]
    originals: tuple[int, int]
    copies: int
    mistakes: Sequence[str]

    def figure(self, name: str) -> tuple[float, float]:
        """Precision and recall of a class."""
        right = self.counts.get((name, name), 0)
        reported = sum(n for (_, word), n in self.counts.items() if word == name)
        constructed = sum(n for (truth, _), n in self.counts.items() if truth == name)
        return right / reported if reported else 1.0, right / constructed if constructed else 1.0

    def lines(self) -> Iterator[str]:
        """The confusion matrix and the figures."""
        names = [MIRROR, ARCHIVE, CITATION, COPY, NOTHING]
        yield f"{'':14}" + "".join(f"{name:>14}" for name in names) + f"{'precision':>12}{'recall':>9}"
        for truth in names:
            row = "".join(f"{self.counts.get((truth, name), 0):14}" for name in names)
            yield f"{truth:14}{row}" + ("{:12.3f}{:9.3f}".format(*self.figure(truth)) if truth != NOTHING else "")
        correct, total, wrong = self.stitched
        named, originals = self.originals
        yield f"stitched: {correct} of {total} pages, {wrong} wrong; originals named: {named} of {originals}"
        for how, (right, unknown, reversed_) in self.directions.items():
            yield f"direction ({how}): {right} right, {unknown} cannot tell, {reversed_} reversed"
        yield f"holders of the most copied article: {self.copies} of {COPIERS}"


def measure(seed: int = 1, workers: int = 0) -> Measured:
    """What is said of the web of ``seed``."""
    web = construct(seed)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "web.palimpsest"
        create(path)
        _store(web, path)
        ctx = Context("golden", lambda event: None, lambda: False)
        run = detect(ctx, path, "rare-sentences", {}, workers=workers)
        with Session(path, write=False) as session:
            stitched = stitched_pages(session, run.id)
            with session.read() as connection:
                pairs = pairs_of(connection, run.id)
    urls = {key: page.url for key, (page, _) in enumerate(web.pages, 1)}
    pair_of = {frozenset((urls[p.a], urls[p.b])): p for p in pairs}
    counts: Counter[tuple[str, str]] = Counter()
    mistakes = []
    counted = _counted(web, pair_of.keys())
    for pair, truth in counted.items():
        relation = pair_of[pair].relation if pair in pair_of else None
        reported = NOTHING if relation is None else _REPORTED_AS.get(Relation(relation), NOTHING)
        counts[truth, reported] += 1
        if truth != reported:
            decision = pair_of[pair].evidence.get("decision") if pair in pair_of else "no pair"
            mistakes.append(f"{truth} -> {reported}: {' '.join(sorted(pair))}: {decision}")
    directions = {}
    for how, known in web.first.items():
        tally: Counter[str] = Counter()
        for earlier, later in known:
            p = pair_of.get(frozenset((earlier, later)))
            direction = str(p.evidence.get("direction")) if p else ""
            source = {"a from b": "b", "b from a": "a"}.get(direction)
            tally["unknown" if p is None or source is None else str(urls[getattr(p, source)] == earlier)] += 1
        directions[how] = (tally["True"], tally["unknown"], tally["False"])
    sources_of = {urls[page.key]: {urls[source.key] for source in page.sources} for page in stitched.pages}
    named = sum(len(sources_of.get(url, set()) & originals) for url, originals in web.stitched.items())
    copied: defaultdict[str, list[frozenset[str]]] = defaultdict(list)
    for root, others in web.roots.items():
        copied[root] = [pair for o in others if web.truth[pair := frozenset((root, o))] == COPY]
    holders = sum(pair in pair_of for pair in max(copied.values(), key=len))
    return Measured(
        len(web.pages),
        counts,
        directions,
        (len(sources_of.keys() & web.stitched.keys()), len(web.stitched), len(sources_of.keys() - web.stitched.keys())),
        (named, sum(map(len, web.stitched.values()))),
        holders,
        mistakes,
    )


def _counted(web: Web, reported: object) -> dict[frozenset[str], str]:
    """The constructed pairs; those found between pages that have no common original are wrong."""
    related: defaultdict[str, set[str]] = defaultdict(set)
    for root, others in web.roots.items():
        for url in (root, *others):
            related[url].add(root)
    for url, originals in web.stitched.items():
        related[url] |= originals
    counted = dict(web.truth)
    for pair in reported:  # type: ignore[attr-defined]
        a, b = pair
        common = (related[a] | {a}) & (related[b] | {b})
        if pair not in counted and not common:
            counted[pair] = NOTHING
    return counted


def _store(web: Web, path: Path) -> None:
    documents, captures = [], []
    for page, day in web.pages:
        document = html.page(page.html(), page.url, url=page.url)
        links = tuple(urljoin(page.url, link) for link in document.links)
        document = replace(document, role=Role.SUSPECT, site=page.site.host, links=links)
        documents.append(replace(document, published=page.published))
        moment = datetime(2026, 3, 20 + day, 9, tzinfo=UTC).isoformat().replace("+00:00", "Z")
        captures.append((day, Capture(page.url, page.url, moment, Outcome.NEW, 200)))
    with open_project(path) as project:
        with project.write() as connection:
            add_documents(connection, documents)
            for day in (1, 2):
                rows = [replace(c, document=key) for key, (d, c) in enumerate(captures, 1) if d == day]
                add_captures(connection, f"day-{day}", rows)
        ctx = Context("golden", lambda event: None, lambda: False)
        judge_sites(ctx, project, {page.site.host for page, _ in web.pages})


def main() -> None:
    """Print the matrix."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="also the mistakes")
    options = parser.parse_args()
    outcome = measure(options.seed)
    print("\n".join(outcome.lines()))
    print(f"{outcome.pages} pages")
    if options.show:
        print("\n".join(outcome.mistakes))


if __name__ == "__main__":
    main()

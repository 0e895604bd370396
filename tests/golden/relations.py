"""Relations of constructed pages of known class: the confusion matrix.

    python -m tests.golden.relations [--pairs N] [--seed N] [--rule NAME] [--set NAME=VALUE]... [--show]

Web pages of many sites, each with the template of its site around its text (menu, side bar, notices, imprint) and
two pages more, are read as they are on import and examined with ``rare-sentences``. Texts are sentences put
together of a name and halves of the bundled sample's, in Japanese, Chinese and English. Of each class N pairs are made:

- mirror: the same text under the same path of another host, up to a fifth of its sentences changed since;
- identical copy: the same text on a site with another address;
- archive: a month of a blog with its days;
- link collection, inclusion: a page that holds another of a foreign site with and without a link to it;
- same site: two pages of a site that share some sentences;
- citation, shared sentences: pages of foreign sites that share some sentences, with and without a link, quoted or not;
- template only: pages of one site that share nothing but its template; there is nothing to be found.

One in twenty copies stands under a path that happens to begin as that of its source does, and so is taken for related
to it. Any pair that is reported besides counts as a mistake.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import numpy as np

from workbench.base.progress import NullProgress
from workbench.base.types import BlockClass, Document, Role
from workbench.methods.core import registry
from workbench.methods.rare_sentences.relations import Relation
from workbench.reading.blocks.repetition import SITE_BLOCK, fingerprint, repeated
from workbench.reading.blocks.rules import judge
from workbench.reading.formats import ReadOptions, read
from workbench.reading.formats.api import Record, Source
from workbench.reading.html.page import extract_html
from workbench.text.segmenting.sentences import sentences

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample" / "sources"
TEMPLATE = "template only"
NOTHING = "no pair"
_SYLLABLES = ["ka", "ki", "sa", "to", "mi", "ru", "ne", "ho", "da", "ve", "lo", "pe"]
_SYLLABLES += ["zan", "tor", "bel", "fin", "mor", "lex"]
_ENDINGS = ("org", "com", "net", "co.jp", "ne.jp", "jp", "cn", "com.cn", "de", "info")


@dataclass
class Site:
    """A host, and what all its pages say besides their text."""

    host: str
    menu: list[str]
    notices: list[str]


@dataclass
class Page:
    """One page: sentences by paragraph, and addresses it links to."""

    site: Site
    path: str
    paragraphs: list[list[str]]
    links: list[str] = field(default_factory=list)
    quoted: list[str] = field(default_factory=list)
    published: str = ""

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://{self.site.host}/{self.path}"

    def html(self) -> str:
        """Its source."""
        menu = "".join(f'<li><a href="/{i}/">{escape(name)}</a></li>' for i, name in enumerate(self.site.menu))
        notices = "".join(f"<p>{escape(text)}</p>" for text in self.site.notices)
        body = "".join(f"<p>{escape(''.join(p))}</p>" for p in self.paragraphs)
        if self.quoted:
            body += f"<blockquote><p>{escape(''.join(self.quoted))}</p></blockquote>"
        body += "".join(f'<p>→ <a href="{escape(link)}">{escape(link)}</a></p>' for link in self.links)
        return (
            f"<html><head><title>{escape(self.paragraphs[0][0][:20])}</title></head><body>"
            f'<div id="header"><ul class="nav">{menu}</ul></div>'
            f'<div id="main"><h1>{escape(self.paragraphs[0][0][:16])}</h1>{body}</div>'
            f'<div id="footer" class="footer">{notices}</div></body></html>'
        )


class Maker:
    """Makes pages; the same seed gives the same pages."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.pages: list[Page] = []
        self.truth: dict[frozenset[str], str] = {}
        self._halves = _halves()
        self._used: set[str] = set()
        self._hosts: set[str] = set()

    def sentence(self, language: str) -> str:
        """A sentence that was not made before."""
        heads, tails = self._halves[language]
        while True:
            sentence = f"{self.rng.choice(heads)}{self.word().title()} {self.rng.choice(tails)}"
            if sentence not in self._used:
                self._used.add(sentence)
                return sentence

    def text(self, language: str, low: int = 8, high: int = 24) -> list[str]:
        """Sentences of one page."""
        return [self.sentence(language) for _ in range(self.rng.randint(low, high))]

    def word(self, syllables: int = 3) -> str:
        """A name in Latin letters."""
        return "".join(self.rng.choices(_SYLLABLES, k=syllables))

    def site(self, language: str, host: str = "") -> Site:
        """A site with two pages of its own; its host's parts are its own."""
        while not host or host in self._hosts:
            host = f"{self.rng.choice(('www.', ''))}{self.word(4)}.{self.rng.choice(_ENDINGS)}"
        self._hosts.add(host)
        menu = [
            self.sentence(language)[: self.rng.randint(4, 30)] + self.word() for _ in range(self.rng.randint(6, 20))
        ]
        site = Site(host, menu, [self.sentence(language) for _ in range(self.rng.randint(1, 4))])
        for _ in range(2):
            self.page(site, self.text(language))
        return site

    def path(self) -> str:
        """A path whose parts are its own."""
        return f"{self.word()}/{self.word(2)}{self.rng.randrange(10**6)}.html"

    def page(self, site: Site, text: Sequence[str], path: str = "", **more: Any) -> Page:
        """Add a page with the sentences ``text``."""
        cuts = sorted(self.rng.sample(range(1, len(text)), min(len(text) - 1, len(text) // 4))) if len(text) > 1 else []
        paragraphs = [list(text[a:b]) for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        page = Page(site, path or self.path(), paragraphs, **more)
        self.pages.append(page)
        return page

    def related(self, a: Page, b: Page, relation: str) -> None:
        """Note what two pages are to each other."""
        self.truth[frozenset((a.url, b.url))] = relation

    def copied(self, text: Sequence[str]) -> list[str]:
        """``text`` as a copier may write it: in other widths now and then."""
        wide = self.rng.random() < 0.2
        return [s.translate(_WIDE) if wide else s for s in text]

    def elsewhere(self, source: Page) -> str:
        """A path of a copy; one in twenty begins as that of its source does."""
        path = self.path()
        return f"{source.path.split('/')[0]}/{path}" if self.rng.random() < 0.05 else path


_WIDE = {ord(a): ord(a) + 0xFEE0 for a in "0123456789,!?()"}


def _halves() -> dict[str, tuple[list[str], list[str]]]:
    """Beginnings and ends of the sample's sentences by language, cut at a comma."""
    heads_and_tails: dict[str, tuple[list[str], list[str]]] = {}
    for path in sorted(SAMPLE.iterdir()):
        for record in read(Source(path, path.name), options=ReadOptions()):
            if not isinstance(record, Record):
                continue
            heads, tails = heads_and_tails.setdefault(record.document.language, ([], []))
            for start, end in sentences(record.document.text, blocks=record.document.blocks):
                text = " ".join(record.document.text[start:end].split())
                for comma in (", ", "、", "，"):
                    head, cut, tail = text.partition(comma)
                    if not cut or not 10 <= len(head) <= 80 or not 12 <= len(tail) <= 120:
                        continue
                    if not head[0].islower() and len(sentences(f"{head}{cut}Name x.")) == 1:
                        heads.append(head + cut)
                    if tail[-1] in ".。" and len(sentences(f"Name {tail}")) == 1:
                        tails.append(tail + (" " if comma == ", " else ""))
    return heads_and_tails


def construct(pairs: int, seed: int) -> Maker:
    """Pages with ``pairs`` pairs of each class."""
    maker = Maker(seed)
    rng = maker.rng
    for i in range(pairs):
        language = ("ja", "zh", "en")[i % 3]
        _whole(maker, language)
        _inclusions(maker, language)
        _partly(maker, language)
    for i in range(max(1, pairs // 10)):
        language = ("ja", "zh", "en")[i % 3]
        _archive(maker, language, 10)
        site = maker.site(language)
        pages = [maker.page(site, maker.text(language)) for _ in range(5)]
        for at, a in enumerate(pages):
            for b in pages[:at]:
                maker.related(a, b, TEMPLATE)
    rng.shuffle(maker.pages)
    return maker


def _whole(maker: Maker, language: str) -> None:
    """A mirror and an identical copy."""
    rng = maker.rng
    text = maker.text(language)
    home = maker.site(language)
    page = maker.page(home, text, published="2008-05-01")
    changed = list(text)
    for at in rng.sample(range(len(text)), rng.randint(0, len(text) // 5)):
        changed[at] = maker.sentence(language)
    bare = home.host.removeprefix("www.")
    host = rng.choice((f"mirror{rng.randrange(9)}.{bare}", f"{maker.word(4)}.org"))
    maker.related(page, maker.page(maker.site(language, host), changed, page.path), Relation.MIRROR)
    text = maker.text(language)
    page = maker.page(maker.site(language), text)
    copy = maker.page(maker.site(language), maker.copied(text), maker.elsewhere(page))
    maker.related(page, copy, Relation.IDENTICAL_COPY)


def _inclusions(maker: Maker, language: str) -> None:
    """Pages that hold another of a foreign site, with and without a link."""
    for relation in (Relation.LINK_COLLECTION, Relation.INCLUSION):
        text = maker.text(language, 5, 9)
        page = maker.page(maker.site(language), text)
        more = maker.text(language, 16, 30)
        links = [page.url] if relation is Relation.LINK_COLLECTION else []
        at = maker.rng.randrange(len(more))
        whole = [*more[:at], *maker.copied(text), *more[at:]]
        maker.related(page, maker.page(maker.site(language), whole, maker.elsewhere(page), links=links), relation)


def _partly(maker: Maker, language: str) -> None:
    """Pages that share some sentences."""
    rng = maker.rng
    for relation in (Relation.SAME_SITE, Relation.CITATION, Relation.SHARED_SENTENCES):
        text = maker.text(language, 12, 24)
        site = maker.site(language)
        page = maker.page(site, text)
        taken = maker.copied(text[(at := rng.randrange(8)) : at + rng.randint(1, 4)])
        own = maker.text(language, 12, 24)
        other = site if relation is Relation.SAME_SITE else maker.site(language)
        quoting = relation is Relation.CITATION and rng.random() < 0.5
        links = [page.url] if relation is Relation.CITATION else []
        whole = own if quoting else [*own[:5], *taken, *own[5:]]
        second = maker.page(other, whole, maker.elsewhere(page), links=links, quoted=taken if quoting else [])
        maker.related(page, second, relation)


def _archive(maker: Maker, language: str, days: int) -> None:
    """A month of a blog and its days."""
    site = maker.site(language)
    month = f"blog/2008/{maker.rng.randint(1, 12):02d}"
    texts = [maker.text(language, 3, 9) for _ in range(days)]
    whole = maker.page(site, [s for text in texts for s in text], f"{month}/index.html")
    for day, text in enumerate(texts, 1):
        maker.related(whole, maker.page(site, text, f"{month}/{day:02d}.html"), Relation.ARCHIVE)


@dataclass(frozen=True)
class Outcome:
    """``counts``: pairs by (class, what was said of them). ``mistakes``: (class, said, urls, evidence)."""

    pages: int
    counts: Mapping[tuple[str, str], int]
    mistakes: Sequence[tuple[str, str, tuple[str, str], Mapping[str, Any]]]

    @property
    def accuracy(self) -> float:
        """Share of pairs, constructed or reported, of which the right thing was said."""
        right = sum(
            n
            for (truth, reported), n in self.counts.items()
            if reported == truth or (truth, reported) == (TEMPLATE, NOTHING)
        )
        return right / sum(self.counts.values())

    @property
    def template_pairs(self) -> int:
        """Pairs reported of pages that share a template only."""
        return sum(n for (truth, reported), n in self.counts.items() if truth == TEMPLATE and reported != NOTHING)

    def lines(self) -> Iterator[str]:
        """The confusion matrix."""
        rows = [*Relation, TEMPLATE, NOTHING]
        columns = [*Relation, NOTHING]
        yield f"{'':18}" + "".join(f"{str(c)[:12]:>13}" for c in columns)
        for row in rows:
            yield f"{row:18}" + "".join(f"{self.counts.get((str(row), str(c)), 0):13}" for c in columns)


class PageCorpus:
    """The pages as a corpus; what a site repeats is not content."""

    def __init__(self, pages: Sequence[Page], rule: str) -> None:
        documents: list[Document] = []
        for key, page in enumerate(pages, 1):
            read_page = extract_html(page.html())
            links = tuple(urljoin(page.url, link) for link in read_page.links)
            documents.append(
                Document(
                    page.url,
                    read_page.text,
                    Role.SUSPECT,
                    key,
                    url=page.url,
                    site=page.site.host,
                    published=page.published,
                    blocks=judge(read_page.page, rule),
                    links=links,
                )
            )
        by_site: dict[str, list[int]] = defaultdict(list)
        for i, document in enumerate(documents):
            by_site[document.site].append(i)
        for members in by_site.values():
            self._without_repeated(documents, members)
        self.all = documents

    @staticmethod
    def _without_repeated(documents: list[Document], members: list[int]) -> None:
        pages = [
            [
                (
                    fingerprint(d.text[slice(*b.span)], b.kind),
                    b.span.end - b.span.start if b.verdict is BlockClass.CONTENT else 0,
                )
                for b in d.blocks
            ]
            for d in (documents[i] for i in members)
        ]
        repetition = repeated([np.array(blocks, SITE_BLOCK) for blocks in pages])
        for page, i in enumerate(members):
            again = repetition.of(page)
            blocks = [
                b._replace(verdict=BlockClass.NON_CONTENT) if at in again else b
                for at, b in enumerate(documents[i].blocks)
            ]
            documents[i] = replace(documents[i], blocks=tuple(blocks))

    def documents(self, *roles: Role) -> Iterator[Document]:
        """Documents in ``roles``."""
        return (d for d in self.all if not roles or d.role in roles)

    def count(self, *roles: Role) -> int:
        """Number of documents in ``roles``."""
        return sum(1 for _ in self.documents(*roles))


def measure(
    pairs: int = 40, seed: int = 1, rule: str = "default", settings: Mapping[str, Any] | None = None
) -> Outcome:
    """What is said of constructed pages whose content blocks are told by ``rule``."""
    web = construct(pairs, seed)
    corpus = PageCorpus(web.pages, rule)
    method = registry.get("rare-sentences")
    parameters = method.parameters.parse(settings or {})
    with tempfile.TemporaryDirectory() as name:
        method.prepare(corpus, parameters, Path(name), NullProgress())
        results = method.detect(method.load(Path(name), parameters), corpus.all, parameters, NullProgress())
    urls = {d.key: d.url for d in corpus.all}
    pair_of = {frozenset((urls[p.a], urls[p.b])): p for p in results.pairs}
    counts: Counter[tuple[str, str]] = Counter()
    mistakes = []
    for pair in [*web.truth, *(pair_of.keys() - web.truth.keys())]:
        truth = str(web.truth.get(pair, NOTHING))
        reported = (pair_of[pair].relation or "") if pair in pair_of else NOTHING
        counts[truth, reported] += 1
        if reported != (NOTHING if truth == TEMPLATE else truth):
            a, b = sorted(pair)
            mistakes.append((truth, reported, (a, b), pair_of[pair].evidence if pair in pair_of else {}))
    return Outcome(len(web.pages), counts, mistakes)


def main() -> None:
    """Print the matrix."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rule", default="default", help="the rule for content blocks")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--show", action="store_true", help="also the mistakes")
    options = parser.parse_args()
    outcome = measure(options.pairs, options.seed, options.rule, dict(pair.split("=", 1) for pair in options.set))
    print("\n".join(outcome.lines()))
    print(f"{outcome.pages} pages, {sum(outcome.counts.values())} pairs: accuracy {outcome.accuracy:.3f}")
    if options.show:
        for truth, reported, urls, evidence in outcome.mistakes:
            print(f"{truth} -> {reported}: {' '.join(urls)}: {evidence.get('decision')}")


if __name__ == "__main__":
    main()

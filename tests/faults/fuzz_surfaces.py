"""What strangers send besides files: merges, job folders, timestamps, answers of engines, journals, watches, captures.

    python tests/faults/fuzz_surfaces.py [--surface NAME] [--seconds N] [--seed S]

Each case is refused with a sentence or taken, and what is taken keeps its promises: a merge turns no verdict of another
by itself and is undone whole, a job leaves a sound project or none of it, a timestamp verifies only as it was given,
and a page that is shown runs and loads nothing.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.faults.fuzz_projects import limited, mutate
from workbench.base.errors import UserError
from workbench.base.types import Document, Label, Role
from workbench.jobs.context import Context

SECONDS = 60
"""Most seconds for a case."""
STRANGE = (
    *(
        "",
        "x",
        "\x00",
        "\x1b[8m",
        "\u202e",
        "\ud800",
        "9" * 400,
        "2099-01-01T00:00:00Z",
        "zzz",
        "[" * 3000,
        "x" * 70_000,
    ),
    *(None, True, -1, 0, 1.5, 1 << 70, float("nan"), float("inf"), [], {}, [[]], {"a": 1}, ["x"]),
)
CTX = Context("fuzz", lambda event: None, lambda: False)
Case = Callable[[random.Random], None]


@dataclass
class Tally:
    """What the cases came to; ``failed`` are sentences."""

    outcomes: collections.Counter[str] = field(default_factory=collections.Counter)
    failed: list[str] = field(default_factory=list)


def edited(value: Any, rng: random.Random) -> Any:
    """A JSON value in which something is another value, is gone or is there twice."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        name = rng.choice(list(value))
        if rng.random() < 0.1:
            return {key: item for key, item in value.items() if key != name}
        return value | {name: edited(value[name], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        if rng.random() < 0.1:
            return [*value, value[at]]
        return [*value[:at], edited(value[at], rng), *value[at + 1 :]]
    if isinstance(value, int) and rng.random() < 0.5:
        return value + rng.choice((-1, 1, 10**6))
    return rng.choice(STRANGE)


def merges(folder: Path) -> Case:
    """A colleague's copy whose log says what it likes, of anybody at any time."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "unit/services"))
    from stored import FIRST, PASSAGES, A, B, store_run

    from workbench.project import labels
    from workbench.project.documents import add_documents
    from workbench.services.labels.merge_additions import undo_merge
    from workbench.services.labels.merging import merge_batch
    from workbench.services.review.exclusions import exclusions
    from workbench.services.review.verdicts import Unit, give_verdict
    from workbench.services.session import Session, create

    base = folder / "base.palimpsest"
    units = [Unit("s", "t", (match.a_span, match.b_span)) for match in PASSAGES[FIRST]]
    create(base)
    with Session(base) as session:
        with session.write() as connection:
            add_documents(connection, [Document("s", A, Role.SUSPECT), Document("t", B, Role.SOURCE)])
        store_run(session, list(PASSAGES[FIRST]))
        for unit in units:
            give_verdict(session, unit, "copy", "", "Ann")
        with session.read() as connection:
            events = list(labels.events(connection))
    targets = [
        *{event.target for event in events},
        "document:s",
        "source:t",
        "pair:s:t",
        "log:merge:1-1",
        "log:merge:1-99",
    ]
    targets += ["match:s:05-50:t:0-45", "match:s:5-49:t:0-44", 'log:value:["verdict","copy"]', "site:example.org"]
    sets = [
        "verdict",
        "exclusion",
        "class",
        "merge",
        "renamed value",
        "attached verdict",
        "split",
        "assignment",
        "by hand",
    ]
    values = ["copy", "not-copy", "excluded", "", "quotation", targets[0]]

    def text(choices: list[str], rng: random.Random) -> str:
        strange = [value for value in STRANGE if isinstance(value, str) and "\ud800" not in value]
        return rng.choice(choices) if rng.random() < 0.8 else rng.choice(strange)

    def verdicts(path: Path) -> tuple[Any, Any]:
        with Session(path, write=False) as session, session.read() as connection:
            pair = session.verdicts.follow(connection).of("s", "t")
            judged = [pair.at(*unit.spans) for unit in units]
            of_all = [None if j is None else sorted((v.who, v.value) for v in j.verdicts) for j in judged]
            return of_all, [e.what for e in exclusions(connection)]

    before = verdicts(base)

    def case(rng: random.Random) -> None:
        own, other = folder / "own.palimpsest", folder / "other.palimpsest"
        shutil.copy(base, own)
        shutil.copy(base, other)
        with Session(other) as session, session.write() as connection:
            for _ in range(rng.randrange(1, 6)):
                when = text(["", "2026-01-01T00:00:00.000Z", "2099-01-01T00:00:00.000Z", "0001-01-01"], rng)
                who = text(["Ann", "Ben", "Eve", ""], rng)
                label = Label(text(targets, rng), text(values, rng), who, when, label_set=text(sets, rng))
                labels.add_label(connection, label)
        result = merge_batch(CTX, own, other)
        of_all, _ = verdicts(own)
        for mine, there in zip(before[0], of_all, strict=True):
            assert not mine or set(mine) <= set(there or ()), f"a verdict of Ann was turned: {mine} {there}"
        if result.number:
            with Session(own) as session:
                undo_merge(session, result.number)
            assert verdicts(own) == before, "an undone merge left something"

    return case


def jobs(folder: Path) -> Case:
    """The folder of a finished job that somebody edited."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from tests.unit.scaleout.collection import write_pages
    from workbench.base.progress import NullProgress
    from workbench.project.database import create, open_project
    from workbench.project.integrity import counts, integrity
    from workbench.scaleout.job import run
    from workbench.scaleout.record import JobRequest
    from workbench.services.scaling.running import EngineOptions
    from workbench.services.scaling.storing import import_scale

    finished = folder / "finished"
    request = JobRequest((write_pages(folder / "pages.jsonl", 14),), "trustable-lcs", {}, site_repetition=False)
    run(finished, request, partial(EngineOptions(threads=1).open, finished, workers=0), NullProgress())

    def case(rng: random.Random) -> None:
        job, project = folder / "job", folder / "p.palimpsest"
        for old in (job, Path(f"{project}-index")):
            shutil.rmtree(old, ignore_errors=True)
        for old in folder.glob("p.palimpsest*"):
            old.unlink()
        shutil.copytree(finished, job)
        record = json.loads((job / "job.json").read_text())
        kind = rng.choice(("record", "rows", "bytes"))
        if kind == "record":
            (job / "job.json").write_text(json.dumps(edited(record, rng)))
        else:
            name = rng.choice([*record["results"], *record["pages"]])
            file = rng.choice(sorted((job / name).glob("*.parquet")))
            if kind == "bytes":
                file.write_bytes(mutate(file.read_bytes(), rng))
            else:
                table = pq.read_table(file)
                rows = table.to_pylist()
                try:
                    pq.write_table(pa.Table.from_pylist(edited(rows, rng), schema=table.schema), file)
                except (pa.ArrowException, TypeError, ValueError, OverflowError, AttributeError, UnicodeError):
                    return
        create(project)
        try:
            import_scale(CTX, project, job)
        except UserError:
            with open_project(project) as opened, opened.read() as connection:
                assert not any(counts(connection)), "a refused job left something"
            raise
        with open_project(project) as opened:
            assert integrity(opened, deep=True) == "ok", "a job that was taken damaged the project"

    return case


def timestamps(folder: Path) -> Case:
    """An answer of a timestamp service of which something was changed."""
    from tests.timestamp_service import TimestampService
    from workbench.services import timestamps as service

    authority = TimestampService(folder)
    query = service.request(b"a manifest")
    answer = authority.answer(query.as_bytes())
    digest = bytes(query.message_imprint.message)
    stamped = service.stamped_at(answer, digest, str(authority.authorities))

    def case(rng: random.Random) -> None:
        data = mutate(answer, rng)
        answered = service.stamped_at(data, digest, str(authority.authorities))
        assert answered == stamped, f"a changed timestamp says {answered}"

    return case


def search(folder: Path) -> Case:
    """Answers of search engines."""
    from workbench.services.engines.asking import answers

    answer = {"web": {"results": [{"url": "https://example.org/a", "n": 1}, {"url": "https://example.org/b"}]}}

    def case(rng: random.Random) -> None:
        data = json.dumps(edited(answer, rng)).encode()
        path = rng.choice(("web.results[].url", "web", "", "[]", "..", "web[].[]", "\x00", "web.results[].url.x"))
        pages = answers(mutate(data, rng) if rng.random() < 0.5 else data, path, rng.choice(("", "web.results[].n")))
        assert all(answer.address.lower().startswith("http") for answer in pages), pages

    return case


def fetches(folder: Path) -> Case:
    """The journal of an interrupted fetch that somebody edited."""
    from workbench.services.fetching.journal import Entry, FetchPlan, PageRequest, Spool

    project = folder / "p.palimpsest"
    spool = Spool(project)
    spool.begin("request", "suspect")
    spool.set_plan(FetchPlan((PageRequest("https://example.org/", "", ""),), (), {}))
    spool.add(Entry("https://example.org/", "https://example.org/", "2026-01-01T00:00:00Z"))
    spool.close()
    (journal,) = (file for file in Path(f"{project}.fetch").iterdir() if "json" in file.name or "journal" in file.name)
    whole = journal.read_bytes()

    def case(rng: random.Random) -> None:
        lines = [json.loads(line) for line in whole.splitlines()]
        changed = b"".join(
            json.dumps(edited(line, rng) if rng.random() < 0.5 else line).encode() + b"\n" for line in lines
        )
        journal.write_bytes(mutate(changed, rng) if rng.random() < 0.5 else changed)
        read = Spool(project)
        assert all(isinstance(entry.url, str) and entry.body >= 0 for entry in read.entries)
        read.close()

    return case


def watches(folder: Path) -> Case:
    """Saved searches of a project that somebody edited."""
    from workbench.base.page_sources import PageSource, PlaceKind
    from workbench.services.session import Session, create
    from workbench.services.watching.reads import overdue, read_figures, read_watches
    from workbench.services.watching.settings import WatchSettings
    from workbench.services.watching.store import add, all_watches

    project = folder / "p.palimpsest"
    create(project)
    with Session(project) as session:
        watch = add(session, "news", WatchSettings(places=(PageSource(PlaceKind.URL, "https://example.org/"),)))

    def case(rng: random.Random) -> None:
        with Session(project) as session:
            with session.write() as connection:
                changed = json.dumps(edited(dict(watch.settings), rng))
                connection.exec_driver_sql("UPDATE watch SET settings = ?", (changed,))
            for read in (read_watches, overdue, read_figures("news", 7)):
                read(session)
            for stored in all_watches(session):
                WatchSettings.from_dict(stored.settings).check()

    return case


ATTACKS = (
    *("<script>x()</script>", "<img src=http://example.org/i>", "<p style='background:url(//example.org/s)' id=x>"),
    *(
        "<a href='java&#10;script:x()'>a</a>",
        "<svg><style><img src=x onerror=x()></style></svg>",
        "<base href=//e.org>",
    ),
    *("<iframe srcdoc='<script>x()</script>'>", "<math><mtext><table><mglyph><style><!--</style><img onerror=x()>"),
    *("<meta http-equiv=refresh content='0;url=//e.org'>", "<form action=//e.org><button formaction=x>", "<noscript>"),
    *(
        "<link rel=preload href=//e.org>",
        "<object data=x>",
        "<!--[if IE]><script>x()</script><![endif]-->",
        "<x onclick=x>",
    ),
    *("<template><script>x()</script></template>", "<textarea><p>", "<plaintext>", "<![CDATA[<script>x()</script>]]>"),
)
"""What a page would run or load, and what confuses the cleaning of pages."""


def captures(folder: Path) -> Case:
    """Pages that a watch keeps, their headers and times, and rows of captures that somebody edited."""
    from tests.faults.fuzz_seeds import PAGE
    from workbench.project import captures as rows
    from workbench.project.packing import pack
    from workbench.services.fetching import captured, intervals
    from workbench.services.session import Session, create

    project, whole, url = folder / "p.palimpsest", PAGE.encode(), "https://example.org/page"
    create(project)
    kinds = [
        "text/html; charset=utf-8",
        "text/html",
        "application/pdf",
        "text/plain; charset=utf-16",
        "x/y; charset=zzz",
    ]
    columns = ("url", "final_url", "captured", "status", "etag", "body_hash", "error", "size", "packed")

    def page(rng: random.Random) -> bytes:
        data = whole
        for _ in range(rng.randrange(4)):
            at = rng.randrange(len(data))
            data = data[:at] + rng.choice(ATTACKS).encode() + data[at:]
        return mutate(data, rng) if rng.random() < 0.7 else data

    def headers(rng: random.Random) -> tuple[tuple[str, str], ...]:
        strange = [value for value in STRANGE if isinstance(value, str)]
        pairs = [("Content-Type", rng.choice(kinds)), ("ETag", rng.choice(strange)), (rng.choice(strange), "x")]
        pairs += [("x", rng.choice(("a\r\nWARC/1.1", *strange))), ("warc-record-id", rng.choice(("urn:x", *strange)))]
        return tuple(rng.sample(pairs, rng.randrange(len(pairs) + 1)))

    def case(rng: random.Random) -> None:
        body = page(rng)
        digest = hashlib.sha256(body).digest()
        status = rng.choice((200, 404, 304, 0, 999, -1))
        capture = rows.Capture(
            url, url, "2026-01-01T00:00:00Z", rows.Outcome.NEW, status, body_hash=digest, headers=headers(rng)
        )
        with Session(project) as session:
            with session.write() as connection:
                connection.exec_driver_sql("DELETE FROM capture")
                connection.exec_driver_sql("DELETE FROM capture_body")
                rows.add_captures(connection, "fetch", [capture])
                rows.add_bodies(connection, {digest: body})
                if rng.random() < 0.3:
                    column = rng.choice(columns)
                    fitting: tuple[Any, ...] = tuple(v for v in STRANGE if isinstance(v, str) and v != "\ud800")
                    fitting = {"status": (-1, 0, 10**12), "size": (-1, 0, 10**12)}.get(column, fitting)
                    if column in ("body_hash", "packed"):
                        fitting = (b"", b"\xff", digest[:9], pack(b"[[1]]").data, pack(b"[" * 3000).data)
                    connection.exec_driver_sql(f"UPDATE capture SET {column} = ?", (rng.choice(fitting),))
            archive, file = folder / "a.warc", folder / "body"
            (kept,) = captured.captures(session)
            with session.read() as connection:
                intervals.request_times(connection, [kept.url], "fetch")
                rows.page_states(connection, [kept.url])
                rows.page_texts(connection, [kept.final_url])
            count = captured.write_warc(session, archive)
            assert warc_bodies(archive.read_bytes()) == [body] * count, "an archive does not hold what was captured"
            captured.write_body(session, kept, file)
            assert file.read_bytes() == body, "other bytes were written"
            assert not harmful(captured.shown(session, kept).page), "a page runs or loads something"

    return case


def warc_bodies(data: bytes) -> list[bytes]:
    """The bodies of the answers in a web archive. Raises ValueError if a record is not whole."""
    bodies = []
    while data:
        head, _, rest = data.partition(b"\r\n\r\n")
        version, *lines = head.decode().split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines)
        length = int(fields["Content-Length"])
        if version != "WARC/1.1" or rest[length : length + 4] != b"\r\n\r\n" or len(fields) != len(lines):
            raise ValueError(f"no record: {head[:100]!r}")
        block, data = rest[:length], rest[length + 4 :]
        if fields["WARC-Type"] != "warcinfo":
            bodies.append(block.partition(b"\r\n\r\n")[2] if fields["WARC-Type"] == "response" else block)
    return bodies


def harmful(page: str) -> list[str]:
    """Tags and attributes in the body of a page that run or load something, also where a browser sees none."""
    never = {"script", "style", "img", "iframe", "object", "embed", "link", "base", "form", "svg", "math", "meta"}
    seen: list[str] = []

    class Tags(HTMLParser):
        CDATA_CONTENT_ELEMENTS = ()

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            seen.extend(f"{tag} {name}" for name, _ in attrs if name not in ("colspan", "rowspan", "lang", "dir"))
            seen.extend([tag] if tag in never else [])

    parser = Tags()
    parser.feed(page.partition("<body>")[2])
    parser.close()
    return seen


def tags(folder: Path) -> Case:
    """Words of all kinds as tags."""
    from workbench.project.documents import add_documents
    from workbench.services.session import Session, create
    from workbench.services.tagging import change_tags_of, tagged

    project = folder / "p.palimpsest"
    create(project)
    with Session(project) as session, session.write() as connection:
        add_documents(connection, [Document("s", "A text.")])

    def case(rng: random.Random) -> None:
        strange = [value for value in STRANGE if isinstance(value, str)]
        names = [rng.choice(("news", "-x", "a,b", " y ", chr(rng.randrange(0x110000)), *strange)) for _ in range(3)]
        with Session(project) as session:
            change_tags_of(session, ["s"], names, [])
            own = tagged(session, "").get("s", ())
            assert all(tagged(session, name) for name in own), f"no document is found by {own}"
            change_tags_of(session, ["s"], [], own)
            assert not tagged(session, "")

    return case


SURFACES: dict[str, Callable[[Path], Case]] = {
    surface.__name__: surface for surface in (merges, jobs, timestamps, search, fetches, watches, captures, tags)
}


def fuzz(surface: str, seed: int, cases: int, seconds: float = 1e9) -> Tally:
    """``cases`` cases at most, or as many as ``seconds`` allow."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        case = SURFACES[surface](Path(name))
        end = time.monotonic() + seconds
        for number in range(seed, seed + cases):
            if time.monotonic() > end:
                break
            try:
                with limited(SECONDS):
                    case(random.Random(number))
                tally.outcomes["taken"] += 1
            except UserError:
                tally.outcomes["refused"] += 1
            except Exception as error:  # noqa: BLE001 - this is what is looked for
                tally.outcomes["failed"] += 1
                tally.failed.append(f"{surface} {number}: {type(error).__name__}: {str(error)[:300]}")
    return tally


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--surface", choices=SURFACES)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    failed = 0
    for surface in [arguments.surface] if arguments.surface else SURFACES:
        tally = fuzz(surface, arguments.seed, 10**9, arguments.seconds)
        for sentence in tally.failed[:10]:
            print(sentence)
        print(f"{surface}: {sum(tally.outcomes.values()):,} cases, {dict(tally.outcomes)}", flush=True)
        failed += len(tally.failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

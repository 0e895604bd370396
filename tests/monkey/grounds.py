"""The projects and files a random user finds, and the program that writes into the project meanwhile.

    python -m tests.monkey.grounds

reads lines "label PROJECT NUMBER" and "lock PROJECT SECONDS" and answers each with one line: the target labelled, or
nothing.
"""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import cycle
from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.types import Role
from workbench.jobs.context import Context
from workbench.project.listing import ids_of
from workbench.project.matches import match_columns
from workbench.project.runs import runs
from workbench.services.detecting.runs import detect
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.labels.targets import passage_target
from workbench.services.labels.verdicts import PASSAGE, values
from workbench.services.review.verdicts import set_verdict
from workbench.services.sample import build_sample
from workbench.services.session import Session, create

PROJECTS = ("sample.palimpsest", "odd.palimpsest")
OTHER = "Another annotator"
_PROSE = [
    "The station stood at the end of the line, and nobody had been there for years.",
    "A clerk of the company wrote down every train that did not come.",
    "雨の降る日には、軒下に猫が集まって、誰も来ない線路を眺めていた。",
    "他在站台上等了很久，直到最后一盏灯也熄灭了。",
    "مرحبا بالعالم وهذا نص من اليمين إلى اليسار.",
    "Combining: e\u0301\u0323 a\u0308o\u0302, joined: \U0001f468\u200d\U0001f469\u200d\U0001f467 and a tab\there.",
]


def build(folder: Path) -> None:
    """Two projects, "inputs" to import and an empty "out" in ``folder``."""
    ctx = Context("grounds", lambda event: None, lambda: False)
    folder.mkdir(parents=True, exist_ok=True)
    build_sample(ctx, folder / PROJECTS[0])
    detect(ctx, folder / PROJECTS[0], "shingle", {}, workers=1)
    detect(ctx, folder / PROJECTS[0], "trustable-lcs", {}, workers=1)
    texts = folder / "texts"
    _write(texts / "source", _odd_texts(changed=False))
    _write(texts / "suspect", _odd_texts(changed=True))
    create(folder / PROJECTS[1])
    for role in (Role.SOURCE, Role.SUSPECT):
        import_paths(ctx, folder / PROJECTS[1], [texts / role.value], role, ImportOptions(workers=1))
    loose = {"min_run": 1, "min_segment": 3, "rule": "length"}
    detect(ctx, folder / PROJECTS[1], "digest", loose, workers=1)
    detect(ctx, folder / PROJECTS[1], "rare-sentences", {}, workers=1)
    inputs = folder / "inputs"
    _write(inputs, {"new.txt": "\n\n".join(_PROSE), "empty.txt": "", "broken.html": "<p>one<table><p>two" * 9})
    (inputs / "damaged.pdf").write_bytes(b"%PDF-1.4\n\x00\xff damaged")
    (inputs / "zeros.txt").write_bytes(b"text\x00\x00\xff\xfe more")
    (folder / "out").mkdir()


def _odd_texts(*, changed: bool) -> dict[str, str]:
    whole = "\n\n".join(_PROSE)
    extra = "A sentence that stands nowhere else but here. " if changed else ""
    line = "".join(f"{sentence} " for sentence, _ in zip(cycle(_PROSE), range(400), strict=False))
    page = "".join(f"<p>{sentence}</p>" for sentence in _PROSE)
    return {
        "paragraphs.txt": f"{extra}\n\n{whole}\n\n{extra}",
        "blank.txt": "\n\n\n".join([extra, *_PROSE, "", "", extra]),
        "one-line.txt": extra + line,
        "odd-ends.txt": f"\u2028{extra}".join(_PROSE) + "\u2029\r\n\r\n" + whole,
        "short.txt": _PROSE[0],
        "twice.txt": f"{whole}\n{extra}\n{whole}",
        "page.html": f"<html><head><title>Page</title></head><body><nav><a href=x>Home</a></nav>{page}</body></html>",
    }


def _write(folder: Path, texts: dict[str, str]) -> None:
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")


def label(project: Path, number: int) -> str:
    """Give a match of the newest run with any a verdict, or withdraw it, as another annotator; its target."""
    with Session(project) as session:
        with session.read() as connection:
            with_matches = [run for run in runs(connection) if run.matches]
            if not with_matches:
                return ""
            matches, ids = match_columns(connection, with_matches[number % len(with_matches)].id), ids_of(connection)
        match = matches.row(number % len(matches))
        choices = [*values(PASSAGE), ""]
        set_verdict(session, match, choices[number % len(choices)], "", OTHER)
    return passage_target(ids[match.a], match.a_span, ids[match.b], match.b_span)


def lock(project: Path, seconds: float) -> str:
    """Keep every other program from writing to ``project`` for a while."""
    with closing(sqlite3.connect(project, isolation_level=None, timeout=5)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        time.sleep(seconds)
        connection.execute("ROLLBACK")
    return ""


def _answers() -> Iterator[str]:
    for line in sys.stdin:
        verb, project, number = line.rstrip("\n").split("\t")
        try:
            yield label(Path(project), int(number)) if verb == "label" else lock(Path(project), float(number))
        except (UserError, OSError, sqlite3.Error):
            yield ""  # the window holds the file, or it is gone


if __name__ == "__main__":
    for answer in _answers():
        print(answer.replace("\n", " "), flush=True)

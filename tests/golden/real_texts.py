"""Every match of every collection of real texts, stepped through in the real Review.

    python -m tests.golden.real_texts [--data FOLDER] [COLLECTION ...]

FOLDER (default: the real texts beside the repository) holds the collections; without names all are stepped through.
A run of the digest, set so loosely that it finds much, is opened; every suspect, every source of it and every match is
visited, forwards and backwards, and every layer is switched off and on. After each step both panes show the match and
every part of the screen names it, and nothing went wrong; see :mod:`tests.monkey.screen`. Each collection runs in a
process of its own, so that one that dies is told as well. The exit code is 1 where anything failed.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

from tests.monkey import screen
from tests.monkey.problems import Reports
from workbench import __version__
from workbench.base.resources import cache_dir
from workbench.base.settings import Settings
from workbench.base.types import Role, Run
from workbench.gui.screens.review.view import ReviewView
from workbench.gui.shell import app
from workbench.jobs.context import Context
from workbench.services.detecting.runs import detect
from workbench.services.importing.batch import ImportOptions, import_paths
from workbench.services.session import create

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
LOOSE = {"min_run": 1, "min_segment": 8, "rule": "length"}
"""One equal sentence is a match."""
LONGER = {"min_run": 2, "min_segment": 5, "rule": "length"}
SHOWN = 20
"""Failures that are printed in full."""
_LIMIT_S = 60.0

Imports = Sequence[tuple[Sequence[Path], Role | None, str]]


@dataclass(frozen=True)
class Collection:
    """What to import as (paths, role, format) and how to detect."""

    imports: Callable[[Path], Imports]
    parameters: Mapping[str, object] = field(default_factory=lambda: LOOSE)


@dataclass
class Tally:
    """What was visited, and what went wrong."""

    suspects: int = 0
    pairs: int = 0
    matches: int = 0
    steps: int = 0
    failures: list[str] = field(default_factory=list)


def _editions(folder: str) -> Callable[[Path], Imports]:
    def imports(data: Path) -> Imports:
        pairs = json.loads((data / folder / "pairs.json").read_text(encoding="utf-8"))
        older, newer = ({data / folder / pair[side] for pair in pairs} for side in "ab")
        return [(sorted(older), Role.SOURCE, "txt"), (sorted(newer - older), Role.SUSPECT, "txt")]

    return imports


def _pan(category: str) -> Callable[[Path], Imports]:
    def imports(data: Path) -> Imports:
        names = [file.stem.split("-source-") for file in (data / "pan13").glob(f"{category}-*/*.xml")]
        suspects = {data / "pan13" / "susp" / f"{a}.txt" for a, _ in names}
        sources = {data / "pan13" / "src" / f"source-{b}.txt" for _, b in names}
        return [(sorted(sources), Role.SOURCE, "txt"), (sorted(suspects), Role.SUSPECT, "txt")]

    return imports


COLLECTIONS: dict[str, Collection] = {
    "copies_ja": Collection(lambda data: [([data / "copies_ja" / "documents.jsonl"], None, "auto")]),
    "laws_zh": Collection(_editions("laws_zh")),
    "aozora": Collection(_editions("aozora"), LONGER),
    **{
        f"pan13-{category}": Collection(_pan(f"{number:02}"), {**LOOSE, "min_segment": 3})
        for number, category in enumerate(("none", "no-obfuscation", "random", "translation", "summary"), 1)
    },
    "wiki_ja": Collection(
        lambda data: [([data / "wiki_ja" / "documents.jsonl"], None, "auto")],
        {**LOOSE, "min_segment": 4, "compare": "all"},
    ),
    "debian_guide": Collection(
        lambda data: [
            ([data / "debian_guide" / "amd64"], Role.SOURCE, "auto"),
            ([data / "debian_guide" / "i386"], Role.SUSPECT, "auto"),
        ],
        LONGER,
    ),
    **{
        name: Collection(
            lambda data, name=name: [([data / name / "html"], Role.SUSPECT, "auto")],  # type: ignore[misc]
            {**LOOSE, "compare": "all"},
        )
        for name in ("articles_en", "articles_mixed", "articles_zh")
    },
}


def detected(project: Path, imports: Imports, parameters: Mapping[str, object]) -> Run:
    """A run of the digest over a new project with ``imports``."""
    ctx = Context("golden", lambda event: None, lambda: False)
    create(project)
    for paths, role, kind in imports:
        import_paths(ctx, project, list(paths), role, ImportOptions(format=kind))
    return detect(ctx, project, "digest", parameters)


class Stepper:
    """Walks through a run in the real window, and looks after each step whether all is well."""

    def __init__(self, project: Path) -> None:
        app.application()
        self.tally = Tally()
        self.reports = Reports()
        self.controller = app.Controller(Settings(theme="light", language="en"), keep=False)
        self.controller.begin(project, "review", 60_000)
        self.controller.window.show()
        view = self.controller.window.view("review")
        assert isinstance(view, ReviewView)
        self.review = view
        self._rest()

    def close(self) -> None:
        """Close the window."""
        self.controller.window.close()
        self.reports.close()
        for part in (self.controller.window, self.controller.context, self.controller):
            part.deleteLater()

    def walk(self, note: Callable[[str], object] = lambda words: None, limit: int | None = None) -> Tally:
        """Visit ``limit`` suspects (None: all that have matches); ``note`` gets the place before it is visited."""
        keys = [row.key for row in self.review.overview.suspects if row.matches]
        for key in keys[:limit]:
            note(f"suspect {key}")
            self._choose_suspect(key)
            self.tally.suspects += 1
            opened = self.review.pair.opened
            if opened is None:
                self._note([f"suspect {key} does not open"])
                continue
            for source in [s.key for s in opened.sources]:
                note(f"suspect {key}, source {source}")
                self._choose_source(source)
                opened = self.review.pair.opened
                if opened is None or (opened.a.key, opened.b.key) != (key, source):
                    self._note([f"pair {key}, {source} does not open"])
                self.tally.pairs += 1
                self._layers()
            self._walk_suspect()
        return self.tally

    def _walk_suspect(self) -> None:
        """All passages of the suspect, whichever source they are of, forwards and backwards."""
        outline = self.review.pair.outline
        if outline is None:
            self._note(["the suspect has no passages to step through"])
            return
        last = len(outline) - 1
        self.tally.matches += last + 1
        self._do("review.first", 0)
        for place in range(1, last + 1):
            self._do("review.next", place)
        self._table()
        for place in range(last - 1, -1, -1):
            self._do("review.previous", place)

    def _choose_suspect(self, key: int) -> None:
        panel = self.review.suspects
        panel.list.setCurrentIndex(panel.model.index(panel.model.row_of(key)))
        self._look()

    def _choose_source(self, key: int) -> None:
        strip = self.review.pair.strip
        chip = next((chip for chip in strip.chips if chip.item.key == key), None)
        if chip is not None:
            chip.click()
        elif strip.chips:
            at = [s.key for s in self.review.pair.opened.sources].index(key)  # type: ignore[union-attr]
            strip.everything.menu().actions()[at].trigger()
        self._look()

    def _do(self, action: str, expected: int) -> None:
        self.controller.context.actions.run(action)
        self._look()
        self.tally.steps += 1
        outline = self.review.pair.outline
        place = -1 if outline is None else outline.place_of(self.review.pair.active)
        if place != expected:
            self._note([f"{action} leads to passage {place + 1}, not {expected + 1}"])
        self._note(screen.out_of_view(self.review))

    def _layers(self) -> None:
        for button in self.review.pair.toolbar.layers.values():
            if not button.isHidden():
                for _ in range(2):
                    button.click()
                    self._look()
        self._note(screen.out_of_view(self.review))

    def _table(self) -> None:
        """The row of the current match in the table of all matches leads back to it."""
        review, run = self.review, self.controller.context.actions.run
        opened, number, columns = review.pair.opened, review.pair.active, review.overview.columns
        assert opened is not None
        assert columns is not None
        run("review.table")
        self._look()
        table = review.table.table
        row = table.currentIndex().row()
        place = columns.place(int(review.table.model.key_at(row))) if row >= 0 else None
        if place != (opened.a.key, opened.b.key, number):
            self._note([f"table: the row of {place} is chosen, not of {opened.a.key, opened.b.key, number}"])
        run("review.table")
        self._look()

    def _look(self) -> None:
        self._rest()
        self._note(screen.disagreements(self.review))
        self._note(self.reports.take())

    def _note(self, sentences: Sequence[str]) -> None:
        opened = self.review.pair.opened
        place = "" if opened is None else f"{opened.a.id} against {opened.b.id}, match {self.review.pair.active + 1}: "
        self.tally.failures += [f"{place}{sentence}" for sentence in sentences]

    def _rest(self) -> None:
        """Let everything that was begun end."""
        context, review = self.controller.context, self.review
        until = time.monotonic() + _LIMIT_S
        while time.monotonic() < until:
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents)
            if (
                review.is_ready()
                and not context.reads.pending
                and not review.opening.pace.reading
                and not context.opening
            ):
                QApplication.processEvents()
                return
            time.sleep(0.001)
        self._note(["the window does not come to rest"])


def _child(name: str, data: Path) -> None:
    """Step through one collection; progress goes to standard error, the tally to standard output."""
    faulthandler.enable()
    collection = COLLECTIONS[name]
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / f"{name}.palimpsest"
        run = detected(project, collection.imports(data), collection.parameters)
        print(f"{name}: {run.matches} matches", file=sys.stderr, flush=True)
        tally = Tally()
        if run.matches:
            stepper = Stepper(project)
            tally = stepper.walk(lambda words: print(f"{name}: {words}", file=sys.stderr, flush=True))
            stepper.close()
    print(json.dumps(asdict(tally)))


def _stepped(name: str, data: Path) -> Tally:
    """The tally of one collection, from a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        own = {f"PALIMPSEST_{part}": str(Path(folder) / part) for part in ("CONFIG", "DATA", "CACHE")}
        own["NUMBA_CACHE_DIR"] = os.environ.get("NUMBA_CACHE_DIR", str(cache_dir() / "numba" / __version__))
        command = [sys.executable, "-X", "faulthandler", "-m", "tests.golden.real_texts", "--child", name]
        done = subprocess.run(
            [*command, "--data", str(data)], env=os.environ | own, capture_output=True, text=True, check=False
        )
    if done.returncode == 0:
        return Tally(**json.loads(done.stdout.splitlines()[-1]))
    return Tally(failures=[f"the process ended with {done.returncode}:\n{done.stderr[-4000:]}"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Step through the collections and print what was visited; 1 where anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.real_texts", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("collections", nargs="*", metavar="COLLECTION", help=", ".join(COLLECTIONS))
    chosen = parser.parse_args(arguments)
    if chosen.child:
        _child(chosen.collections[0], chosen.data)
        return 0
    failures: list[str] = []
    whole = Tally()
    for name in chosen.collections or COLLECTIONS:
        begun = time.monotonic()
        tally = _stepped(name, chosen.data)
        counts = f"{tally.suspects} suspects, {tally.pairs} pairs, {tally.matches} matches, {tally.steps} steps"
        print(f"{name}: {counts}, {len(tally.failures)} failures, {time.monotonic() - begun:.0f} s", flush=True)
        for failure in tally.failures[:SHOWN]:
            print(f"  {failure}", flush=True)
        failures += tally.failures
        for part in ("suspects", "pairs", "matches", "steps"):
            setattr(whole, part, getattr(whole, part) + getattr(tally, part))
    visited = f"{whole.suspects} suspects, {whole.pairs} pairs, {whole.matches} matches, {whole.steps} steps"
    print(f"{len(chosen.collections or COLLECTIONS)} collections: {visited}, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

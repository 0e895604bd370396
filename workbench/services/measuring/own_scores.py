"""Imports scores that another program computed, as a run to be measured and reviewed like those of the methods."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from workbench.base.errors import ParameterError, UserError
from workbench.base.messages import Counted, Message
from workbench.base.options import FILE, option
from workbench.base.types import DocumentScore, Match, Matches, PairScore, Results, Role, Run
from workbench.jobs.context import Context
from workbench.project.database import Connection, open_project
from workbench.project.documents import near_ids, texts_of
from workbench.project.listing import DocumentTable, document_table
from workbench.project.run_documents import present_documents, store_run_documents
from workbench.project.runs import begin_run, finish_chunk, finish_run
from workbench.services.labels.targets import (
    TargetKind,
    kind_of,
    parse_document,
    parse_pair,
    parse_passage,
    passage_target,
)
from workbench.services.tasks import Outcome, Task, failure_records

if TYPE_CHECKING:
    from workbench.reading.formats import Failure
    from workbench.services.labels.rows import LabelRow

_KINDS = {f"{kind}s": kind for kind in TargetKind}


_OF_LABELS = ("label", "value", "annotator", "who", "time", "when", "set", "label_set", "kind", "old", "how")
"""Columns of files of labels, which files of scores may have as well: they are ignored."""


@dataclass(frozen=True)
class ImportScores(Task):
    """Import scores of documents, pairs or passages. ``columns`` maps headings to fields as for labels, with ``score``
    for the score.
    """

    title: ClassVar[str] = "Import scores"
    about: ClassVar[str] = (
        "Scores that another program computed become a run, to be measured and reviewed like any other: JSON Lines or "
        "CSV with the columns id and score, or for pairs a, b and score, or for passages a, a_start, a_end, b, "
        "b_start, b_end and score."
    )

    file: str = option("", title="File of scores", kind=FILE)
    name: str = option("", title="Program or model that computed the scores")
    of: str | None = option(
        None, title="Scores of", kind=str, choices=tuple(_KINDS), empty="what the first row is about"
    )
    lower_is_better: bool = option(False, title="Low scores mean copied")
    encoding: str = option("", title="Encoding", empty="detected")
    columns: str = option(
        "", "Contents of the columns, as in 'Doc=id,Probability=score'; 'X=' ignores X", title="Columns"
    )

    def rules(self) -> None:
        """Raise ParameterError without a file or a name, or for columns of another form."""
        if not self.file:
            raise ParameterError(Message("Choose a file of scores."))
        if not self.name.strip():
            raise ParameterError(Message("Name the program or model that computed the scores."))
        from workbench.reading.formats.rows import columns_of

        columns_of(self.columns)

    @property
    def subject(self) -> str:
        """The program or model."""
        return self.name

    def run(self, ctx: Context, project: Path) -> Outcome:
        """Import, and count the scores."""
        run, scores, failed = import_scores(ctx, project, self)
        sentences = [Counted("{count} score was imported.", "{count} scores were imported.", scores)]
        if failed:
            sentences.append(Counted("{count} row was refused.", "{count} rows were refused.", len(failed)))
        record = {"run": run.id, "scores": scores, "failed": failure_records(failed)}
        return Outcome(sentences, record, failed, run)


def import_scores(ctx: Context, project_path: Path, task: ImportScores) -> tuple[Run, int, tuple[Failure, ...]]:
    """Store the scores of a file as a finished run: of the documents that it names or, for pairs and passages, of all,
    those that are not in the file with 0. Returns the run, the number of
    scores, and the rows that were refused; the rest is stored.

    Refused: rows about documents that are not in the project, about another kind of items, without a number, with a
    second score for the same item, and with passages that end beyond their documents; negative scores of pairs and
    passages, because those that are not in the file count as 0. Raises UserError, with nothing stored, if no row is
    left.
    """
    from workbench.methods.own_scores import OF_DOCUMENTS, OF_PAIRS, OF_PASSAGES
    from workbench.reading.formats.rows import columns_of
    from workbench.services.labels.rows import read_rows

    methods = {TargetKind.DOCUMENT: OF_DOCUMENTS, TargetKind.PAIR: OF_PAIRS, TargetKind.PASSAGE: OF_PASSAGES}
    own = {heading.lower(): field.lower() for heading, field in columns_of(task.columns).items()}
    named = dict.fromkeys(_OF_LABELS, "") | {"score": "score"} | own
    columns = {heading: "label" if field == "score" else field for heading, field in named.items()}
    rows = list(read_rows(Path(task.file), task.encoding or None, columns))
    with open_project(project_path) as project, project.write() as connection:
        intake = _Intake(connection, task)
        for row in rows:
            ctx.check()
            intake.take(row)
        if not intake.scores:
            raise UserError(
                Message("The file has no scores of {kinds} in this project.", kinds=intake.kind.plural),
                path=Path(task.file),
                hint=intake.failed[0].error if intake.failed else "",
            )
        method, results = methods[intake.kind], intake.results()
        parameters = {"name": task.name.strip(), "lower_is_better": task.lower_is_better}
        origin = hashlib.sha256(repr(sorted(intake.scores.items())).encode("utf-8", "surrogatepass")).hexdigest()
        if not all(map(math.isfinite, intake.values().values())):
            raise UserError(Message("The scores are too far apart."), path=Path(task.file))
        run = begin_run(connection, method.name, method.version, parameters, origin, 1)
        documents = present_documents(connection, Role)
        if intake.kind is TargetKind.DOCUMENT:
            documents = documents.only(intake.used, Role)
        store_run_documents(connection, run.id, documents)
        finish_chunk(connection, run.id, 0, results, documents=len(documents.codes))
        run = finish_run(connection, run.id)
    ctx.changed("runs", "matches")
    return run, len(intake.scores), tuple(intake.failed)


class _Intake:
    """Checks rows, and keeps the scores of those that are right."""

    def __init__(self, connection: Connection, task: ImportScores) -> None:
        table: DocumentTable = document_table(connection)
        self._keys = dict(zip(table.id, table.key.tolist(), strict=True))
        self._roles = dict(zip(table.id, table.role, strict=True))
        self._characters = dict(zip(table.id, table.length.tolist(), strict=True))
        self._connection = connection
        self._kind, self._lower_is_better = _KINDS.get(task.of or ""), task.lower_is_better
        self.scores: dict[str, float] = {}
        self.used: set[int] = set()
        self.failed: list[Failure] = []

    @property
    def kind(self) -> TargetKind:
        """What the scores are of."""
        return self._kind or TargetKind.DOCUMENT

    def take(self, row: LabelRow | Failure) -> None:
        """Keep the score of ``row``, or add it to those that failed."""
        from workbench.reading.formats import Failure

        if isinstance(row, Failure):
            without = str(row.error) == "The row has no label."
            self.failed.append(Failure(row.path, Message("The row has no score.")) if without else row)
        elif problem := self._problem(row):
            self.failed.append(Failure(row.where, problem))
        else:
            target = self._turned(row.target)
            self.scores[target] = float(row.value)
            self.used.update(self._keys[name] for name in self._ids(target))

    def _ids(self, target: str) -> tuple[str, ...]:
        """The documents that ``target`` names; of a pair, the suspect first if the other is none."""
        if (identity := parse_document(target)) is not None:
            return (identity,)
        if passage := parse_passage(target, self._keys):
            return passage[0], passage[2]
        a, b = parse_pair(target) or ("", "")
        turned = self._roles.get(b) == Role.SUSPECT != self._roles.get(a)
        return tuple(filter(None, (b, a) if turned else (a, b)))

    def _turned(self, target: str) -> str:
        """``target``; of a passage whose first document alone is no suspect, the name with the suspect first."""
        passage = parse_passage(target, self._keys)
        if passage is None or self._roles[passage[0]] == Role.SUSPECT or self._roles[passage[2]] != Role.SUSPECT:
            return target
        a, a_span, b, b_span = passage
        return passage_target(b, b_span, a, a_span)

    def _problem(self, row: LabelRow) -> str:
        kind = kind_of(row.target)
        if kind is not None and self._kind is None:
            self._kind = kind
        if kind is not self._kind or kind is None:
            return Message("The row is not about {kinds}, as the others are.", kinds=self.kind.plural)
        unknown = [name for name in self._ids(row.target) if name not in self._keys]
        if unknown or not self._ids(row.target):
            name = unknown[0] if unknown else row.name
            problem = Message("There is no document {id} in this project.", id=name)
            return Message.joined(" ", [problem, near]) if (near := near_ids(self._connection, name)) else problem
        try:
            score = float(row.value)
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            return Message("{value} is not a number.", value=row.value)
        if self._turned(row.target) in self.scores:
            return Message("This is a second score of {name}.", name=row.name)
        if score < 0 and kind is not TargetKind.DOCUMENT and not self._lower_is_better:
            return Message("The score is negative, but pairs and passages that are not in the file count as 0.")
        passage = parse_passage(row.target, self._keys)
        if passage and passage[0] == passage[2]:
            return Message("A pair needs two documents.")
        if passage and not all(
            span.start < span.end <= self._characters[name] for name, span in (passage[:2], passage[2:])
        ):
            return Message("The passage is empty, or ends beyond its document.")
        return ""

    def values(self) -> dict[str, float]:
        """The scores, the greatest for what is most likely a copy."""
        largest = max(self.scores.values())
        return {t: largest - score for t, score in self.scores.items()} if self._lower_is_better else self.scores

    def results(self) -> Results:
        """What was kept, as a method reports it."""
        from workbench.methods.own_scores import GIVEN
        from workbench.services.review.judged_text import tier_of

        def scored() -> Iterator[tuple[str, float, dict[str, float]]]:
            for target, score in self.values().items():
                yield target, score, {GIVEN: self.scores[target]} if self._lower_is_better else {}

        if self.kind is TargetKind.DOCUMENT:
            return Results(scores=tuple(DocumentScore(self._keys[self._ids(t)[0]], s, e) for t, s, e in scored()))
        if self.kind is TargetKind.PAIR:
            named = ((*map(self._keys.__getitem__, self._ids(t)), s, e) for t, s, e in scored())
            return Results(pairs=[PairScore(a, b, s, evidence=e) for a, b, s, e in named])
        texts = dict(texts_of(self._connection, sorted(self.used)))
        matches = []
        for target, score, evidence in scored():
            passage = parse_passage(target, self._keys)
            assert passage is not None
            a, a_span, b, b_span = passage
            keys = self._keys[a], self._keys[b]
            tier = tier_of(*(texts[key][slice(*span)] for key, span in zip(keys, (a_span, b_span), strict=True)))
            matches.append(Match(*keys, a_span, b_span, score, {"tier": tier, **evidence}))
        return Results(Matches.of(matches))

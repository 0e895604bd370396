"""The papers' figures and tables from a project's own data, by name, and their files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.base.errors import ParameterError, UserError
from workbench.base.messages import Message
from workbench.evaluation.figures import Figure, Say, Table, to_csv, to_latex, worded
from workbench.jobs.context import Context
from workbench.project.database import open_project
from workbench.services.measuring import figures_cost as cost
from workbench.services.measuring import figures_digest as digest
from workbench.services.measuring import figures_labels as labels
from workbench.services.measuring import figures_pages as pages
from workbench.services.measuring import figures_pairs as pairs
from workbench.services.measuring import figures_scores as scores
from workbench.services.measuring import figures_sentences as sentences
from workbench.services.measuring import figures_sketches as sketches
from workbench.services.measuring import figures_trustable as trustable
from workbench.services.measuring.figure_request import FigureRequest
from workbench.services.measuring.paper_values import paper_values
from workbench.services.scaling.projecting import time_by_pages
from workbench.services.writing import atomic_write, refuse_imported

Maker = Callable[[Context, Path, FigureRequest], Figure | Table]


@dataclass(frozen=True, slots=True)
class FigureKind:
    """A figure that can be requested: its content, its place in the papers, the function that draws it, and its
    requirements except runs, which are created. With ``of_pair``, its values are the ids of two documents;
    with ``whole``, it cannot be limited to documents with a tag.
    """

    name: str
    shows: str
    source: str
    make: Maker
    needs: str
    is_table: bool = False
    of_pair: bool = False
    whole: bool = False


_T = "Takeda and Takasu 2009"
_D = "Datagrand's survey"
_S = "Sakurai, Matsuo and Kikui 2009"
_H = "Huang, Wang and Li 2007"
_K = "Kang 2009"
_TABLE = True

_DOCUMENTS = Message("documents")
_SUSPECTS = Message("suspects")
_MANY = Message("32 documents")
_LABELS = Message("labels of documents")
_TYPES = Message("labels of documents, and their types in the label set kind")
_PAIRS = Message("labels of pairs")
_RELATIONS = Message("documents; for precision, labels of pairs that name relations")
_PASSAGES = Message("judged passages")
_ANNOTATORS = Message("labels by two annotators")
_RUNS = Message("a finished run with scores")
_PAGES = Message("a run with a pair of pages")
_ESTIMATE = Message("documents; the optional part palimpsest[scale]")

_ALL = (
    FigureKind(
        "scale-memory",
        Message("memory by number of documents"),
        f"{_S}, figure 5",
        digest.memory_by_documents,
        _DOCUMENTS,
        whole=True,
    ),
    FigureKind(
        "scale-speed",
        Message("speed by number of documents"),
        f"{_S}, figure 5",
        digest.speed_by_documents,
        _DOCUMENTS,
        whole=True,
    ),
    FigureKind(
        "digest-quality",
        Message("precision and recall of the digest by documents"),
        f"{_S}, sections 6.2 and 6.3",
        labels.by_copied_documents,
        _LABELS,
        _TABLE,
    ),
    FigureKind(
        "f-by-length", Message("best F by shortest copied string"), f"{_T}, figure 2", scores.f_by_length, _LABELS
    ),
    FigureKind(
        "f-by-corpus",
        Message("best F by size of the background"),
        f"{_T}, figure 3",
        cost.f_by_corpus_size,
        Message("labels of documents, and background documents"),
    ),
    FigureKind(
        "time-by-length",
        Message("time by shortest copied string"),
        f"{_T}, figure 4",
        cost.time_by_min_length,
        _SUSPECTS,
        whole=True,
    ),
    FigureKind(
        "time-by-entry",
        Message("time by length of the entry"),
        f"{_T}, figure 5",
        cost.time_by_entry_length,
        _SUSPECTS,
        whole=True,
    ),
    FigureKind(
        "precision-recall", Message("precision and recall of runs"), f"{_T}, figure 6", scores.precision_recall, _LABELS
    ),
    FigureKind(
        "thresholds",
        Message("precision and recall by threshold"),
        f"{_T}, table 4",
        scores.by_threshold,
        _LABELS,
        _TABLE,
    ),
    FigureKind(
        "best-by-length",
        Message("best F by corpus and length"),
        f"{_T}, table 5",
        scores.best_by_length,
        _LABELS,
        _TABLE,
    ),
    FigureKind("sites", Message("share of splogs by provider"), f"{_T}, table 3", labels.by_provider, _LABELS, _TABLE),
    FigureKind("types", Message("entries found by type"), f"{_T}, tables 1 and 2", labels.by_type, _TYPES, _TABLE),
    FigureKind(
        "templates", Message("filtering by number of templates"), f"{_T}, table 6", scores.by_templates, _LABELS, _TABLE
    ),
    FigureKind("scores", Message("histogram of scores by label"), "", scores.score_histogram, _RUNS),
    FigureKind("reliability", Message("confidence against accuracy"), "", labels.by_confidence, _PASSAGES),
    FigureKind(
        "agreement", Message("agreement of annotators"), "", labels.by_annotators, _ANNOTATORS, _TABLE, whole=True
    ),
    FigureKind(
        "fingerprints",
        Message("coverage and trustable rate"),
        f"{_H}, figure 5",
        trustable.by_fingerprints,
        _DOCUMENTS,
        whole=True,
    ),
    FigureKind(
        "window",
        Message("strain-away and reserved rate"),
        f"{_H}, figure 6",
        trustable.by_window,
        _DOCUMENTS,
        whole=True,
    ),
    FigureKind(
        "edits",
        Message("edits along a document"),
        f"{_H}, figure 3",
        trustable.by_position,
        _DOCUMENTS,
        of_pair=True,
        whole=True,
    ),
    FigureKind(
        "edit-graph",
        Message("edit script of a pair"),
        f"{_H}, figure 1",
        trustable.edit_graph,
        _DOCUMENTS,
        of_pair=True,
        whole=True,
    ),
    FigureKind("slope", Message("precision by slope threshold"), f"{_H}, figure 7", pairs.by_slope, _PAIRS),
    FigureKind(
        "pairs",
        Message("methods on pairs, also of one site"),
        f"{_H}, section 5.4",
        pairs.methods_on_pairs,
        _PAIRS,
        _TABLE,
    ),
    FigureKind(
        "efficiency",
        Message("speed of the steps"),
        f"{_H}, section 5.5",
        trustable.efficiency,
        _DOCUMENTS,
        _TABLE,
        whole=True,
    ),
    FigureKind(
        "scale", Message("time beyond a project, projected"), f"{_H}, section 5.5", time_by_pages, _ESTIMATE, whole=True
    ),
    FigureKind(
        "simhash-votes",
        Message("votes of the features of a pair"),
        f"{_D}, figure 1",
        sketches.simhash_votes,
        _DOCUMENTS,
        whole=True,
    ),
    FigureKind(
        "minhash-signatures",
        Message("signatures of a pair, with their bands"),
        f"{_D}, figure 2",
        sketches.minhash_signatures,
        _DOCUMENTS,
        whole=True,
    ),
    FigureKind(
        "sentence-frequency", Message("frequency of sentences"), f"{_K}, figure 9", sentences.by_frequency, _DOCUMENTS
    ),
    FigureKind("sentence-length", Message("length of sentences"), f"{_K}, figure 10", sentences.by_length, _DOCUMENTS),
    FigureKind(
        "page-pair",
        Message("two pages of a pair side by side"),
        f"{_K}, figures 17 to 23",
        pages.page_pair,
        _PAGES,
        of_pair=True,
        whole=True,
    ),
    FigureKind(
        "projected-scale",
        Message("sentences and pairs by number of pages"),
        f"{_K}, sections 4.2 and 6",
        sentences.projected_scale,
        _MANY,
    ),
    FigureKind(
        "sentences",
        Message("sentences by length and frequency"),
        f"{_K}, table 1",
        sentences.by_length_and_frequency,
        _DOCUMENTS,
        _TABLE,
    ),
    FigureKind(
        "relations",
        Message("relations of pages and their precision"),
        f"{_K}, table 3",
        sentences.by_relation,
        _RELATIONS,
        _TABLE,
    ),
)
KINDS = {kind.name: kind for kind in _ALL}


def kind_of(name: str) -> FigureKind:
    """The figure called ``name``. Raises ParameterError that lists all figures."""
    if name not in KINDS:
        raise ParameterError(
            Message("There is no figure {name}; the figures are {kinds}.", name=name, kinds=", ".join(KINDS))
        )
    return KINDS[name]


def make_figure(ctx: Context, path: Path, name: str, request: FigureRequest) -> Figure | Table:
    """A figure from the project at ``path`` with the paper's own values for comparison; missing runs are created.

    Raises ParameterError for an unknown name, or for tags if it cannot be limited to some documents; UserError if the
    project does not meet its requirements.
    """
    kind = kind_of(name)
    if request.question.tags and kind.whole:
        raise ParameterError(Message("The figure {name} cannot be limited to documents with a tag.", name=name))
    figure, reference = kind.make(ctx, path, request), paper_values(name)
    if reference is None:
        return figure
    notes = (*figure.notes, *reference.notes)
    return (
        replace(figure, notes=notes, reference=reference.series)
        if isinstance(figure, Figure)
        else replace(figure, notes=notes, reference=reference.table)
    )


def check_file(name: str, out: Path) -> None:
    """Raise ParameterError for an unknown figure, or a suffix it cannot be written as, before any work is done."""
    kind = kind_of(name)
    suffixes = TABLE_SUFFIXES if kind.is_table else SUFFIXES
    if out.suffix.lower() not in suffixes:
        raise ParameterError(
            Message(
                "The {kind} {name} can be written as {suffixes}.",
                kind=Message("table") if kind.is_table else Message("figure"),
                name=name,
                suffixes=", ".join(suffixes),
            )
        )


SUFFIXES = (".svg", ".png", ".pdf", ".csv", ".tex")
TABLE_SUFFIXES = (".csv", ".tex")


def render(drawn: Figure | Table, suffix: str, say: Say = str) -> bytes:
    """The bytes of a file: .svg, .png or .pdf (figures only), .csv, .tex; in the language of ``say``.

    Raises UserError for anything else.
    """
    suffix = suffix.lower()
    table = worded(drawn.combined() if isinstance(drawn, Table) else drawn.table(), say)
    drawn = worded(drawn, say)
    if suffix == ".csv":
        return to_csv(table).encode()
    if suffix == ".tex":
        return to_latex(table).encode()
    if isinstance(drawn, Figure) and suffix in SUFFIXES:
        from workbench.evaluation.drawing import draw

        return draw(drawn, suffix.removeprefix("."))
    raise UserError(
        Message(
            "Only these formats are supported here: {suffixes}.",
            suffixes=", ".join(SUFFIXES if isinstance(drawn, Figure) else TABLE_SUFFIXES),
        )
    )


def write_figure(project_path: Path, figure: Figure | Table, out: Path) -> None:
    """Write ``figure`` of a project to ``out``, complete or not at all; the suffix chooses the format.

    Raises UserError, also if an imported file would be replaced.
    """
    with open_project(project_path, write=False) as project, project.read() as connection:
        refuse_imported(connection, out, Message("The figure"))
    data = render(figure, out.suffix)
    with atomic_write(out, Message("The figure")) as part:
        part.write_bytes(data)

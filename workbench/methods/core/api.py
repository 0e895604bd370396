"""The interface of a detection method.

A method is a pure function of text: independent of project and window. One folder of ``workbench/methods``
and one line in :mod:`workbench.methods.core.registry` add it everywhere: dialogs, command line, run records, reference.

A folder has ``parameters.py``, and ``method.py`` with the record (:class:`Facts`) and an object ``METHOD``: everything
needed for listing methods. Files that need compiled kernels (``index.py``, ``finding.py``, ``explain.py`` and helpers)
import the parameters, and ``method.py`` imports them only when there is work to do; no files import each other in a
circle. A sketch (see :mod:`workbench.methods.sketches.sketch`) has its parameters and record in
``__init__.py``, and ``sketch.py``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from workbench.base.errors import ParameterError
from workbench.base.messages import Message
from workbench.base.options import Options, option
from workbench.base.progress import Progress
from workbench.base.types import Document, Evidence, Results, Role, Span
from workbench.methods.core.figures import Figure

parameter = option
"""A field of a ``Parameters`` dataclass."""


@dataclass(frozen=True)
class Parameters(Options):
    """Base of every method's frozen ``Parameters`` dataclass; fields are declared with :func:`parameter`."""

    content: bool = parameter(True, "Only the content blocks of web pages count, not their navigation and templates")
    suspect_tags: str = parameter("", "Only suspects with one of these tags, separated by commas; -TAG leaves one out")
    source_tags: str = parameter("", "The same for sources and background")

    @classmethod
    def preset(cls, name: str) -> dict[str, Any]:
        """Names to values of a preset, one of :data:`PRESETS`; empty for "".  Raises ParameterError for others, and if
        the method has none.
        """
        if not name:
            return {}
        if name not in PRESETS:
            raise ParameterError(
                Message("There is no preset {name}; the presets are {names}.", name=name, names=", ".join(PRESETS))
            )
        if not cls.has_paper():
            raise ParameterError(Message("There are no values of a paper for this method: leave the preset out."))
        return {option.name: option.as_in_the_paper for option in cls.specs()}

    @classmethod
    def has_paper(cls) -> bool:
        """Whether a paper gives the value of any parameter."""
        return any(option.paper is not None for option in cls.specs())


def with_default_comparison(
    parameters: type[Parameters], raw: Mapping[str, Any], sources: int, suspects: int
) -> dict[str, Any]:
    """``raw`` adapted to a collection with the given numbers of ``sources`` and ``suspects``.

    A method that compares suspects with sources compares all documents with each other if there are only suspects, or
    only sources, unless ``raw`` specifies the comparison.
    """
    one_sided = not (sources and suspects) and max(sources, suspects) > 1
    choice = next((spec for spec in parameters.specs() if spec.name == "compare"), None)
    return {**raw, "compare": "all"} if one_sided and choice is not None and "compare" not in raw else dict(raw)


EACH_OTHER = Message("There are only suspects, or only sources: all documents are compared with each other.")
"""A note on :func:`with_default_comparison`."""

PRESETS = ("paper",)
"""Named sets of values."""

NEAR_DUPLICATE = "near-duplicate"
"""``PairScore.relation`` of documents with nearly the same text."""


class Corpus(Protocol):
    """The documents available to a method, streamed in key order."""

    def count(self, *roles: Role) -> int:
        """Number of documents in ``roles`` (all roles if none is named)."""

    def documents(self, *roles: Role) -> Iterator[Document]:
        """Documents in ``roles`` (all roles if none is named), in key order, one in memory at a time."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A line of an explanation: a rule, whether the pair or passage passed it, and the figures.

    ``decides``: the rule is one of several that together decided against a match.
    """

    rule: str
    passed: bool
    detail: str
    a_span: Span | None = None
    b_span: Span | None = None
    decides: bool = False


@dataclass(frozen=True, slots=True)
class Contributions:
    """The parts of the log odds of a document's score: ``start``, those of a document with typical figures, and
    ``figures``, what each of the document's own adds (below 0: takes away).
    """

    start: float
    figures: Mapping[str, float]

    @property
    def log_odds(self) -> float:
        """The sum."""
        return self.start + sum(self.figures.values())


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a pair matched, or why not: ``matched``, one summary sentence, and the rules in order of application."""

    matched: bool
    summary: str
    reasons: tuple[Reason, ...] = ()
    contributions: Contributions | None = None
    """Those of the score of the first document, where its method weighs figures."""

    @property
    def deciding(self) -> tuple[Reason, ...]:
        """The reasons against a match: the deciding ones, otherwise the first that failed; () for a match."""
        if self.matched:
            return ()
        failed = [reason for reason in self.reasons if not reason.passed]
        return tuple(reason for reason in failed if reason.decides) or tuple(failed[:1])


@dataclass(frozen=True, slots=True)
class Question:
    """A user question that a method answers: its text, the description of what the method ``finds``, and the names of
    its main ``settings``.
    """

    words: Message
    finds: Message
    settings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """How a method works on collections too big for a project: the ``module`` of :mod:`workbench.scaleout` with its
    steps, parameters that are ``fixed`` there, and a ``note`` with the reason.
    """

    module: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    note: Message | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The static facts about a method, used by window, command line, reports and reference.

    ``summary``: what it finds, in one line. ``source``: the publication. ``emits``: which of ``matches``, ``pairs``,
    ``scores`` and ``regions`` it reports. ``cannot_see``: its blind spots, as a noun phrase; no method is
    listed without it. ``figures``: the figures of its evidence, by stored name; a name means the same in all methods.
    ``question``: the question by which Detect offers it to users who do not know its name.

    ``literal``: it compares texts unfolded. ``scans``: it needs only an index of the sources to find passages of a
    page, so that it can search web archives. ``relates``: it determines how two pages are related.
    ``across_languages``: it compares only texts in different languages. ``scale``: its steps for collections too big
    for a project.
    """

    name: str
    version: int
    summary: str
    source: str
    parameters: type[Parameters]
    emits: frozenset[str]
    cannot_see: str = ""
    figures: Mapping[str, Figure]
    question: Question | None = None
    literal: bool = False
    scans: bool = False
    relates: bool = False
    across_languages: bool = False
    scale: Scale | None = None


class Method(Protocol):
    """A detection method. ``index`` objects are whatever ``load`` returns; they are read-only.

    ``prepare`` writes an index for ``corpus`` into the empty folder ``folder`` (files that can be memory-mapped). The
    caller caches the folder by ``index_key`` and the hash of the documents in :meth:`index_roles`, and may delete it at
    any time. ``detect`` is pure: the same index and documents give the same results in any process and order.
    ``prepare`` and ``detect`` call ``progress.check()`` at least every 0.3 s.

    ``reads_blocks``: the method itself decides which blocks of a document count; others see only content blocks if
    their parameter ``content`` is on. ``detects_by_text``: ``detect`` reads no blocks at all. ``extends``:
    :meth:`extend` is faster than rebuilding. ``warm_up``: sets of parameters that make the method run all of its
    compiled kernels (see :mod:`workbench.methods.core.warming`).
    """

    facts: Facts
    indexed: tuple[Role, ...]
    examined: tuple[Role, ...]
    reads_blocks: bool = False
    detects_by_text: bool = False
    extends: bool = False
    warm_up: tuple[Mapping[str, Any], ...] = ({},)

    @property
    def name(self) -> str:
        """The name under which it is chosen and stored."""
        return self.facts.name

    @property
    def version(self) -> int:
        """Incremented whenever its results change."""
        return self.facts.version

    @property
    def summary(self) -> str:
        """What it finds, in one line."""
        return self.facts.summary

    @property
    def source(self) -> str:
        """The publication on which it is based."""
        return self.facts.source

    @property
    def parameters(self) -> type[Parameters]:
        """Its settings."""
        return self.facts.parameters

    @property
    def emits(self) -> frozenset[str]:
        """The kinds of results that it reports."""
        return self.facts.emits

    @abstractmethod
    def roles(self, parameters: Any) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """The roles that ``prepare`` reads and the roles that ``detect`` examines under ``parameters``.

        ``indexed`` and ``examined`` are these for the default parameters. In a method that compares a collection with
        itself the same document may be on both sides; a pair of a document with itself is never reported.
        """

    def index_roles(self, corpus: Corpus, parameters: Any) -> tuple[Role, ...]:
        """Roles of the documents of ``corpus`` that shape the index; it remains valid if others are added or
        removed.
        """
        return self.roles(parameters)[0]

    def accepts_unindexed(self, index: Any) -> bool:
        """Whether :meth:`detect` also examines documents that are not in ``index``. If not, documents can only be
        examined with an index that contains them.
        """
        return True

    @abstractmethod
    def index_key(self, parameters: Any) -> str:
        """Names the parameters that shape the index; equal keys may share one."""

    @abstractmethod
    def prepare(self, corpus: Corpus, parameters: Any, folder: Path, progress: Progress) -> None:
        """Build the index of the ``indexed`` documents of ``corpus`` in ``folder``."""

    def extend(
        self, base: Path, corpus: Corpus, added: Corpus, parameters: Any, folder: Path, progress: Progress
    ) -> None:
        """Write the index that :meth:`prepare` would write for ``corpus``, from the one in ``base`` and the documents
        ``added`` since, which have greater keys.
        """
        self.prepare(corpus, parameters, folder, progress)

    @abstractmethod
    def load(self, folder: Path, parameters: Any) -> Any:
        """Open a prepared index, memory-mapped."""

    @abstractmethod
    def detect(self, index: Any, documents: Sequence[Document], parameters: Any, progress: Progress) -> Results:
        """Results for ``documents`` (of the ``examined`` roles) against ``index``."""

    @abstractmethod
    def compare(self, a: Document, b: Document, parameters: Any) -> Results:
        """Results for one pair alone; equal to those of ``detect`` if figures of the whole corpus do not matter."""

    @abstractmethod
    def explain(self, a: Document, b: Document, parameters: Any, index: Any | None = None) -> Explanation:
        """Why ``a`` (suspect) and ``b`` matched or did not."""

    def detect_pair(self, index: Any, a: Document, b: Document, parameters: Any) -> Results | None:
        """Results for ``a`` as the suspect of ``b``, whichever comes first in the collection, as by ``index``; None if
        that does not contain the documents, or the method has no such results.
        """
        return None

    def contributions(self, evidence: Evidence, parameters: Any) -> Contributions | None:
        """What each figure of a document's score adds to it; None if the score is no such sum."""
        return None

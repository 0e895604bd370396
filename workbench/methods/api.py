"""What a detection method is.

A method is a pure function of text: it knows neither the project nor the window. One module here plus one line
in :mod:`workbench.methods.registry` adds it everywhere: dialog, command line, run records, reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol

from workbench.base.errors import ParameterError
from workbench.base.progress import Watcher
from workbench.base.types import Document, Results, Role, Span


@dataclass(frozen=True, slots=True)
class ParameterSpec:
    """One parameter as dialogs, command line and reference show it."""

    name: str
    kind: type
    default: Any
    help: str
    low: float | None = None
    high: float | None = None
    unit: str = ""
    choices: tuple[Any, ...] = ()
    paper: Any = None

    def check(self, value: Any) -> Any:
        """``value`` converted to this parameter's kind. Raises ParameterError outside kind, range or choices."""
        converted = self._convert(value)
        if self.choices and converted not in self.choices:
            raise ParameterError(f"{self.name} must be one of {', '.join(map(str, self.choices))}, not {value!r}.")
        if self.low is not None and converted < self.low:
            raise ParameterError(f"{self.name} must be at least {self.low:g}, not {value}.")
        if self.high is not None and converted > self.high:
            raise ParameterError(f"{self.name} must be at most {self.high:g}, not {value}.")
        return converted

    def _convert(self, value: Any) -> Any:
        if self.kind is bool:
            word = str(value).lower()
            if word in ("true", "yes", "on", "1"):
                return True
            if word in ("false", "no", "off", "0"):
                return False
        elif not isinstance(value, bool):
            try:
                converted = self.kind(value)
            except (TypeError, ValueError):
                pass
            else:
                finite = self.kind is str or (converted == converted and abs(converted) != float("inf"))
                if finite and (self.kind is not int or converted == float(value)):
                    return converted
        raise ParameterError(f"{self.name} must be {_KINDS[self.kind]}, not {value!r}.")


_KINDS = {int: "a whole number", float: "a number", bool: "on or off", str: "text"}


def parameter(
    default: Any,
    help: str,  # noqa: A002 - the word every command line uses
    *,
    low: float | None = None,
    high: float | None = None,
    unit: str = "",
    choices: tuple[Any, ...] = (),
    paper: Any = None,
) -> Any:
    """A field of a ``Parameters`` dataclass, with its range (inclusive), unit, help and the paper's value."""
    meta = {"help": help, "low": low, "high": high, "unit": unit, "choices": choices, "paper": paper}
    return field(default=default, metadata=meta)


@dataclass(frozen=True)
class Parameters:
    """Base of every method's frozen ``Parameters`` dataclass; fields are made with :func:`parameter`."""

    content: bool = parameter(True, "Only the content blocks of web pages count, not their navigation and templates")

    @classmethod
    def specs(cls) -> tuple[ParameterSpec, ...]:
        """The parameters in order, those that more methods share later."""
        found = []
        for f in sorted(fields(cls), key=lambda f: sum(hasattr(base, f.name) for base in cls.__mro__)):
            assert f.default is not MISSING
            found.append(ParameterSpec(f.name, type(f.default), f.default, **f.metadata))
        return tuple(found)

    @classmethod
    def parse(cls, given: Mapping[str, Any]) -> Parameters:
        """Parameters from names and values (text or JSON). Raises one ParameterError that lists every problem."""
        specs = {s.name: s for s in cls.specs()}
        values, problems = {}, []
        for name, value in given.items():
            if name not in specs:
                problems.append(f"There is no parameter {name}; there are {', '.join(specs)}.")
                continue
            try:
                values[name] = specs[name].check(value)
            except ParameterError as error:
                problems.append(error.message)
        if problems:
            raise ParameterError(" ".join(problems))
        return cls(**values)

    def as_dict(self) -> dict[str, Any]:
        """Names to JSON-compatible values."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


class Corpus(Protocol):
    """The documents a method may look at, streamed in key order."""

    def count(self, *roles: Role) -> int:
        """Number of documents in ``roles`` (all roles when none is named)."""

    def documents(self, *roles: Role) -> Iterator[Document]:
        """Documents in ``roles`` (all roles when none is named), in key order, one in memory at a time."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One line of an explanation: a rule, whether it let the pair or passage through, and the figures."""

    rule: str
    passed: bool
    detail: str
    a_span: Span | None = None
    b_span: Span | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a pair matched, or why not: ``matched``, one summary sentence, and the rules in order of application."""

    matched: bool
    summary: str
    reasons: tuple[Reason, ...] = ()


class Method(Protocol):
    """A detection method. ``index`` objects are whatever ``load`` returns; they are read-only.

    ``prepare`` writes an index for ``corpus`` into the empty folder ``folder`` (files that can be memory-mapped).
    The caller caches the folder by ``index_key`` and the hash of the documents in :func:`held_roles`, and deletes it at
    will. ``detect`` is pure: the same index and documents give the same results in any process and order. Both call
    ``watch.check()`` at least every 0.3 s.
    """

    name: str
    version: int
    summary: str
    source: str
    parameters: type[Parameters]
    emits: frozenset[str]
    indexed: tuple[Role, ...]
    examined: tuple[Role, ...]

    def roles(self, parameters: Any) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """Roles that ``prepare`` reads and roles that ``detect`` wants under ``parameters``.

        ``indexed`` and ``examined`` are these for the default parameters. In a method that compares a collection with
        itself the same document may be on both sides; its own pair is never reported.
        """

    def index_key(self, parameters: Any) -> str:
        """Names the parameters that shape the index; equal keys may share one."""

    def prepare(self, corpus: Corpus, parameters: Any, folder: Path, watch: Watcher) -> None:
        """Build the index of the ``indexed`` documents of ``corpus`` in ``folder``."""

    def load(self, folder: Path, parameters: Any) -> Any:
        """Open a prepared index, memory-mapped."""

    def detect(self, index: Any, documents: Sequence[Document], parameters: Any, watch: Watcher) -> Results:
        """Results for ``documents`` (of the ``examined`` roles) against ``index``."""

    def compare(self, a: Document, b: Document, parameters: Any) -> Results:
        """Results for one pair alone; equal to ``detect``'s where no figure of the whole corpus counts."""

    def explain(self, a: Document, b: Document, parameters: Any, index: Any | None = None) -> Explanation:
        """Why ``a`` (suspect) and ``b`` matched or did not."""


def held_roles(method: Method, corpus: Corpus, parameters: Any) -> tuple[Role, ...]:
    """Roles of the documents of ``corpus`` that shape the method's index; it stays when others come or go.

    A method whose choice depends on the corpus has a function of this name; for the others they are its indexed roles.
    """
    chosen = getattr(method, "held_roles", None)
    roles: tuple[Role, ...] = chosen(corpus, parameters) if chosen else method.roles(parameters)[0]
    return roles

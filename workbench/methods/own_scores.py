"""Scores that another program computed and that were imported as a run, to be measured and reviewed like any other.

They are not methods that can be applied: a run of one of them only records where its scores come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import Progress
from workbench.base.types import Document, Results, Role
from workbench.methods.core.api import Corpus, Explanation, Facts, Method, Parameters, parameter
from workbench.methods.core.figures import Figure
from workbench.methods.core.registry import IMPORTED


@dataclass(frozen=True)
class OwnScoresParameters(Parameters):
    """Where the scores come from, and what they mean."""

    name: str = parameter("", "Name of the program or model that computed the scores")
    lower_is_better: bool = parameter(
        False, "Lower scores mean copied: stored is how far each is below the largest of the file"
    )


GIVEN = "given"
"""The figure with the score as it is in the file, if lower ones are better."""


class OwnScores(Method):
    """Imported scores of documents, pairs or passages, as ``emits`` says."""

    indexed: tuple[Role, ...] = tuple(Role)
    examined: tuple[Role, ...] = tuple(Role)

    def __init__(self, name: str, emits: str) -> None:
        self.facts = Facts(
            name=name,
            version=1,
            summary="Scores that another program computed",
            source="A file of scores",
            parameters=OwnScoresParameters,
            emits=frozenset({emits}),
            cannot_see=Message("How these scores were computed: they were imported."),
            figures={GIVEN: Figure(Message("Score in the file"))},
        )

    def roles(self, parameters: OwnScoresParameters) -> tuple[tuple[Role, ...], tuple[Role, ...]]:
        """All roles: scores may be about any document."""
        return self.indexed, self.examined

    def index_key(self, parameters: OwnScoresParameters) -> str:
        """There is no index."""
        return ""

    def prepare(self, corpus: Corpus, parameters: OwnScoresParameters, folder: Path, progress: Progress) -> NoReturn:
        """Raises UserError: imported scores cannot be computed."""
        raise UserError(IMPORTED)

    def load(self, folder: Path, parameters: OwnScoresParameters) -> NoReturn:
        """Raises UserError, like :meth:`prepare`."""
        raise UserError(IMPORTED)

    def detect(
        self, index: Any, documents: Sequence[Document], parameters: OwnScoresParameters, progress: Progress
    ) -> NoReturn:
        """Raises UserError, like :meth:`prepare`."""
        raise UserError(IMPORTED)

    def compare(self, a: Document, b: Document, parameters: OwnScoresParameters) -> Results:
        """Empty: only the other program can score a pair."""
        return Results()

    def explain(
        self, a: Document, b: Document, parameters: OwnScoresParameters, index: Any | None = None
    ) -> Explanation:
        """States that only the other program can tell."""
        return Explanation(False, Message("These scores were imported: only the program that computed them knows why."))


OF_DOCUMENTS = OwnScores("own-scores", "scores")
OF_PAIRS = OwnScores("own-pair-scores", "pairs")
OF_PASSAGES = OwnScores("own-passages", "matches")

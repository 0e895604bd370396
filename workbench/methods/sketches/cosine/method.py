"""Vector space: the cosine between documents as vectors of weighted terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbench.base.messages import Message
from workbench.methods.core.api import Facts, parameter
from workbench.methods.core.collection import CollectionMethod
from workbench.methods.core.figures import Figure
from workbench.methods.core.token_parameters import TokenParameters


@dataclass(frozen=True)
class CosineParameters(TokenParameters):
    """Terms, their weights, and the cosine at which a pair counts."""

    k: int = parameter(2, "Length of a term", low=1, high=100, unit="tokens")
    min_cosine: float = parameter(0.8, "Cosine at which a pair counts", low=0.01, high=1.0)
    weights: str = parameter(
        "log",
        "Weight of a term in its document: its frequency, 1 + ln of that, or 1",
        choices=("once", "log", "frequency"),
        paper="frequency",
    )
    idf: bool = parameter(True, "Weigh each term by how few of the indexed documents have it, too")


class Cosine(CollectionMethod):
    """The method ``cosine``. A pair's score is the cosine of its documents' vectors, in [0, 1].

    Evidence: distinct terms of both documents. A term weighs its frequency in the document, as ``weights`` says, times
    ln(1 + N / df) where df of the N indexed documents have it (1 where none has).
    """

    facts = Facts(
        name="cosine",
        version=1,
        summary="Documents whose vectors of weighted terms point the same way",
        source="Salton, Wong and Yang: A Vector Space Model for Automatic Indexing (1975)",
        parameters=CosineParameters,
        emits=frozenset({"pairs"}),
        cannot_see=Message("Partial copies, and copies in other words."),
        figures={
            "terms_a": Figure(Message("Terms of the suspect")),
            "terms_b": Figure(Message("Terms of the source")),
        },
    )

    def index_key(self, parameters: CosineParameters) -> str:
        """The parameters that shape the vectors."""
        p = parameters
        return f"{p.compare}-{p.k}-{p.weights}-{p.idf:d}-{p.token_key}"

    @staticmethod
    def modules() -> tuple[Any, Any]:
        """The modules of its index and its explanations."""
        from workbench.methods.sketches.cosine import explain, index

        return index, explain


METHOD = Cosine()

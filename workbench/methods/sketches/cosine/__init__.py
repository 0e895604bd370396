"""Vector space: the cosine between documents as vectors of weighted terms."""

from __future__ import annotations

from typing import Any

from workbench.base.messages import Message
from workbench.methods.core.api import Facts
from workbench.methods.core.collection import CollectionMethod
from workbench.methods.core.figures import Figure
from workbench.methods.sketches.cosine.parameters import CosineParameters


class Cosine(CollectionMethod):
    """The method ``cosine``. A pair's score is the cosine of its documents' vectors, in [0, 1].

    Evidence: distinct terms of both documents. The weight of a term is its frequency in the document, according to
    ``weights``, times ln(1 + N / df), df being the number of the N indexed documents with it (1 if none has it).
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
    def implementation() -> tuple[Any, Any, Any]:
        """The modules that index, find and explain."""
        from workbench.methods.sketches.cosine import index

        return index, index, index


METHOD = Cosine()

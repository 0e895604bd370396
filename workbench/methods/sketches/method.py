"""A method that is a sketch, as seen by the rest of the program; modules that need kernels are loaded on use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from workbench.base.progress import Progress
from workbench.methods.core.api import Corpus, Facts
from workbench.methods.core.collection import CollectionMethod, read_batches

_FORM = "columns"
"""The layout of an index; part of its key, so that other layouts are rebuilt."""


@dataclass(frozen=True, kw_only=True)
class SketchMethod(CollectionMethod):
    """``facts``: its record. ``shaping``: names of the parameters that shape the index, besides the common ones. The
    object ``SKETCH`` is in the module ``sketch`` beside the parameters. ``extends``: its index contains all columns.
    """

    facts: Facts
    shaping: tuple[str, ...]
    extends: bool = False
    warm_up: tuple[Mapping[str, Any], ...] = ({},)

    def __post_init__(self) -> None:
        """Set the roles for the default parameters."""
        defaults: Any = self.parameters()
        for name, roles in zip(("indexed", "examined"), self.roles(defaults), strict=True):
            object.__setattr__(self, name, roles)

    def index_key(self, parameters: Any) -> str:
        """The parameters that shape the index."""
        own = (str(getattr(parameters, name)) for name in ("compare", *self.shaping))
        return "-".join((_FORM, *own, parameters.token_key))

    def prepare(self, corpus: Corpus, parameters: Any, folder: Path, progress: Progress) -> None:
        """Write the index; the columns of documents are in files from the beginning. Raises Cancelled."""
        groups = read_batches(corpus, self.roles(parameters)[0], progress)
        self.implementation()[0].build(groups, parameters, progress, folder).save(folder)

    def extend(
        self, base: Path, corpus: Corpus, added: Corpus, parameters: Any, folder: Path, progress: Progress
    ) -> None:
        """Encode only the documents ``added``. Raises UserError if ``base`` is damaged, Cancelled."""
        sketch = self.implementation()[0]
        groups = read_batches(added, self.roles(parameters)[0], progress)
        sketch.build(groups, parameters, progress, folder, sketch.load(base, parameters)).save(folder)

    def implementation(self) -> tuple[Any, Any, Any]:
        """The sketch, which builds and finds, and its explainer."""
        from workbench.methods.sketches.explaining import Explaining

        sketch = import_module(f"{self.parameters.__module__}.sketch").SKETCH
        return sketch, sketch, Explaining(sketch)

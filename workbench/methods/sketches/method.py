"""A method that is a sketch, as seen by the rest of the program; modules that need kernels are loaded on use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from workbench.methods.core.api import Facts
from workbench.methods.core.collection import CollectionMethod

_FORM = "columns"
"""The layout of an index; part of its key, so that another layout is rebuilt."""


@dataclass(frozen=True, kw_only=True)
class SketchMethod(CollectionMethod):
    """``facts``: its record. ``shaping``: names of the parameters that shape the index, besides the common ones. The
    object ``SKETCH`` is in the module ``sketch`` beside the parameters.
    """

    facts: Facts
    shaping: tuple[str, ...]
    warm_up: tuple[Mapping[str, Any], ...] = ({},)

    def __post_init__(self) -> None:
        """Its roles are those of its default parameters."""
        defaults: Any = self.parameters()
        for name, roles in zip(("indexed", "examined"), self.roles(defaults), strict=True):
            object.__setattr__(self, name, roles)

    def index_key(self, parameters: Any) -> str:
        """The parameters that shape the index."""
        own = (str(getattr(parameters, name)) for name in ("compare", *self.shaping))
        return "-".join((_FORM, *own, parameters.token_key))

    def implementation(self) -> tuple[Any, Any, Any]:
        """The sketch, which builds and finds, and what explains it."""
        from workbench.methods.sketches.explaining import Explaining

        sketch = import_module(f"{self.parameters.__module__.rpartition('.')[0]}.sketch").SKETCH
        return sketch, sketch, Explaining(sketch)

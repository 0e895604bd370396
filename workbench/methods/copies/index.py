"""The index of the method ``copies``: the indexes of its methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.methods.copies.merging import Texts
from workbench.methods.copies.views import Ways
from workbench.methods.core.collection import keys


@dataclass(frozen=True, slots=True)
class CopiesIndex:
    """The index of each part that is switched on, by the part's name, and ``ways`` back from the views they hold."""

    parts: Mapping[str, Any]
    ways: Ways

    def texts(self) -> Texts:
        """Texts of the sources, where an index keeps them."""
        readers = {"altered": "source", "initials": "text"}
        for name, reader in readers.items():
            if name in self.parts:
                index = self.parts[name]
                return Texts({key: i for i, key in enumerate(keys(index.order).tolist())}, getattr(index, reader))
        return Texts.of_all({})

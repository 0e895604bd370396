"""The list of methods: one line each."""

from __future__ import annotations

from importlib import import_module

from workbench.base.errors import UserError
from workbench.methods.api import Method
from workbench.methods.content import OnContent

_MODULES = {
    "digest": "workbench.methods.digest",
    "trustable-lcs": "workbench.methods.trustable_lcs",
    "shingle": "workbench.methods.shingle",
    "simhash": "workbench.methods.simhash",
    "minhash": "workbench.methods.minhash",
    "winnowing": "workbench.methods.winnowing",
    "initials": "workbench.methods.initials",
    "rare-sentences": "workbench.methods.rare_sentences",
    "copied-strings": "workbench.methods.copied_strings",
    "template": "workbench.methods.template",
}


def names() -> tuple[str, ...]:
    """Names of all methods, in the order they are listed."""
    return tuple(_MODULES)


def get(name: str) -> Method:
    """The method called ``name``, imported on first use; it is given content blocks alone unless it ``reads_blocks``.

    Raises UserError for an unknown name.
    """
    if name not in _MODULES:
        raise UserError(f"There is no method {name}; there are {', '.join(_MODULES)}.")
    method: Method = import_module(_MODULES[name]).METHOD
    return method if getattr(method, "reads_blocks", False) else OnContent(method)

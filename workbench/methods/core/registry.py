"""The list of methods: one line each, with the module that contains its ``METHOD``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from workbench.base.errors import UserError
from workbench.base.messages import Message

if TYPE_CHECKING:
    from workbench.methods.core.api import Facts, Method

_MODULES = {
    "copies": "workbench.methods.copies.method",
    "digest": "workbench.methods.digest.method",
    "trustable-lcs": "workbench.methods.trustable_lcs.method",
    "shingle": "workbench.methods.sketches.shingle",
    "simhash": "workbench.methods.sketches.simhash",
    "minhash": "workbench.methods.sketches.minhash",
    "cosine": "workbench.methods.sketches.cosine",
    "longest-sentences": "workbench.methods.sketches.longest_sentences",
    "winnowing": "workbench.methods.sketches.winnowing",
    "altered": "workbench.methods.altered.method",
    "translated": "workbench.methods.translated.method",
    "initials": "workbench.methods.initials.method",
    "rare-sentences": "workbench.methods.rare_sentences.method",
    "copied-strings": "workbench.methods.copied_strings.method",
    "template": "workbench.methods.template",
    "splog": "workbench.methods.splog.method",
}
_IMPORTED = {
    "own-scores": "OF_DOCUMENTS",
    "own-pair-scores": "OF_PAIRS",
    "own-passages": "OF_PASSAGES",
}
"""Methods of runs whose scores were imported, by name: they cannot be chosen."""


IMPORTED = Message("Imported scores cannot be computed again; import a new file of scores instead.")


def names() -> tuple[str, ...]:
    """Names of all methods, in the order in which they are listed."""
    return tuple(_MODULES)


def is_imported(name: str) -> bool:
    """Whether runs called ``name`` have imported scores."""
    return name in _IMPORTED


def get(name: str) -> Method:
    """The method called ``name``, imported on first use; it sees only content blocks unless it ``reads_blocks``. Also
    those of runs of imported scores, which are not among :func:`names`.

    Raises UserError for an unknown name, or for a method that does not state its limits.
    """
    if name in _IMPORTED:
        return cast("Method", getattr(import_module("workbench.methods.own_scores"), _IMPORTED[name]))
    if name not in _MODULES:
        raise UserError(
            Message("There is no method {name}; the methods are {modules}.", name=name, modules=", ".join(_MODULES))
        )
    from workbench.methods.core.content import ContentOnly

    method: Method = import_module(_MODULES[name]).METHOD
    if not getattr(getattr(method, "facts", None), "cannot_see", ""):
        raise UserError(
            Message("The method {name} does not declare its limits.", name=name),
            hint=Message(
                "Add them to the method's record: facts = Facts(…, cannot_see=…) in {module}.", module=_MODULES[name]
            ),
        )
    return method if method.reads_blocks else ContentOnly(method)


def to_apply(name: str) -> Method:
    """:func:`get`, for a method that is to be applied. Raises UserError for imported scores, too."""
    if is_imported(name):
        raise UserError(IMPORTED)
    return get(name)


def facts() -> dict[str, Facts]:
    """The record of each method by name, in the order in which they are listed. Loads no compiler."""
    return {name: get(name).facts for name in _MODULES}

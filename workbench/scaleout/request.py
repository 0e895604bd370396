"""What a job is asked to do; nothing here needs an engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Role
from workbench.methods.core import registry

METHODS = {name: facts.scale for name, facts in registry.facts().items() if facts.scale}
"""Methods with steps of their own here."""


@dataclass(frozen=True, slots=True)
class JobRequest:
    """What a job does: pages of ``paths`` (rows without a role have ``role``), ``method`` with ``parameters``."""

    paths: tuple[Path, ...]
    method: str
    parameters: Mapping[str, Any]
    role: Role = Role.SOURCE
    blocks: str = "default"
    site_repetition: bool = True


def notes(method: str) -> tuple[str, ...]:
    """Why parameters of ``method`` are fixed here, in sentences."""
    note = METHODS[method].note
    return (note,) if note else ()


def check(request: JobRequest) -> Any:
    """The parameters of ``request``, with those that are fixed. Raises UserError for a method without steps,
    ParameterError.
    """
    if request.method not in METHODS:
        raise UserError(
            Message(
                "{method} has no steps for collections beyond a project; these methods have: {methods}.",
                method=request.method,
                methods=", ".join(METHODS),
            )
        )
    parameters = registry.get(request.method).parameters
    chosen = parameters.parse(request.parameters)
    if chosen.suspect_tags or chosen.source_tags:
        raise UserError(Message("The pages of a collection have no tags."))
    return parameters.parse({**request.parameters, **METHODS[request.method].fixed})

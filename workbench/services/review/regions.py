"""Why a trustable region ends where it ends: the cumulative edits of a pair, for drawing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.types import Ints
from workbench.jobs.context import Context

METHOD = "trustable-lcs"
"""The method whose settings decide what counts as an edit."""


@dataclass(frozen=True, slots=True)
class EditCurve:
    """``edits`` counted before each of ``positions`` (code points of the suspect), int64 of equal length, ascending.

    ``slope``: edits for each character that a trustable region may have.
    """

    positions: Ints
    edits: Ints
    slope: float


def edit_curve(ctx: Context, a: str, b: str, settings: Mapping[str, Any]) -> EditCurve:
    """The curve of the texts ``a`` and ``b`` under settings of ``trustable-lcs`` (Huang, Wang and Li, 2007, figure 3).

    It loads the compiler: call it in a process of its own. Raises UserError where the texts differ over too long a
    stretch to count their edits, ParameterError.
    """
    from workbench.kernels.edit_script.blocks import TooDifferent
    from workbench.methods.trustable_lcs.pair import edit_curve as curve
    from workbench.methods.trustable_lcs.parameters import TrustableParameters

    ctx.check()
    parameters = TrustableParameters.parse(settings)
    assert isinstance(parameters, TrustableParameters)
    try:
        positions, edits = curve(a, b, parameters)
    except TooDifferent as error:
        longest = f"{parameters.max_stretch:,}"
        raise UserError(
            Message("The texts differ completely over more than {limit} characters.", limit=longest)
        ) from error
    return EditCurve(positions, edits, parameters.slope)

"""Parameters of the method ``copied-strings``."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.types import Role
from workbench.methods.core.api import Parameters, parameter

PAPER_LENGTH = 15
"""l if documents are compared with each other and none is set."""
LONGEST = 10_000
"""The largest l."""
ROLES = {
    "auto": (Role.SUSPECT, Role.BACKGROUND, Role.SOURCE),
    "suspects": (Role.SUSPECT,),
    "background": (Role.BACKGROUND,),
    "suspects+background": (Role.SUSPECT, Role.BACKGROUND),
    "all": (Role.SUSPECT, Role.BACKGROUND, Role.SOURCE),
}


@dataclass(frozen=True)
class CopiedStringsParameters(Parameters):
    """Length of a copied string, and the documents in which it is searched for."""

    min_length: int = parameter(
        0,
        "Shortest string that counts as copied (l); 0: 15 if strings are counted among the suspects, otherwise "
        "the length that chance reaches",
        low=0,
        high=LONGEST,
        unit="characters",
        paper=PAPER_LENGTH,
    )
    corpus: str = parameter(
        "auto",
        "Documents in which strings are counted (B); auto: sources and background if there are any, otherwise "
        "the suspects",
        choices=tuple(ROLES),
    )
    score: str = parameter(
        "auto",
        "A document's score: copied-string length bl*, or copy rate, which is bl* divided by its number of "
        "characters; auto: length if strings are counted among the suspects, otherwise rate",
        choices=("auto", "length", "rate"),
        paper="length",
    )

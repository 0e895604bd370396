"""Fingerprints of initial letters: copies altered by homophones, variant characters or a few errors.

Source: the system of Datagrand for tracing copied content, section 3. Each character is replaced by the initial of its
pinyin; a window of letters is fingerprinted by the count of each letter, so single letters may be wrong or missing. In
addition: all fingerprints within a distance are looked up, and their matches become passages that are verified
character by character.
"""

from __future__ import annotations

from typing import Any

from workbench.base.messages import Message
from workbench.base.types import Role
from workbench.methods.core.api import Facts, Question
from workbench.methods.core.collection import CollectionMethod
from workbench.methods.core.figures import CHARACTERS, HOMOPHONES, Figure
from workbench.methods.initials.parameters import InitialsParameters

_FORM = 4
"""Version of the index's files: others are rebuilt."""


class Initials(CollectionMethod):
    """The method ``initials``. A match's score is the number of characters that are equal or homophones.

    Evidence: those ``characters`` after folding; how many of the suspect's ``differ`` from the source's, how many of
    these are ``homophones`` (a different character with the same pinyin, regardless of tone); ``votes``, the pairs of
    windows. Tier 0: identical; 1: identical after folding; 2: altered. Each character of a document is in at most one
    passage per source.
    """

    facts = Facts(
        name="initials",
        version=1,
        summary="Passages copied with homophones, variant characters or typos",
        source="Datagrand: text fingerprints and their use in tracing copied content; pypinyin",
        parameters=InitialsParameters,
        emits=frozenset({"matches"}),
        cannot_see=Message("Reworded passages, and passages shorter than about 40 characters."),
        figures={
            "characters": CHARACTERS,
            "differ": Figure(Message("Characters that differ"), Message("after folding")),
            "homophones": HOMOPHONES,
            "votes": Figure(Message("Pairs of windows"), Message("that agree on the passage")),
        },
        question=Question(
            Message("Which passages were copied with sound-alike characters?"),
            Message("Finds copies with characters replaced by others that sound alike, or with typos."),
            ("max_difference", "min_length", "compare"),
        ),
        scans=True,
    )
    indexed: tuple[Role, ...] = (Role.SOURCE,)
    examined: tuple[Role, ...] = (Role.SUSPECT,)

    def index_key(self, parameters: InitialsParameters) -> str:
        """The parameters that shape fingerprints and tables, and the form of the files."""
        p = parameters
        shape = f"{p.window}-{p.stride}-{p.levels}-{p.used}-{p.reference}-{p.distance}"
        return f"{p.compare}-{shape}-{p.ruby:d}-{_FORM}"

    @staticmethod
    def implementation() -> tuple[Any, Any, Any]:
        """The modules of its index, its findings and its explanations."""
        from workbench.methods.initials import finding, index

        return index, finding, finding


METHOD = Initials()

"""What the figures of the evidence say, in plain words: for the window and for reports alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from workbench.base.messages import Message
from workbench.base.percent import percent
from workbench.base.places import OTHER_PLACES
from workbench.methods.copies.kinds import BITS, CopyKind
from workbench.services.review.by_hand import FLAG
from workbench.services.review.passages import PART
from workbench.services.review.splitting import SPLIT

NOTHING = ""


class Words(NamedTuple):
    """One figure: its name, a note on it (may be empty), its value, and what a tip says of how it came about."""

    name: Message
    note: str
    value: Message
    tip: str = NOTHING


SHARES = frozenset(
    {
        "resemblance",
        "containment",
        "containment_b",
        "covered",
        "cosine",
        "jaccard",
        "estimate",
        "shared_words",
        "url_similarity",
    }
)
"""Figures from 0 to 1."""

KINDS: Mapping[int, Message] = {
    CopyKind.VERBATIM: Message("Verbatim"),
    CopyKind.LIGHTLY_CHANGED: Message("Lightly changed"),
    CopyKind.REWORDED: Message("Reworded"),
    CopyKind.SHUFFLED: Message("Shuffled"),
    CopyKind.SUMMARY: Message("Summary"),
    CopyKind.HOMOPHONES: Message("Homophones"),
}
"""What was done to a passage, by the number that is stored."""

CONFIDENCE = (
    (0.99, Message("almost certain")),
    (0.9, Message("very likely")),
    (0.7, Message("likely")),
    (0.5, Message("more likely so")),
    (0.0, Message("doubtful")),
)
"""A confidence (0 to 1) as one says it, from so much on."""

_RARITY = Message(
    "The sum over its sentences of log2(N / k), where k of the N documents counted hold the sentence beside this pair; "
    "where none does, or where that is less, of what its letters say. It says how rare the text is among these "
    "documents, not how probable it is that somebody copied it."
)

_NAMES: Mapping[str, tuple[Message, str]] = {
    FLAG: (Message("Found by"), NOTHING),
    SPLIT: (Message("Split by"), NOTHING),
    "confidence": (Message("Confidence"), Message("that it was copied")),
    "kind": (Message("What was done"), NOTHING),
    "methods": (Message("Seen by"), NOTHING),
    "alike": (Message("Characters in common"), Message("equal or read alike")),
    "odds": (Message("Log-odds"), Message("of the weaker side")),
    "suspect_odds": (Message("Log-odds of the suspect's passage"), NOTHING),
    "source_odds": (Message("Log-odds of the source's passage"), NOTHING),
    "rare_odds": (Message("Log-odds without the collection's formulas"), NOTHING),
    "shared_words": (Message("Words in common"), Message("share of the suspect's words in the passage")),
    "segments": (Message("Sentences in a row"), NOTHING),
    "characters": (Message("Characters in common"), Message("after folding")),
    "surprisal": (Message("Rarity"), NOTHING),
    "df": (Message("Documents that hold it"), Message("in the corpus, this one included")),
    "resemblance": (Message("Resemblance"), Message("common share of both")),
    "containment": (Message("Containment"), Message("of the suspect in the source")),
    "containment_b": (Message("Containment"), Message("of the source in the suspect")),
    "containment_a": (Message("Containment"), Message("of the suspect in the source")),
    "terms_a": (Message("Terms of the suspect"), NOTHING),
    "terms_b": (Message("Terms of the source"), NOTHING),
    "frequency": (Message("Documents that hold it"), Message("its most frequent sentence")),
    "copied_length": (Message("Characters in copied strings"), NOTHING),
    "min_length": (Message("Shortest string counted"), Message("characters")),
    "first": (Message("First template it holds"), Message("by number")),
    "copy_rate": (Message("Copy rate"), NOTHING),
    "covered": (Message("Copied strings"), Message("share that stands elsewhere, too")),
    "tokens": (Message("Tokens in common"), NOTHING),
    "fingerprints": (Message("Fingerprints in common"), NOTHING),
    "parts": (Message("Parts joined"), NOTHING),
    "shared": (Message("Shingles in common"), NOTHING),
    "shingles_a": (Message("Shingles of the suspect"), NOTHING),
    "shingles_b": (Message("Shingles of the source"), NOTHING),
    "shared_sentences": (Message("Shared sentences"), NOTHING),
    "longest_a": (Message("Longest sentences of the suspect"), NOTHING),
    "longest_b": (Message("Longest sentences of the source"), NOTHING),
    "bands": (Message("Bands in common"), NOTHING),
    "estimate": (Message("Resemblance"), Message("estimated from the sketch")),
    "distance": (Message("Bits that differ"), NOTHING),
    "bits": (Message("Bits of a fingerprint"), NOTHING),
    "cosine": (Message("Cosine"), Message("estimated from the bits")),
    "common": (Message("Characters in common"), Message("in trustable regions")),
    "edits": (Message("Edits"), NOTHING),
    "region": (Message("Trustable region"), NOTHING),
    "regions": (Message("Trustable regions"), NOTHING),
    "slope": (Message("Steepest slope"), Message("edits for each character")),
    "templates": (Message("Templates it holds"), NOTHING),
    "longest": (Message("Longest"), Message("characters")),
    "strings": (Message("Copied strings"), NOTHING),
    "sentences": (Message("Shared sentences"), NOTHING),
    "characters_a": (Message("Characters of A"), Message("in long sentences")),
    "characters_b": (Message("Characters of B"), Message("in long sentences")),
    "quoted_a": (Message("Quoted in A"), Message("sentences")),
    "quoted_b": (Message("Quoted in B"), Message("sentences")),
    "url_similarity": (Message("Address similarity"), NOTHING),
    "link_ab": (Message("Link from A to B"), NOTHING),
    "link_ba": (Message("Link from B to A"), NOTHING),
    "differ": (Message("Characters that differ"), Message("after folding")),
    "homophones": (Message("Homophones"), Message("of these, read alike")),
    OTHER_PLACES: (Message("Also at"), NOTHING),
    "votes": (Message("Pairs of windows"), Message("that agree on the passage")),
    "score": (Message("Score"), NOTHING),
}


def is_named(name: str) -> bool:
    """Whether a figure of the evidence has a name of its own in the window's language."""
    return name in _NAMES


def name_of(name: str) -> tuple[Message, str]:
    """What a figure of the evidence is called, and a note on it."""
    return _NAMES.get(name) or (Message(name.replace("_", " ").replace("-", " ").capitalize()), NOTHING)


def measured(name: str, evidence: Mapping[str, Any]) -> bool:
    """Whether figure ``name`` of ``evidence`` says something: a method that saw nothing measured nothing."""
    value = evidence[name]
    if isinstance(value, str):
        return True
    if value != value or name == PART or (name in (FLAG, SPLIT) and not value):
        return False
    by = _MEASURED_BY.get(name)
    return by is None or "methods" not in evidence or bool(int(evidence["methods"]) & BITS[by])


_MEASURED_BY = {"surprisal": "digest", "alike": "initials", "homophones": "initials", "odds": "altered"}
"""Figures of *copies* and the method that each is of."""


def words_of(name: str, value: Any) -> Words:
    """One figure of the evidence in words; ``value`` a number, or a text that stays what it is."""
    title, note = name_of(name)
    if isinstance(value, str):
        return Words(title, NOTHING, Message("{text}", text=value))
    if name == OTHER_PLACES:
        places = Message("{count} other places of this source", count=f"{value:,.0f}")
        return Words(title, note, Message("one other place of this source") if value == 1 else places)
    return Words(title, note, _figure(name, value), _RARITY if name == "surprisal" else NOTHING)


def _figure(name: str, value: float) -> Message:
    if name in (FLAG, SPLIT):
        return Message("a reviewer")
    if name == "kind":
        return KINDS.get(int(value), Message("{value}", value=f"{value:g}"))
    if name == "methods":
        return Message("{text}", text=", ".join(method for method, bit in BITS.items() if int(value) & bit))
    if name == "confidence":
        confidence = next(word for least, word in CONFIDENCE if value >= least or least == 0)
        return Message("{percent} · {word}", percent=percent(value), word=confidence)
    if name == "surprisal":
        return Message("{bits} bits", bits=f"{value:,.0f}")
    if name == "region":
        return Message("R{number}", number=f"{value:.0f}")
    if name in SHARES or name in ("score", "slope"):
        return Message("{value}", value=f"{value:,.3f}" if value < 100 else f"{value:,.0f}")
    return Message("{value}", value=f"{value:,.0f}" if value == round(value) else f"{value:,.4g}")

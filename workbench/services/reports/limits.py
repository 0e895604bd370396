"""What each method cannot see, as reports say it."""

from __future__ import annotations

from workbench.base.messages import Message

_LIMITS = {
    "copies": Message("Copied ideas in wholly new words, translations, and most copies of less than a sentence."),
    "digest": Message("Passages whose sentences were reworded, or whose characters were exchanged one by one."),
    "altered": Message(
        "Copies whose words are all other ones (translations, thorough paraphrase), and passages of fewer than about "
        "six rare words. Names and dates that two writers have in common can look like a copy."
    ),
    "initials": Message("Passages that were reworded, or that are shorter than about 40 characters."),
    "trustable-lcs": Message("Single copied passages, and editions of which little stayed word by word."),
    "shingle": Message("Short copies inside long documents."),
    "minhash": Message("Partial copies; pairs near the threshold may be missed by chance."),
    "simhash": Message("Partial copies."),
    "cosine": Message("Partial copies, and copies in other words."),
    "longest-sentences": Message("Partial copies, and copies whose longest sentences were changed."),
    "winnowing": Message("Strings shorter than the window, and strings that were changed."),
    "rare-sentences": Message("Copies in which every long sentence was changed."),
    "copied-strings": Message("Text made of single copied words."),
    "template": Message("Copies that occur only a few times."),
}
OF_ALL = (
    Message("Sources that are not in the project: what was not compared cannot match."),
    Message("Pictures, formulas and tables as such; only their text, where they have any."),
    Message("Which document came first, and whether anybody was allowed to copy."),
)


def cannot_see(method: str) -> tuple[Message, ...]:
    """What ``method`` cannot see, and what none can."""
    own = _LIMITS.get(method)
    return OF_ALL if own is None else (own, *OF_ALL)

"""The plain reference of the compiled pass that cuts tokens."""

from __future__ import annotations

from itertools import islice, takewhile

from workbench.base.types import Span
from workbench.text.normalisation import FoldOptions, fold
from workbench.text.segmenting.chinese import chinese_words
from workbench.text.tokens import DIVIDES, HAN, SCRIPT, Tokens, token_class


def tokens(text: str, mode: Tokens, options: FoldOptions) -> list[tuple[str, Span]]:
    """The tokens of ``text`` in order, each folded and with the span of original code points it stands for.

    Raises UserError for ``segmented`` if the optional part is not installed.
    """
    folded = fold(text, options)
    together = {Tokens.WORDS: range(SCRIPT + 1), Tokens.AUTO: (0,), Tokens.SEGMENTED: (0, HAN)}.get(mode, ())
    runs: list[list[tuple[str, Span]]] = []
    before = -1
    for i, character in enumerate(folded.text):
        at = Span(int(folded.start[i]), int(folded.end[i]))
        script = token_class(character) & SCRIPT
        joined = script == before and script in together
        if joined and not any(token_class(c) & DIVIDES for c in text[int(folded.end[i - 1]) : at.start]):
            runs[-1].append((character, at))
        else:
            runs.append([(character, at)])
        before = script
    if mode is Tokens.LETTERS:
        runs = [_from(runs, i) for i in range(len(runs))]
    if mode is Tokens.SEGMENTED:
        runs = [word for run in runs for word in _words(run)]
    return [("".join(c for c, _ in run), Span(run[0][1].start, run[-1][1].end)) for run in runs]


def _from(runs: list[list[tuple[str, Span]]], i: int) -> list[tuple[str, Span]]:
    """The character of run ``i``, with the four letters after it where it is of a script with spaces."""
    letters = takewhile(lambda run: not token_class(run[0][0]) & SCRIPT, runs[i : i + 5])
    return [run[0] for run in letters] or runs[i]


def _words(run: list[tuple[str, Span]]) -> list[list[tuple[str, Span]]]:
    """The Chinese words of a run of Han; any other run as it is."""
    if token_class(run[0][0]) & SCRIPT != HAN:
        return [run]
    rest = iter(run)
    return [list(islice(rest, len(word))) for word in chinese_words("".join(c for c, _ in run))]

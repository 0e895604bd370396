"""Chinese words, by a dictionary and, for names it lacks, a hidden Markov model: jieba's algorithm.

The library is an optional extra, ``pip install 'palimpsest[chinese]'``. It contains its dictionary, so that the same
version cuts the same text in the same way everywhere; nothing is added here.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import metadata
from typing import TYPE_CHECKING

from workbench.base.errors import UserError
from workbench.base.messages import Message

if TYPE_CHECKING:
    from rjieba import Jieba

_LIBRARY = "rjieba"


def segmenter_version() -> str:
    """The version of the library and its dictionary. Raises UserError if it is not installed."""
    try:
        return metadata.version(_LIBRARY)
    except metadata.PackageNotFoundError:
        raise _missing() from None


def chinese_words(run: str) -> list[str]:
    """The words of ``run``, a run of Chinese characters only; concatenated, they equal ``run``.

    Raises UserError if the library is not installed.
    """
    words: list[str] = _segmenter().cut(run)
    return words


@lru_cache(maxsize=1)
def _segmenter() -> Jieba:
    try:
        from rjieba import Jieba
    except ImportError:
        raise _missing() from None
    return Jieba()


def _missing() -> UserError:
    return UserError(
        Message("Cutting Chinese into words needs an optional part."),
        hint=Message("Install it with: pip install 'palimpsest[chinese]'"),
    )

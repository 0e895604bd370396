"""Compiles every kernel in advance by running each method once on a few short texts, and reading a page.

A kernel is compiled for the types of its arguments, so the safest way is to run the method itself. Methods that call
some kernels only with parameters other than the defaults list these in ``warm_up``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from workbench.base.errors import UserError
from workbench.base.messages import Message
from workbench.base.progress import NullProgress, Progress
from workbench.base.types import Document, Role
from workbench.methods.core import registry
from workbench.methods.core.api import Method, Parameters

_SENTENCES = [f"これは{i}番目の文で、{'甲乙丙丁戊己庚辛壬癸'[i % 10]}について{i * 7}字ほど述べる。" for i in range(24)]
_ALTERED = [sentence if i % 6 else sentence.replace("述べる", "書いた") for i, sentence in enumerate(_SENTENCES)]
_TRANSLATED = [f"This is sentence number {i}, and it says something in {i * 7} letters." for i in range(24)]
_FOLDED_IN_CONTEXT = "か\u3099き\u3099く\u3099が、ｶﾞｷﾞｸﾞと並ぶ。"
_WRAPPED = "A line that ends\nin the middle of a sentence, as e-mails do\nwhen they are wrapped.\n" * 4
_PAGE = '<p style="margin:0">one line</p><div><a href=x>two</a> lines and more</div>'
"""With a style that may hide text, and ambiguous, so that a second opinion is asked."""

_TEXTS = (
    (Role.SOURCE, "".join(_SENTENCES) + _WRAPPED),
    (Role.SOURCE, "".join(_SENTENCES[:8]).replace("。", "、")),
    (Role.SUSPECT, _FOLDED_IN_CONTEXT + "".join(_ALTERED) + _WRAPPED.upper()),
    # Little in common with the rest, like most texts.
    (Role.SUSPECT, "".join(_SENTENCES[:2])),
    # Reordered, so that comparing it with the first takes many edits.
    (Role.SUSPECT, "".join(_SENTENCES[10:]) + _WRAPPED + "".join(_SENTENCES[:10])),
    (Role.SOURCE, " ".join(_TRANSLATED)),
    (Role.BACKGROUND, "".join(_SENTENCES[12:]) * 2),
)


class _Corpus:
    """The short texts as documents, with keys from 1."""

    def __init__(self, texts: Sequence[tuple[Role, str]] = _TEXTS) -> None:
        self._documents = [Document(f"d{key}", text, role, key) for key, (role, text) in enumerate(texts, 1)]

    def count(self, *roles: Role) -> int:
        return sum(1 for _ in self.documents(*roles))

    def documents(self, *roles: Role) -> Iterator[Document]:
        return (document for document in self._documents if not roles or document.role in roles)


def warm_up(progress: Progress) -> None:
    """Load every kernel, compiling those that are not cached yet (a minute or two, once per machine).

    Reports the stage ``Preparing kernels``. Raises Cancelled between two runs of a method.
    """
    _run_all([*map(_runs, registry.names()), [read_page]], progress)


def warm_up_last_first() -> None:
    """The same for a second process: first pages and what the default method compiles last, then from the last method
    on.
    """
    _run_all([[read_page], *map(_runs, ["altered", "initials", *reversed(registry.names())])], NullProgress())


def _runs(name: str) -> list[Callable[[], None]]:
    """A run of the method for each set of parameters that it needs to call all of its kernels."""
    method = registry.get(name)
    return [partial(_run_if_installed, method, settings) for settings in method.warm_up]


def _run_if_installed(method: Method, settings: Mapping[str, Any]) -> None:
    # If an optional part is not installed, its kernels are not called.
    with suppress(UserError):
        run_once(method, method.parameters.parse(settings))


def _run_all(groups: Sequence[Sequence[Callable[[], None]]], progress: Progress) -> None:
    """Run everything once. A run that needs a kernel that another process is compiling is put off, because both
    processes would need the following kernels too, and wait for each other at each.
    """
    from workbench.kernels.compiled import BusyKernel, without_waiting

    open_runs = [run for group in groups for run in group]
    total = len(open_runs)
    while open_runs:
        busy: list[Callable[[], None]] = []
        done = total - len(open_runs)
        for at, run in enumerate(open_runs):
            progress.check()
            progress.advance(Message("Preparing kernels"), done + at - len(busy), total)
            try:
                with without_waiting():
                    run()
            except BusyKernel:
                busy.append(run)
        if len(busy) == len(open_runs):
            busy.pop(0)()
        open_runs = busy
    progress.advance(Message("Preparing kernels"), total, total)


def read_page() -> None:
    """Process a page once: the kernels for pages, which differ from those of the methods, are loaded afterwards."""
    from workbench.reading.blocks import scorecard
    from workbench.reading.html.page import extract_html

    page = extract_html(_PAGE).page
    scorecard.judge(page)
    scorecard.judge(page, lambda: [True] * len(page.leaves))


def run_once(method: Method, parameters: Parameters) -> None:
    """Run every operation of a method once, on short texts: its kernels are loaded afterwards."""
    corpus, progress = _Corpus(), NullProgress()
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        method.prepare(corpus, parameters, Path(folder), progress)
        index: Any = method.load(Path(folder), parameters)
        examined = list(corpus.documents(*method.roles(parameters)[1]))
        method.detect(index, examined, parameters, progress)
        (source, *_), (*_, suspect) = corpus.documents(Role.SOURCE), examined[:3]
        method.compare(suspect, source, parameters)
        method.explain(suspect, source, parameters, index)
        method.explain(suspect, source, parameters)
        if method.extends:
            with TemporaryDirectory(ignore_cleanup_errors=True) as extended:
                method.extend(Path(folder), corpus, _Corpus(()), parameters, Path(extended), progress)

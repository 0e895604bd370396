"""Messages of methods, readers, reports and errors in the interface language."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.gui.test_any_text import matches_of
from workbench.base.errors import UserError
from workbench.base.messages import Counted, Message, fill, read, stored
from workbench.base.types import Document, IntegrityFlag
from workbench.gui import i18n
from workbench.gui.charts.dot_plot import DotPlot
from workbench.gui.i18n import say
from workbench.gui.kit.saving import report_words
from workbench.methods.altered.marks import MarkSort, WordMark, counted
from workbench.methods.core import registry
from workbench.services.reports.strings import ReportLanguage
from workbench.text.disguises import Trick, in_words

CAT = "吾輩は猫である。名前はまだ無い。" * 9


@pytest.fixture(params=["ja", "zh"])
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    i18n.use(request.param)
    yield request.param
    i18n.use("en")


def _has_english(text: str) -> bool:
    return any("a" <= c <= "z" for c in text)


def test_figures_and_names_are_in_the_translated_sentence(language: str) -> None:
    sentence = say(Message("The row has {cells} columns, the header {names}.", cells=3, names=12))
    assert "3" in sentence
    assert "12" in sentence
    assert not _has_english(sentence)


def test_values_that_are_messages_are_translated_and_others_left_as_they_are(language: str) -> None:
    inner = Message("There is no text in this PDF: {hint}.", hint=Message("its pages are damaged"))
    assert not _has_english(say(inner).replace("PDF", ""))
    assert "{passage}" in say(Message("The field {key} is no text.", key="{passage}"))
    assert say("A title. Something no method says.") == "A title. Something no method says."
    assert say(Message("Nothing knows this {name}.", name="x")) == "Nothing knows this x."


def test_english_stays_english(qapp: object) -> None:
    i18n.use("en")
    assert say(Message("The row has {cells} columns, the header {names}.", cells=3, names=12)) == (
        "The row has 3 columns, the header 12."
    )


def test_messages_joined_are_translated_one_by_one(language: str) -> None:
    parts = Message("The page is empty."), "x", Message("The file is empty.")
    joined = Message.joined(" · ", parts)
    assert joined == "The page is empty. · x · The file is empty."
    assert say(joined) == " · ".join(map(say, parts))


@pytest.mark.parametrize(
    "keep", [lambda m: read(stored(m)), lambda m: pickle.loads(pickle.dumps(m))], ids=["project", "pipe"]
)
def test_messages_that_were_stored_or_sent_are_still_translated(keep: object, language: str) -> None:
    error = UserError(
        Message("The list cannot be read ({reason}).", reason=OSError(13, "Permission denied")), path="a b"
    )
    again = keep(error.sentence)  # type: ignore[operator]
    assert again == str(error) == "a b: The list cannot be read (Permission denied)."
    assert say(again) == say(error.sentence)
    assert not _has_english(say(again).removeprefix("a b: "))


def test_a_report_is_in_one_language(language: str) -> None:
    words = report_words()
    assert words["en"] == language
    same = [text for text, translated in words.items() if text == translated]
    assert same == []


@pytest.mark.parametrize("method", registry.names())
@pytest.mark.parametrize("texts", [("", "source text"), (CAT, CAT), ("甲。" * 9, "乙。" * 9)])
def test_explanations_are_wholly_translated(method: str, texts: tuple[str, str]) -> None:
    i18n.use("ja")
    chosen = registry.get(method)
    a, b = (Document(f"{n}", text, key=n + 1) for n, text in enumerate(texts))
    explanation = chosen.explain(a, b, chosen.parameters())
    shown = [explanation.summary, *(text for r in explanation.reasons for text in (r.rule, r.detail))]
    left = [text for text in shown if _has_english(text) and say(text) == text]
    i18n.use("en")
    assert left == []


def test_errors_are_shown_with_their_file_and_advice_and_without_the_command(language: str) -> None:
    error = UserError(
        Message("The list cannot be read ({reason}).", reason=OSError(13, "Permission denied")),
        path="/a: b/list.txt",
        hint=Message("Choose another name."),
        command="Make one with: palimpsest new FILE",
    )
    assert str(error).endswith("Choose another name. Make one with: palimpsest new FILE")
    sentence = say(error.sentence)
    assert sentence.startswith("/a: b/list.txt: ")
    assert not _has_english(sentence.removeprefix("/a: b/list.txt: "))
    assert sentence.count("。") == 2


def test_advice_is_not_part_of_what_the_sentence_names(language: str) -> None:
    alone = UserError(Message("There is no watch called {name}.", name="news"))
    advised = UserError(alone.message, hint=Message("Available: {names}.", names="weekly, daily"))
    assert say(advised.sentence).startswith(say(alone.sentence))
    assert "weekly, daily" in say(advised.sentence)


@pytest.mark.parametrize(
    "text",
    [
        "a\x1f",
        "a\x1f[",
        "a\x1f[1]",
        'a {x}\x1f{"y": 1}',
        "{x}\x1f" + "[" * 100_000,
        '{x} {x}\x1f{"x": 1}',
        'a {x}\x1f{"x": [null]}',
        'a {x}\x1f{"x": [["b"]]}',
    ],
)
def test_what_a_stranger_stored_is_shown_as_text(text: str, language: str) -> None:
    assert say(read(text))


def test_a_short_stored_text_does_not_grow_into_a_long_one() -> None:
    text = "x" * 10
    for _ in range(8):
        text = stored(Message("{a}" * 10, a=Message(text)))
    assert len(read(text)) < 10 * len(text)


def test_what_is_filled_in_is_not_looked_at_again() -> None:
    assert fill("{a} {b} {c}", {"a": "{b}", "b": "{a.__class__}"}) == "{b} {a.__class__} {c}"


def test_a_sentence_without_translation_is_noticed(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(repository / "packaging"))
    # One that another test imported would remember what it extracted.
    monkeypatch.delitem(sys.modules, "translations", raising=False)
    import translations  # type: ignore[import-not-found]

    (tmp_path / "new.py").write_text('raise UserError(Message("The {name} is late.", name=name))\n', encoding="utf-8")
    monkeypatch.setattr(translations, "SOURCE", tmp_path)
    assert "not translated: The {name} is late." in translations.missing("ja", translations.SENTENCES)
    sys.modules.pop("translations")


def test_stored_counts_of_things_are_translated_in_the_window_and_in_reports(language: str) -> None:
    pictures = Counted("text of {count} picture", "text of {count} pictures", 3)
    back = read(Message("with {pictures}, {share} certain", pictures=pictures, share="91 %").stored())
    for translated in (say(back), ReportLanguage(language).say(back)):
        assert not _has_english(translated)
        assert "3" in translated


def test_one_thing_is_counted_in_the_singular() -> None:
    assert in_words(IntegrityFlag(Trick.PICTURES.value, 1, ())) == "1 picture that may contain text"
    assert in_words(IntegrityFlag(Trick.LOOKALIKES.value, 2, ())) == "2 letters of another script that look alike"
    assert counted([WordMark(MarkSort.PHRASE, None, None)]) == "1 phrase"


def test_the_dot_plot_tells_a_screen_reader_one_match_in_the_singular(qtbot: QtBot) -> None:
    plot = DotPlot()
    qtbot.addWidget(plot)
    for number, words in ((1, "1 match"), (2, "2 matches")):
        plot.set_matches(matches_of([(0, 1)] * number, [(0, 1)] * number), np.arange(number), 9, 9)
        assert plot.accessibleDescription() == words

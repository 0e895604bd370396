"""Why a text was not matched, in words."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from workbench.base.messages import Message
from workbench.base.types import Span
from workbench.gui.judging.evidence_words import run_words
from workbench.gui.screens.review.questions import WhyDialog
from workbench.gui.theme.manager import Theme
from workbench.methods.core.api import Explanation, Reason
from workbench.services.detecting.comparing import PairExplanation, TextAnswer

PAIR = Explanation(True, Message("The pair matched."), ())
RULES = (
    Reason(Message("shared sentences"), True, Message("1 of 1 stand in both")),
    Reason(Message("length"), False, Message("longest sequence: 1, 3 needed"), Span(0, 4), Span(9, 13)),
)


def _shown(qtbot: QtBot, answer: PairExplanation, match: int | None = None) -> tuple[str, list[str], list[str]]:
    dialog = WhyDialog(Theme("light"), answer, match)
    qtbot.addWidget(dialog)
    rules = [dialog.list.item(row).text() for row in range(dialog.list.count())]
    return dialog.headline.text(), [line.text() for line in dialog.lines], rules


def test_the_answer_is_about_the_text_that_was_asked_about(qtbot: QtBot) -> None:
    of_text = TextAnswer(Span(0, 4), Span(0, 4), (Span(9, 13),), Explanation(False, Message("No match."), RULES))
    headline, lines, rules = _shown(qtbot, PairExplanation(PAIR, of_text))
    assert headline == "This text did not match"
    assert "is in the other document, at 1 place, first at 9–13" in lines[0]
    assert lines[1] == "Decided by: Length — longest sequence: 1, 3 needed"
    assert len(rules) == 2


def test_the_rules_are_headed_by_what_they_were_applied_to(qtbot: QtBot) -> None:
    of_text = TextAnswer(Span(0, 4), Span(0, 4), (), Explanation(False, Message("No match."), RULES))
    for answer, heading in ((None, "The rules, for the pair"), (of_text, "The rules, for this text by itself")):
        dialog = WhyDialog(Theme("light"), PairExplanation(PAIR, answer), None)
        qtbot.addWidget(dialog)
        headings = [part.text() for part in dialog.findChildren(QLabel) if part.text().startswith("The rules")]
        assert headings == [heading]


def test_text_that_is_nowhere_else_is_said_to(qtbot: QtBot) -> None:
    of_text = TextAnswer(Span(0, 4), Span(0, 4), (), Explanation(False, Message("No match."), RULES))
    assert _shown(qtbot, PairExplanation(PAIR, of_text))[1][0] == (
        "The other document does not contain the whole of this text."
    )


def test_text_inside_of_a_match_names_it(qtbot: QtBot) -> None:
    of_text = TextAnswer(Span(0, 4), Span(0, 4), (Span(9, 13),), Explanation(True, Message("Matched."), RULES[:1]))
    assert _shown(qtbot, PairExplanation(PAIR, of_text), 2)[0] == "This text is part of match 3"
    assert _shown(qtbot, PairExplanation(PAIR, of_text))[0] == "This text alone would match"


def test_the_sentences_that_were_compared_are_reported_where_less_was_chosen(qtbot: QtBot) -> None:
    of_text = TextAnswer(Span(1, 3), Span(0, 4), (Span(9, 11),), Explanation(False, Message("No match."), RULES))
    lines = _shown(qtbot, PairExplanation(PAIR, of_text))[1]
    assert lines[1] == "Whole sentences are compared: the rules apply to characters 0–4."
    assert lines[2].startswith("Decided by: Length")


def test_rules_that_decide_together_are_all_said(qtbot: QtBot) -> None:
    together = tuple(Reason(Message(name), False, Message("no"), decides=True) for name in ("one", "two"))
    of_text = TextAnswer(Span(0, 4), Span(0, 4), (), Explanation(False, Message("No match."), (*RULES, *together)))
    assert _shown(qtbot, PairExplanation(PAIR, of_text))[1][1:] == ["Decided by: One — no", "Decided by: Two — no"]


def test_text_that_would_match_alone_but_has_no_match_is_not_said_to_have_one(qtbot: QtBot) -> None:
    of_text = TextAnswer(Span(0, 4), Span(0, 4), (Span(9, 13),), Explanation(True, Message("Matched."), RULES[:1]))
    assert "found no match here" in _shown(qtbot, PairExplanation(PAIR, of_text))[1][-1]
    assert "no match here" not in " ".join(_shown(qtbot, PairExplanation(PAIR, of_text), 2)[1])


def test_figures_without_the_index_of_the_run_say_so(qtbot: QtBot) -> None:
    assert (
        "values are based on these two texts alone" in _shown(qtbot, PairExplanation(PAIR, of_collection=False))[1][-1]
    )


def test_without_a_selection_the_pair_is_explained(qtbot: QtBot) -> None:
    headline, lines, _ = _shown(qtbot, PairExplanation(PAIR))
    assert (headline, lines) == ("This pair matched", ["The pair matched."])


def test_a_run_is_said_in_words_with_what_else_holds_it() -> None:
    assert run_words("one two three", "en", 0) == "a run of 3 words that no other source of this run contains"
    assert run_words("山路を登り", "ja", 1) == "a run of 5 characters; 1 other source of this run also contains it"


def test_a_changed_passage_is_not_said_to_be_a_run_that_others_have() -> None:
    assert run_words("a b c", "en", 0, changed=True) == (
        "a changed passage of 3 words that no other source of this run matches"
    )
    assert run_words("a b c", "en", 2, changed=True) == (
        "a changed passage of 3 words; 2 other sources of this run also match here"
    )


def test_text_of_the_source_is_answered_where_the_suspect_has_it_or_for_the_two_texts_alone(qtbot: QtBot) -> None:
    unmatched = Explanation(False, Message("No match."), RULES)
    both = TextAnswer(Span(1, 3), Span(9, 13), (Span(9, 13),), unmatched, of_source=True)
    lines = _shown(qtbot, PairExplanation(PAIR, both))[1]
    assert "is in the other document, at 1 place, first at 9–13" in lines[0]
    assert lines[1] == "Whole sentences are compared: the rules apply to characters 9–13 there."
    alone = TextAnswer(Span(1, 3), Span(0, 4), (), unmatched, of_source=True, in_suspect=False)
    lines = _shown(qtbot, PairExplanation(PAIR, alone, of_collection=False))[1]
    assert lines[0] == "The other document does not contain the whole of this text."
    assert lines[1] == "Whole sentences are compared: the rules apply to characters 0–4."
    assert lines[-1] == ("Only the source contains these sentences: the values are based on these two texts alone.")

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.base.types import Block, BlockClass, Document, Role, Span
from workbench.jobs.context import Context
from workbench.methods.core.registry import names
from workbench.project.documents import add_documents, load_document
from workbench.services.detecting.comparing import answer, equal_places, explain, has_compared
from workbench.services.detecting.runs import detect
from workbench.services.session import Session

SHORT = "ご清聴に感謝いたします。"
LONG = (
    "三月の川を見た技師ならば、岸のこれほど近くに建てようとは思わない。水車は秋から止まったままである。堰は流された。"
)
SETTINGS = {"rule": "length", "min_run": 3}


def _answer(ctx: Context, path: Path, part: str, settings: dict[str, object] | None = None, method: str = "digest"):  # type: ignore[no-untyped-def]
    with Session(path) as session:
        suspect = Document("s", f"はじめの文である。{SHORT}おわりの文である。{LONG}", Role.SUSPECT, language="ja")
        source = Document("t", f"{LONG}別の文である。{SHORT}", Role.SOURCE, language="ja")
        others = [Document(f"o{n}", f"他の文書の{n}番目。", Role.SOURCE) for n in range(30)]
        with session.write() as connection:
            add_documents(connection, [suspect, source, *others])
        detect(ctx, path, method, SETTINGS if settings is None else settings, workers=1)
        with session.read() as connection:
            a, b = load_document(connection, "s"), load_document(connection, "t")
    at = a.text.index(part)
    return answer(ctx, path, a, b, method, SETTINGS if settings is None else settings, Span(at, at + len(part))), a, b


def test_a_sentence_that_is_in_both_is_answered_for_itself(ctx: Context, path: Path) -> None:
    reply, a, b = _answer(ctx, path, SHORT[2:6])
    assert reply.explanation.matched  # the pair did
    of_text = reply.of_text
    assert a.text[slice(*of_text.span)] == SHORT  # whole sentences
    assert a.text[slice(*of_text.chosen)] == SHORT[2:6]
    assert [b.text[slice(*place)] for place in of_text.places] == [SHORT[2:6]]
    assert not of_text.explanation.matched
    [deciding] = of_text.explanation.deciding
    assert deciding.rule == "length"
    assert "3 needed" in deciding.detail
    assert a.text[slice(*deciding.a_span)] == SHORT


def test_a_sentence_of_the_source_is_answered_where_the_suspect_has_it(ctx: Context, path: Path) -> None:
    of_suspect, a, b = _answer(ctx, path, SHORT)
    at = b.text.index(SHORT)
    # A stop, which stands in many places: its sentence decides where it is looked for.
    chosen = Span(at + len(SHORT) - 1, at + len(SHORT))
    reply = answer(ctx, path, a, b, "digest", SETTINGS, chosen, of_source=True)
    of_text = reply.of_text
    assert (of_text.chosen, of_text.of_source, of_text.in_suspect) == (chosen, True, True)
    assert a.text[slice(*of_text.span)] == SHORT
    assert of_text.explanation == of_suspect.of_text.explanation
    assert reply.of_collection


@pytest.mark.parametrize("method", names())
def test_a_sentence_that_only_the_source_has_is_answered_by_every_method(ctx: Context, path: Path, method: str) -> None:
    with Session(path) as session, session.write() as connection:
        only = "この文は出典にだけある長い文である。"
        texts = {"s": LONG + "自分の文を一つ書いた。", "t": LONG + only}
        add_documents(connection, [Document("s", texts["s"], Role.SUSPECT), Document("t", texts["t"], Role.SOURCE)])
    with session.read() as connection:
        a, b = load_document(connection, "s"), load_document(connection, "t")
    chosen = Span(len(LONG) + 2, len(LONG) + 6)
    reply = answer(ctx, path, a, b, method, {}, chosen, of_source=True)
    of_text = reply.of_text
    assert b.text[slice(*of_text.span)] == only
    assert (of_text.places, of_text.in_suspect, reply.of_collection) == ((), False, False)
    # Any string counts for copied strings.
    assert of_text.explanation.matched == (method == "copied-strings")
    for reason in of_text.explanation.reasons:
        assert (
            reason.b_span is None or of_text.span.start <= reason.b_span.start <= reason.b_span.end <= of_text.span.end
        )


def test_text_that_is_only_here_has_no_place(ctx: Context, path: Path) -> None:
    reply, _, _ = _answer(ctx, path, "おわりの文である")
    assert reply.of_text.places == ()
    assert [reason.rule for reason in reply.of_text.explanation.deciding] == ["shared sentences"]


def test_either_of_two_rules_would_do_so_both_decide(ctx: Context, path: Path) -> None:
    settings = {"rule": "either", "min_run": 3, "min_surprisal": 10_000.0}
    reply, _, _ = _answer(ctx, path, SHORT, settings)
    assert [reason.rule for reason in reply.of_text.explanation.deciding] == ["length", "surprisal"]


@pytest.mark.slow
def test_each_method_of_copies_that_sees_nothing_is_reported(ctx: Context, path: Path) -> None:
    reply, _, _ = _answer(ctx, path, "おわりの文である", {}, "copies")
    rules = [reason.rule for reason in reply.of_text.explanation.deciding]
    assert rules == ["method digest", "method initials", "method altered"]


@pytest.mark.slow
def test_passages_that_methods_see_are_refused_by_their_confidence(ctx: Context, path: Path) -> None:
    reply, _, _ = _answer(ctx, path, LONG, {"min_confidence": 1.0}, "copies")
    [reason] = reply.of_text.explanation.deciding
    assert reason.rule == "confidence"
    assert "passages with a confidence of 1 or more: 0, the highest 0." in reason.detail


def test_text_outside_of_the_content_was_not_compared(ctx: Context, path: Path) -> None:
    menu = Block(Span(0, len(LONG)), verdict=BlockClass.NON_CONTENT, rule="a menu")
    rest = Block(Span(len(LONG), len(LONG) + 8))
    page = Document("p", LONG + "別の文である。。", Role.SUSPECT, blocks=(menu, rest), language="ja")
    plain = Document("q", "序である。" + LONG, Role.SOURCE, language="ja")
    for a, b in ((page, plain), (replace(plain, role=Role.SUSPECT), replace(page, role=Role.SOURCE))):
        at = a.text.index(LONG)
        for method in ("digest", "copies"):
            of_text = answer(ctx, path, a, b, method, {}, Span(at, at + len(LONG))).of_text
            assert not of_text.explanation.matched
            [reason] = of_text.explanation.deciding
            assert reason.rule == "content blocks"
            assert "a menu" in reason.detail


@pytest.mark.slow
def test_a_text_or_span_that_the_suspect_does_not_have_is_refused(ctx: Context, path: Path) -> None:
    _answer(ctx, path, SHORT)
    with pytest.raises(UserError, match="is not in the document s"):
        explain(ctx, path, "s", "t", "digest", SETTINGS, "そのような文はない。")
    with pytest.raises(UserError, match="is not a part of it"):
        explain(ctx, path, "s", "t", "digest", SETTINGS, Span(5, 10_000))
    assert explain(ctx, path, "s", "t", "digest", SETTINGS, SHORT).of_collection


@pytest.mark.slow
def test_without_the_index_of_the_run_the_answer_says_so(ctx: Context, path: Path) -> None:
    _answer(ctx, path, SHORT)
    assert not explain(ctx, path, "s", "t", "digest", {"min_segment": 7}, SHORT).of_collection


@pytest.mark.slow
def test_figures_are_those_of_the_run(ctx: Context, path: Path) -> None:
    settings = {"rule": "surprisal", "min_surprisal": 50.0}
    reply, a, _ = _answer(ctx, path, LONG, settings)
    with Session(path) as session, session.read() as connection:
        from workbench.project.matches import matches_of

        matches = matches_of(connection, 1, a=a.key)
    whole = next(row for row in matches if row.a_span.end == len(a.text))
    [passage] = [r for r in reply.of_text.explanation.reasons if r.rule == "passage"]
    assert f"{whole.evidence['surprisal']:.0f} bits" in passage.detail


@pytest.mark.parametrize("method", ["winnowing", "initials", "digest"])
def test_in_a_project_without_sources_the_default_settings_are_those_of_its_run(
    ctx: Context, path: Path, method: str
) -> None:
    with Session(path) as session, session.write() as connection:
        add_documents(connection, [Document(f"e{i}", f"{i}日目の記事。{LONG}", Role.SUSPECT) for i in range(3)])
    run = detect(ctx, path, method, {}, workers=1)
    replies = [explain(ctx, path, "e2", "e0", method, settings) for settings in ({}, run.parameters)]
    assert replies[0] == replies[1]
    assert replies[0].explanation.matched
    assert replies[0].of_collection


@pytest.mark.parametrize("settings", [{}, {"compare": "all", "source_tags": "none"}])
def test_figures_of_documents_that_are_not_compared_are_not_said_to_be_those_of_the_collection(
    ctx: Context, path: Path, settings: dict[str, str]
) -> None:
    with Session(path) as session, session.write() as connection:
        roles = {"s1": Role.SUSPECT, "s2": Role.SUSPECT, "t": Role.SOURCE, "n": Role.SOURCE}
        tags = {"n": ("none",)}
        documents = [Document(i, f"{i}の記事。{LONG}", role, tags=tags.get(i, ())) for i, role in roles.items()]
        add_documents(connection, documents)
    detect(ctx, path, "winnowing", settings, workers=1)
    compared = {pair: explain(ctx, path, *pair, "winnowing", settings) for pair in permutations(roles, 2)}
    assert all(reply.of_collection is reply.compared for reply in compared.values())
    is_compared = {pair for pair, reply in compared.items() if reply.compared}
    among = {"s1", "s2", "n"}
    expected = {(s, t) for s in ("s1", "s2") for t in ("t", "n")} if not settings else set(permutations(among, 2))
    assert is_compared == expected


def test_equal_places_forgive_width_case_symbols_and_spaces() -> None:
    text = "ＡＢＣ, def; then abc  DEF and no more"
    assert [text[slice(*span)] for span in equal_places("abc def", text)] == ["ＡＢＣ, def", "abc  DEF"]
    assert equal_places("…", text) == ()
    assert equal_places(";", text) == (Span(8, 9),)
    assert equal_places("  ", text) == ()


@pytest.mark.parametrize(("settings", "compared"), [({}, False), ({"compare": "all"}, True)])
def test_a_run_has_compared_two_suspects_only_if_it_compares_all(
    ctx: Context, path: Path, settings: dict[str, object], compared: bool
) -> None:
    with Session(path) as session:
        roles = {"s": Role.SUSPECT, "u": Role.SUSPECT, "t": Role.SOURCE}
        with session.write() as connection:
            add_documents(connection, [Document(name, LONG, role) for name, role in roles.items()])
        run = detect(ctx, path, "digest", SETTINGS | settings, workers=1)
        with session.write() as connection:
            add_documents(connection, [Document("later", LONG, Role.SOURCE)])
        assert has_compared(session, run, "s", "u") == compared
        assert has_compared(session, run, "t", "s")
        assert not has_compared(session, run, "s", "later")
        with pytest.raises(UserError, match="no document"):
            has_compared(session, run, "s", "nobody")

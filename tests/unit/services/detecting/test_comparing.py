from __future__ import annotations

from pathlib import Path

from workbench.base.types import Document, Role, Span
from workbench.jobs.context import Context
from workbench.project.documents import add_documents, load_document
from workbench.services.detecting.comparing import answer, equal_places
from workbench.services.detecting.runs import detect
from workbench.services.session import Session

SHORT = "ご清聴に感謝いたします。"
LONG = (
    "三月の川を見た技師ならば、岸のこれほど近くに建てようとは思わない。水車は秋から止まったままである。堰は流された。"
)
SETTINGS = {"rule": "length", "min_run": 3}


def _asked(ctx: Context, path: Path, part: str, settings: dict[str, object] | None = None):  # type: ignore[no-untyped-def]
    with Session(path) as session:
        suspect = Document("s", f"はじめの文である。{SHORT}おわりの文である。{LONG}", Role.SUSPECT, language="ja")
        source = Document("t", f"{LONG}別の文である。{SHORT}", Role.SOURCE, language="ja")
        others = [Document(f"o{n}", f"他の文書の{n}番目。", Role.SOURCE) for n in range(30)]
        with session.write() as connection:
            add_documents(connection, [suspect, source, *others])
        detect(ctx, path, "digest", settings or SETTINGS, workers=1)
        with session.read() as connection:
            a, b = load_document(connection, "s"), load_document(connection, "t")
    at = a.text.index(part)
    return answer(ctx, path, a, b, "digest", settings or SETTINGS, Span(at, at + len(part))), a, b


def test_a_sentence_that_stands_in_both_is_answered_for_itself(ctx: Context, path: Path) -> None:
    reply, a, b = _asked(ctx, path, SHORT[2:6])
    assert reply.explanation.matched  # the pair did
    asked = reply.asked
    assert a.text[slice(*asked.span)] == SHORT  # whole sentences
    assert [b.text[slice(*place)] for place in asked.places] == [SHORT[:-1]]
    assert not asked.explanation.matched
    assert asked.deciding.rule == "length"
    assert "3 needed" in asked.deciding.detail
    assert a.text[slice(*asked.deciding.a_span)] == SHORT


def test_text_that_stands_only_here_has_no_place(ctx: Context, path: Path) -> None:
    reply, _, _ = _asked(ctx, path, "おわりの文である")
    assert reply.asked.places == ()
    assert reply.asked.deciding.rule == "shared sentences"


def test_figures_are_those_of_the_run(ctx: Context, path: Path) -> None:
    settings = {"rule": "surprisal", "min_surprisal": 50.0}
    reply, a, _ = _asked(ctx, path, LONG, settings)
    with Session(path) as session, session.read() as connection:
        from workbench.project.matches import matches_of

        matches = matches_of(connection, 1, a=a.key)
    whole = next(row for row in matches if row.a_span.end == len(a.text))
    [passage] = [r for r in reply.asked.explanation.reasons if r.rule == "passage"]
    assert f"{whole.evidence['surprisal']:.0f} bits" in passage.detail


def test_equal_places_forgive_width_case_symbols_and_spaces() -> None:
    text = "ＡＢＣ, def; then abc  DEF and no more"
    assert [text[slice(*span)] for span in equal_places("abc def", text)] == ["ＡＢＣ, def", "abc  DEF"]
    assert equal_places("…", text) == ()

"""Sentences that methods, readers and reports make, in the interface language."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import UserError
from workbench.base.types import Document
from workbench.gui import i18n
from workbench.gui.sentences import _catalogue, _Message, told
from workbench.gui.views.review.reporting import report_words
from workbench.methods import registry


@pytest.fixture(params=["ja", "zh"])
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    i18n.use(request.param)
    yield request.param
    i18n.use("en")


def test_figures_and_names_stand_in_the_translated_sentence(language: str) -> None:
    said = told("The row has 3 columns, the header 12.")
    assert "3" in said
    assert "12" in said
    assert "row" not in said


def test_what_is_filled_in_and_what_is_said_after_is_translated_too(language: str) -> None:
    assert "suspect" not in told("text of suspect")
    long = told("12 sentences kept, 3 shorter than 6 characters dropped (such as “prose of one passage”)")
    assert "“prose of one passage”" in long
    assert all(word not in long for word in ("kept", "dropped", "such as"))
    assert "passage" not in told("One passage matches; the longest has 4 sentences.")


def test_names_from_files_are_left_as_they_are(language: str) -> None:
    assert "passage" in told("The field passage is no text.")
    assert told("A title. Something no method says.") == "A title. Something no method says."


def test_english_stays_english(qapp: object) -> None:
    i18n.use("en")
    assert told("text of suspect") == "text of suspect"


def test_a_report_is_in_one_language(language: str) -> None:
    words = report_words()
    assert words["en"] == language
    same = [text for text, translated in words.items() if text == translated]
    assert same == []


CAT = "吾輩は猫である。名前はまだ無い。" * 9


@pytest.mark.parametrize("method", registry.names())
@pytest.mark.parametrize("texts", [("", "source text"), (CAT, CAT), ("甲。" * 9, "乙。" * 9)])
def test_explanations_are_wholly_translated(method: str, texts: tuple[str, str]) -> None:
    i18n.use("ja")
    chosen = registry.get(method)
    a, b = (Document(f"{n}", text, key=n + 1) for n, text in enumerate(texts))
    explanation = chosen.explain(a, b, chosen.parameters())
    said = [explanation.summary, *(text for r in explanation.reasons for text in (r.rule, r.detail))]
    left = [text for text in said if _has_english(text) and told(text) == text]
    i18n.use("en")
    assert left == []


def _has_english(text: str) -> bool:
    return any("a" <= c <= "z" for c in text)


@pytest.fixture
def collector(repository: Path) -> ModuleType:
    """packaging/sentences.py, which says what is to be translated."""
    spec = importlib.util.spec_from_file_location("sentences", repository / "packaging" / "sentences.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_errors_are_said_with_their_file_and_advice(language: str) -> None:
    error = UserError(
        "The list cannot be read (Permission denied).", path="/a: b/list.txt", hint="Choose another name."
    )
    said = told(str(error))
    assert said.startswith("/a: b/list.txt: ")
    assert not _has_english(said.removeprefix("/a: b/list.txt: "))
    assert said.count("。") == 2


def test_an_advice_is_no_part_of_what_the_sentence_names(language: str) -> None:
    alone = told("There is no watch called news.")
    assert told("There is no watch called news. There are: weekly, daily.").startswith(alone)
    assert "weekly, daily" in told("There is no watch called news. There are: weekly, daily.")


def test_every_message_is_known_again_when_it_is_filled_in(language: str) -> None:
    wrong = []
    for message, text in _catalogue(language).messages.items():
        values = {name: f"«{number}»" for number, name in enumerate(re.findall(r"\{(\w+)\}", message))}
        before = "" if _Message(message, text).fixed[0][:1].isalnum() or message[0] in "{<“" else "«x»"
        said = told(before + message.format(**values))
        # Two messages may have one text in English.
        same = [t for m, t in _catalogue(language).messages.items() if _shape(m) == _shape(message)]
        if _shape(said) not in {_shape(before + t) for t in same}:
            wrong.append((message, said))
    assert wrong == []


def _shape(message: str) -> str:
    return re.sub(r"\{\w+\}|«\w+»", "{}", message)


@given(
    st.lists(st.sampled_from(["", "a", "b", "ab", ". ", "(x)"]), min_size=2, max_size=5),
    st.text("ab. (x)", max_size=20),
)
def test_a_message_is_recognised_as_its_pattern_would(fixed: list[str], sentence: str) -> None:
    message = "".join(part + f"{{n{number}}}" for number, part in enumerate(fixed[:-1])) + fixed[-1]
    groups = [f"(?P<n{number}>.+?)" for number in range(len(fixed) - 1)]
    if fixed[0] and not fixed[-1]:
        groups[-1] = groups[-1].replace(".+?", ".*")
    pattern = "".join(a + b for a, b in zip(map(re.escape, fixed), [*groups, ""], strict=True))
    found = re.fullmatch(pattern, sentence, re.DOTALL)
    assert _Message(message, "").values(sentence) == (found.groupdict() if found else None)


def test_a_new_error_is_to_be_translated(
    collector: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "services").mkdir()
    (tmp_path / "services" / "report_strings.py").touch()
    (tmp_path / "services" / "new.py").write_text(
        "class Late(errors.UserError): ...\n"
        "def work(path, n):\n"
        "    hint = 'Try later.'\n"
        "    raise Late(f'The {path.name} has {n:,} rows.' if n else 'no rows', hint=hint, path='a b')\n"
        "async def say(ctx): ctx.warn('one of them'); return f'It took {n} s.'\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(collector, "ROOT", tmp_path)
    monkeypatch.setattr(collector, "_ALSO", {})
    monkeypatch.setattr(collector, "_SYSTEM", {})
    monkeypatch.setattr(collector, "_REASONS", ())
    assert set(collector.sentences()) == {
        "The {name} has {n} rows.",
        "no rows",
        "Try later.",
        "one of them",
        "It took {n} s.",
    }


def test_every_error_says_something_that_is_collected(collector: ModuleType) -> None:
    """A sentence that comes from elsewhere comes from a variable or an error that is looked at there."""
    passed_on = re.compile(r"message|hint|refusal|[\w\[\].]+\.(error|message|hint|problem)|_refusal\(.*\)|str\(.*\)")
    names = collector.errors()
    silent = []
    for floor in collector._FLOORS:
        for path in sorted((collector.ROOT / floor).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in names and node.args:
                    said = node.args[0]
                    if not list(collector._strings(said)) and not passed_on.fullmatch(ast.unparse(said)):
                        silent.append(f"{path.name}:{node.lineno}")
    assert silent == []

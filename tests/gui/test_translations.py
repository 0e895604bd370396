"""The window's words in every interface language."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtWidgets import QApplication, QDialogButtonBox

from workbench.gui import i18n
from workbench.gui.i18n import tr, trn
from workbench.gui.judging.verdicts import state_words, verdict_looks
from workbench.gui.kit.widgets import key_text
from workbench.gui.theme import fonts


@pytest.fixture(scope="module")
def tool(repository: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("translations", repository / "packaging" / "translations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["translations"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_everything_the_window_says_is_translated_and_compiled(tool: ModuleType, language: str) -> None:
    assert tool.missing(language, methods=False) == []


def test_words_that_are_filled_into_others_are_translated_too(tool: ModuleType, repository: Path) -> None:
    """The extraction of messages does not look into formatted strings."""
    known = {id_ if isinstance(id_, str) else id_[0] for id_ in (message.id for message in tool.messages()) if id_}
    words = {
        node.args[0].value
        for path in (repository / "workbench" / "gui").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("tr", "trn")
        if node.args and isinstance(node.args[0], ast.Constant)
    }
    assert len(words) > 1000
    assert words - known == set()


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_every_sentence_of_reports_methods_and_readers_is_translated_and_compiled(
    tool: ModuleType, language: str
) -> None:
    assert tool.missing(language, "sentences") == []


def test_no_message_names_a_value_twice(tool: ModuleType) -> None:
    """What is kept in a project could not be read back: a name that is filled twice might make a text very long."""
    ids = [message.id for message in tool.messages(tool.SENTENCES) if message.id]
    texts = [text for id_ in ids for text in (id_ if isinstance(id_, tuple) else (id_,))]
    names = {text: re.findall(r"\{(\w+)\}", str(text)) for text in texts}
    assert len(texts) > 100
    assert [text for text, own in names.items() if len(own) > len(set(own))] == []


def test_no_message_calls_what_was_found_by_a_verdict(tool: ModuleType) -> None:
    texts = [str(message.id).lower() for message in (*tool.messages(), *tool.messages(tool.SENTENCES))]
    assert not [text for text in texts if "plagiar" in text]


@pytest.mark.parametrize(("language", "words"), [("ja", "盗用|盗作|剽窃"), ("zh", "抄袭|剽窃|盗用")])
def test_neither_do_the_other_languages(tool: ModuleType, language: str, words: str) -> None:
    messages = [message for domain in (tool.WINDOW, tool.SENTENCES) for message in tool.load(language, domain)]
    assert len(messages) > 1000
    assert [m.id for m in messages if re.search(words, str(m.string))] == []


@pytest.mark.parametrize(
    ("language", "term", "others"),
    [
        ("ja", r"\b[Ss]ources?\b(?! now has| or a time)", "ソース|原典|元文書|出典"),
        ("ja", r"\b[Tt]hresholds?\b", "閾値"),
        ("ja", r"\b[Aa]nnotators?\b", "作業者"),
        ("ja", r"\b[Pp]airs?\b", "の組"),
        ("zh", r"^Tags?\b|\btags that all\b", "标签"),
        ("zh", r"\b[Bb]ands?\b", "分段"),
        ("zh", r"\bReview\b", "审阅"),
        # Pages of the web; those of a printed document are called otherwise.
        (
            "zh",
            r"\b([Ss]ites?|feeds?|fetched|searched|near-duplicates?|fingerprints?)\b|pages? in (such )?a pair",
            "页面",
        ),
    ],
)
def test_a_term_has_one_translation(tool: ModuleType, language: str, term: str, others: str) -> None:
    messages = [message for domain in (tool.WINDOW, tool.SENTENCES) for message in tool.load(language, domain)]
    about = [m for m in messages if re.search(term, str(m.id[-1] if isinstance(m.id, tuple) else m.id))]
    assert about
    assert [m.id for m in about if re.search(others, str(m.string))] == []


def test_the_chinese_window_says_nothing_in_japanese(tool: ModuleType) -> None:
    """But the Japanese particles that a parameter names, each in its corner brackets."""
    kana = re.compile(r"[\u3041-\u30fa\u30fc-\u30ff]")
    messages = [message for domain in (tool.WINDOW, tool.SENTENCES) for message in tool.load("zh", domain)]
    assert len(messages) > 1000
    assert [m.id for m in messages if kana.search(re.sub("「.」", "", str(m.string)))] == []


def test_no_command_of_a_menu_is_called_by_a_verdict(repository: Path) -> None:
    """One message has one translation: "Copy" for the clipboard would be called by what a person decided."""
    sources = [path.read_text(encoding="utf-8") for path in (repository / "workbench" / "gui").rglob("*.py")]
    commands = {words for text in sources for words in re.findall(r'addAction\(\s*tr\(\s*"([^"]+)"', text)}
    verdicts = {word for look in verdict_looks() for word in (look.words, look.short)} | {state_words("open")[0]}
    assert len(commands) > 5
    assert commands & verdicts == set()


def test_plurals_and_names_are_filled_in_every_language(qapp: object) -> None:
    by_language = {}
    for language in ("en", "ja", "zh"):
        i18n.use(language)
        by_language[language] = (trn("{count} document", "{count} documents", 1200), tr("Go to {view}", view="X"))
    i18n.use("en")
    assert by_language["en"] == ("1,200 documents", "Go to X")
    assert all("1,200" in counted and "X" in named for counted, named in by_language.values())
    assert len(set(by_language.values())) == 3


def test_the_window_takes_the_face_of_its_language(qapp: object) -> None:
    first = {}
    for language in ("ja", "zh"):
        i18n.use(language)
        first[language] = next(f for f in fonts.font().families() if "CJK" in f)
    i18n.use("en")
    assert first == {"ja": "Noto Sans CJK JP", "zh": "Noto Sans CJK SC"}
    assert fonts.text_font("zh-Hant").families()[0] == "Noto Sans CJK TC"


def test_an_unknown_language_falls_back(qapp: object) -> None:
    assert i18n.use("xx") in i18n.LANGUAGES
    assert i18n.use("en") == "en"


@pytest.mark.parametrize(("language", "word"), [("en", "Cancel"), ("ja", "キャンセル"), ("zh", "取消")])
def test_what_qt_says_itself_is_in_the_language_of_the_window(qapp: QApplication, language: str, word: str) -> None:
    i18n.use(language)
    try:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        assert box.button(QDialogButtonBox.StandardButton.Cancel).text().replace("&", "") == word
    finally:
        i18n.use("en")


@pytest.mark.skipif(sys.platform == "darwin", reason="a Mac has signs of its own for these keys")
@pytest.mark.parametrize("language", ["ja", "zh"])
@pytest.mark.parametrize(
    ("keys", "caps"),
    [("Alt+Down", "Alt+↓"), ("Ctrl+Return", "Ctrl+Enter"), ("Ctrl+Backspace", "Ctrl+Backspace"), ("Space", "Space")],
)
def test_keys_are_written_as_on_the_keyboard(qapp: QApplication, language: str, keys: str, caps: str) -> None:
    i18n.use(language)
    try:
        assert key_text(keys) == caps
    finally:
        i18n.use("en")


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_no_message_has_the_translation_of_the_one_beside_it(tool: ModuleType, language: str) -> None:
    """As after a merge of catalogues: "always" was called "and", and "method" what the next message was."""
    for domain in (tool.WINDOW, tool.SENTENCES):
        texts = sorted((m.id, m.string) for m in tool.load(language, domain) if m.id and isinstance(m.id, str))
        assert len(texts) > 1000
        swapped = [(a, b) for (a, one), (b, other) in pairwise(texts) if one == other and not _related(a, b)]
        assert swapped == []
        assert [text for text, own in texts if text.isalpha() and len(own) > 3 * len(text) + 2] == []
        assert [text for text, own in texts if text.isalpha() and re.search("[（(].*[）)]", own)] == []


def _related(one: str, other: str) -> bool:
    """Whether two messages have a word in common, but for its ending."""
    stems = ({word[:3].lower() for word in re.findall(r"[A-Za-z]{3,}", text)} for text in (one, other))
    return not set.isdisjoint(*stems)


@pytest.mark.parametrize(
    ("language", "words"),
    [("ja", "報告書|下方向|[ぁ-んァ-ヶ一-龠],"), ("zh", "待查|段落的?解释|不是复制|[一-龥],")],
)
def test_each_language_has_one_word_for_one_thing_and_its_own_punctuation(
    tool: ModuleType, language: str, words: str
) -> None:
    messages = [message for domain in (tool.WINDOW, tool.SENTENCES) for message in tool.load(language, domain)]
    assert [m.id for m in messages if re.search(words, str(m.string))] == []
    spoken = [m for m in messages if re.search(r"\b[Pp]assages?\b", str(m.id))]
    assert len(spoken) > 30
    assert [m.id for m in spoken if "段落" in str(m.string)] == []

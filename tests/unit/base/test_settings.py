from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.settings import RECENT, Settings, load
from workbench.jobs.children import start_function


def test_settings_come_back_as_they_were_saved(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "settings.json"
    settings = Settings(theme="dark", recent=["/a"], shortcuts={"x": "Ctrl+X"}, views={"/a": {"review": {"run": 1}}})
    settings.save(file)
    assert load(file) == settings
    assert sorted(path.name for path in file.parent.iterdir()) == ["settings.json", "settings.lock"]


def test_of_two_windows_each_saves_only_what_it_changed(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    Settings(recent=["/a", "/b"], shortcuts={"x": "1", "y": "2"}).save(file)
    one, other = load(file), load(file)
    one.theme, one.shortcuts["x"] = "dark", "3"
    one.views["/a"] = {"review": {"run": 1, "pair": 2}}
    one.save(file)
    other.language, other.shortcuts["y"] = "ja", "4"
    other.views["/a"] = {"documents": {"row": 7}}
    other.save(file)
    stored = load(file)
    assert (stored.theme, stored.language, stored.shortcuts) == ("dark", "ja", {"x": "3", "y": "4"})
    assert stored.views == {"/a": {"review": {"run": 1, "pair": 2}, "documents": {"row": 7}}}


def test_what_a_window_saved_once_it_does_not_save_again(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    one, other = load(file), load(file)
    one.theme = "dark"
    one.save(file)
    other.theme = "light"
    other.save(file)
    one.language = "zh"
    one.save(file)
    assert (load(file).theme, load(file).language) == ("light", "zh")


def test_projects_opened_in_either_window_are_recent_and_forgotten_ones_are_not(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    Settings(recent=["/a", "/b", "/c"]).save(file)
    one, other = load(file), load(file)
    one.remember(Path("/one"))
    one.forget("/a")
    one.save(file)
    other.remember(Path("/other"))
    other.forget("/b")
    other.save(file)
    assert load(file).recent == ["/other", "/c", "/one"]
    one.remember(Path("/c"))
    one.save(file)
    assert load(file).recent == ["/c", "/one", "/other"]


def test_damaged_settings_count_as_absent(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    for content in ("", "[]", '{"theme": 3, "recent": [1, "a"], "views": {"a": 1}, "new": 1}', "\x00"):
        path.write_text(content, encoding="utf-8")
        loaded = load(path)
        assert loaded.theme == "system"
        assert loaded.recent in ([], ["a"])
    assert load(tmp_path / "missing.json") == Settings()


def test_recent_projects_are_few_and_newest_first(tmp_path: Path) -> None:
    settings = Settings()
    for n in range(RECENT + 3):
        settings.remember(tmp_path / f"{n}.palimpsest")
    settings.remember(tmp_path / "5.palimpsest")
    assert len(settings.recent) == RECENT
    assert settings.recent[0].endswith("5.palimpsest")
    settings.forget(settings.recent[0])
    assert not any(r.endswith("/5.palimpsest") for r in settings.recent)


def _visit(file: Path, name: str) -> None:
    settings = load(file)
    for number in range(20):
        settings.views[name] = {"review": {"number": number}}
        settings.shortcuts[f"{name}{number}"] = "x"
        settings.remember(Path(name))
        settings.save(file)


@pytest.mark.slow
def test_windows_that_save_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    names = ["/a", "/b", "/c"]
    windows = [start_function(_visit, (file, name), daemon=True) for name in names]
    for window in windows:
        window.join()
        assert window.exitcode == 0
    stored = load(file)
    assert sorted(stored.recent) == names
    assert {name: stored.views[name]["review"]["number"] for name in names} == dict.fromkeys(names, 19)
    assert len(stored.shortcuts) == 60
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".tmp"] == []


_names = st.lists(st.sampled_from([f"/{n}" for n in range(RECENT + 3)]), unique=True, max_size=RECENT)


@pytest.mark.slow
@given(_names, _names, _names)
def test_a_list_of_recent_projects_never_holds_one_twice(before: list[str], one: list[str], other: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "settings.json"
        Settings(recent=before).save(file)
        first, second = load(file), load(file)
        first.recent, second.recent = one, other
        first.save(file)
        second.save(file)
        stored = load(file).recent
    assert len(set(stored)) == len(stored) <= RECENT
    assert set(stored) <= {*one, *other}

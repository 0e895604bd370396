"""What is remembered between starts."""

from __future__ import annotations

from pathlib import Path

from workbench.base import settings
from workbench.base.settings import RECENT, Settings


def test_settings_come_back_as_they_were_saved(tmp_path: Path) -> None:
    path = tmp_path / "new" / "settings.json"
    made = Settings(theme="dark", language="ja", shortcuts={"a": "F9"})
    made.remember(tmp_path / "一.palimpsest")
    made.views[str(tmp_path / "一.palimpsest")] = {"documents": {"filter": "x"}}
    made.save(path)
    assert settings.load(path) == made
    assert [p.name for p in path.parent.iterdir()] == ["settings.json"]


def test_damaged_settings_count_as_absent(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    for content in ("", "[]", '{"theme": 3, "recent": [1, "a"], "views": {"a": 1}, "new": 1}', "\x00"):
        path.write_text(content, encoding="utf-8")
        loaded = settings.load(path)
        assert loaded.theme == "system"
        assert loaded.recent in ([], ["a"])
    assert settings.load(tmp_path / "missing.json") == Settings()


def test_recent_projects_are_few_and_newest_first(tmp_path: Path) -> None:
    made = Settings()
    for n in range(RECENT + 3):
        made.remember(tmp_path / f"{n}.palimpsest")
    made.remember(tmp_path / "5.palimpsest")
    assert len(made.recent) == RECENT
    assert made.recent[0].endswith("5.palimpsest")
    made.forget(made.recent[0])
    assert not any(r.endswith("/5.palimpsest") for r in made.recent)

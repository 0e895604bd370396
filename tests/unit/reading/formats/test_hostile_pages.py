"""Pages that would fetch, run or never end: nothing of it happens, and each is read or refused in a sentence."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from workbench.reading import formats
from workbench.reading.formats import Failure, Item, Record, Source

GOOD = "これは正しい文書です。二つ目の文もあります。"


def read(path: Path, markup: str) -> Item:
    path.write_text(markup, encoding="utf-8")
    [item] = formats.read(Source(path, path.name))
    return item


FRAMES = '<html><head><title>T</title></head><frameset cols="1,2"><frame src="menu.html"><frame name=m src=main.html>'


def test_a_frameset_gives_its_text_for_browsers_without_frames(tmp_path: Path) -> None:
    item = read(tmp_path / "a.html", f"{FRAMES}<noframes><body><p>{GOOD}<a href=main.html>x</a></noframes></frameset>")
    assert isinstance(item, Record)
    assert (item.document.text, item.document.title, item.document.links) == (f"{GOOD}x", "T", ("main.html",))


def test_a_frameset_without_text_names_its_frames(tmp_path: Path) -> None:
    item = read(tmp_path / "a.html", FRAMES + "</frameset></html>")
    assert isinstance(item, Failure)
    assert item.error.endswith("It consists of frames, which are separate files: menu.html, main.html.")


def test_a_frameset_in_a_script_is_none(tmp_path: Path) -> None:
    item = read(tmp_path / "a.html", f"<script>w('<frameset>')</script><!-- <frameset> --><body><p>{GOOD}")
    assert isinstance(item, Record)
    assert item.document.text == GOOD


def test_links_into_files_data_and_programs_are_not_links(tmp_path: Path) -> None:
    addresses = (
        "file:///etc/passwd",
        "FILE:a",
        "data:text/html,x",
        " JavaScript:alert(1)",
        "blob:x",
        "http://a/",
        "b.html",
    )
    item = read(tmp_path / "a.html", f"<p>{GOOD}" + "".join(f'<a href="{a}">x</a>' for a in addresses))
    assert isinstance(item, Record)
    assert item.document.links == ("http://a/", "b.html")


def test_nothing_is_fetched_and_nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    markup = (
        '<!DOCTYPE html SYSTEM "http://evil/x.dtd" [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        '<link rel=stylesheet href="http://evil/a.css"><script src="http://evil/x.js"></script>'
        f'<script>document.write("ran")</script><body onload="alert(1)"><p>{GOOD}&x;</p>'
        '<img src="http://evil/pixel.gif" width=1 height=1><iframe src="file:///etc/passwd"></iframe>'
        '<object data="http://evil/o"></object><meta http-equiv=refresh content="0;url=http://evil/">'
    )
    for name in ("a.html", "a.xhtml"):
        item = read(tmp_path / name, markup)
        assert isinstance(item, Record)
        assert GOOD in item.document.text
        assert not {"ran", "root:"} & set(item.document.text.split())


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("markup", ["<div>" * 60_000 + GOOD, "<b>" * 60_000 + GOOD, "<table><tr><td>" * 20_000 + GOOD])
def test_deep_nesting_is_read_or_refused_in_bounded_time(tmp_path: Path, markup: str) -> None:
    item = read(tmp_path / "a.html", markup)
    if isinstance(item, Record):
        assert item.document.text.strip() == GOOD

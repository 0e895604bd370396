"""What the words in classes and ids of elements say of their text."""

from __future__ import annotations

import pytest

from workbench.text.markup.hints import GROUPS, groups


def named(hints: str) -> set[str]:
    bits = groups(hints)
    assert bits >> len(GROUPS) == 0
    return {name for at, name in enumerate(GROUPS) if bits >> at & 1}


@pytest.mark.parametrize(
    ("hints", "of"),
    [
        ("", set()),
        ("xyzzy w3c-77", set()),
        ("menu", {"navigation"}),
        ("entry-footer menu", {"article", "footer", "navigation"}),
        # A compound goes by its beginning, else by its end, else it says nothing.
        ("commentlist", {"comments"}),
        ("pagecontent", {"article"}),
        ("relatedposts", {"related"}),
        ("sharebox", {"sharing"}),
        ("recommendations", {"related"}),
        ("subscriber", {"form"}),
        ("mynav", set()),
        ("leftnav", {"navigation"}),
    ],
)
def test_words_are_of_their_groups_and_compounds_of_their_parts(hints: str, of: set[str]) -> None:
    assert named(hints) == of


def test_hints_without_end_are_read_at_their_beginning() -> None:
    assert named("menu " + "x " * 300 + "footer") == {"navigation"}

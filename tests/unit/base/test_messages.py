"""A message reads as English and keeps what a translation needs, through processes and the project file."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import messages
from workbench.base.messages import Counted, Message

VALUES = st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.integers() | st.text(max_size=20), max_size=4)


def test_a_message_is_its_english_sentence() -> None:
    message = Message("The header has {n} columns, the row {m}.", n=3, m=12)
    assert message == "The header has 3 columns, the row 12."
    assert (message.id, dict(message.values)) == ("The header has {n} columns, the row {m}.", {"n": 3, "m": 12})


@pytest.mark.slow
@given(st.text(max_size=30), VALUES)
def test_a_message_survives_another_process_and_the_project_file(id_: str, values: dict[str, object]) -> None:
    message = Message(id_.replace("\x1f", ""), **values)
    again = pickle.loads(pickle.dumps(message))
    assert (again, again.id, again.values) == (message, message.id, message.values)
    back = messages.read(messages.stored(message))
    assert back == message
    assert isinstance(back, Message)
    assert back.id == message.id


def test_messages_within_messages_are_kept() -> None:
    inner = Message("{n} rows", n=3)
    outer = Message.joined(" ", [Message("{what} were skipped.", what=inner), "Go on."])
    back = messages.read(messages.stored(outer))
    assert back == "3 rows were skipped. Go on."
    assert isinstance(back, Message)
    assert isinstance(back.values["part0"], Message)


@pytest.mark.parametrize("number", [1, 3, 1200])
def test_a_stored_count_of_things_keeps_both_its_sentences(number: int) -> None:
    counted = Counted("{count} row of {name}", "{count} rows of {name}", number, name="x")
    outer = Message("Read: {what}.", what=counted)
    for again in (pickle.loads(pickle.dumps(counted)), messages.read(messages.stored(counted))):
        assert isinstance(again, Counted)
        assert (again, again.forms, again.number, again.values) == (counted, counted.forms, number, counted.values)
    assert messages.unpack(messages.pack(counted)) == counted
    back = messages.read(messages.stored(outer))
    assert isinstance(back, Message)
    assert isinstance(back.values["what"], Counted)


def test_a_value_is_never_evaluated() -> None:
    assert Message("{a.__class__} {a}", a="{b}") == "{a.__class__} {b}"


@pytest.mark.parametrize("text", ["an older sentence", "x\x1fnot json", "x\x1f[1]", "x\x1f" + "[" * 100_000, ""])
def test_text_of_another_kind_is_read_as_it_is(text: str) -> None:
    assert messages.read(text) == text.partition("\x1f")[0]

"""Options: what is typed or stored becomes a value, or a sentence that names the option."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

from workbench.base.errors import ParameterError, UserError
from workbench.base.messages import Message
from workbench.base.options import HOSTS, IDS, PATHS, SECRET, SETTINGS, SHARE, TAGS, Options, option


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Paint(Options):
    colour: Colour = option(Colour.RED, choices={Colour.RED: "Red", Colour.BLUE: "Blue"})
    coats: int = option(2, low=1, high=9)
    gloss: float = option(0.5, kind=SHARE, low=0, high=1)
    dry: bool = option(True)
    name: str = option("plain")
    thinner: int | None = option(None, kind=int, low=0)
    tin: Path | None = option(None, kind=Path)
    tags: tuple[str, ...] = option((), kind=TAGS)
    shops: tuple[str, ...] = option((), kind=HOSTS)
    rooms: tuple[str, ...] = option((), kind=IDS)
    pictures: tuple[Path, ...] = option((), kind=PATHS)
    method: Mapping[str, Any] = option({}, kind=SETTINGS)
    password: str = option("", kind=SECRET)
    notes: object = None

    def rules(self) -> None:
        if self.coats > 5 and self.gloss == 1:
            raise UserError(Message("So many glossy coats never dry."))


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("colour", "blue", Colour.BLUE),
        ("coats", "3", 3),
        ("coats", 3.0, 3),
        ("gloss", "1", 1.0),
        ("dry", "off", False),
        ("dry", "YES", True),
        ("name", 12, "12"),
        ("thinner", "", None),
        ("thinner", "0", 0),
        ("tin", "", None),
        ("tin", "a b", Path("a b")),
        ("tags", "news, 2019 ,news", ("2019", "news")),
        ("tags", ["news,b", "a"], ("a", "b", "news")),
        ("shops", "a.example, b.example  a.example", ("a.example", "b.example")),
        ("rooms", ["the hall", "1", "1"], ("the hall", "1")),
        ("pictures", ["b", "a"], (Path("b"), Path("a"))),
        ("method", {"k": 3}, {"k": 3}),
    ],
)
def test_what_is_typed_or_stored_becomes_a_value_of_the_kind(name: str, typed: object, value: object) -> None:
    converted = getattr(Paint.parse({name: typed}), name)
    assert (converted, type(converted)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "typed", "sentence"),
    [
        ("colour", "green", "--colour must be one of red, blue, not 'green'."),
        ("coats", "0", "--coats must be at least 1, not 0."),
        ("coats", 10, "--coats must be at most 9, not 10."),
        ("coats", "2.5", "--coats must be a whole number, not '2.5'."),
        ("coats", True, "--coats must be a whole number, not True."),
        ("coats", "9" * 400, "--coats must be a whole number"),
        ("coats", 10**400, "--coats must be a whole number"),
        ("gloss", "nan", "--gloss must be a number, not 'nan'."),
        ("gloss", "inf", "--gloss must be a number"),
        ("dry", "perhaps", "--dry must be on or off, not 'perhaps'."),
        ("name", False, "--name must be text, not False."),
        ("thinner", "x", "--thinner must be a whole number"),
        ("tags", "-x", "cannot be a tag"),
        ("rooms", "hall", "--rooms must be a list"),
        ("pictures", 3, "--pictures must be a list"),
        ("method", "k", "--method must be names and values"),
        ("brush", 1, "There is no parameter brush; the parameters are colour, coats"),
    ],
)
def test_the_sentence_of_a_problem_names_the_option_as_the_user_knows_it(
    name: str, typed: object, sentence: str
) -> None:
    with pytest.raises(ParameterError) as problem:
        Paint.parse({name: typed}, lambda option: f"--{option.name}")
    assert sentence in str(problem.value)


def test_all_problems_come_in_one_sentence_each_before_the_rules() -> None:
    with pytest.raises(ParameterError) as problem:
        Paint.parse({"coats": 0, "gloss": 2, "dry": "x"})
    assert str(problem.value) == (
        "coats must be at least 1, not 0. gloss must be at most 1, not 2. dry must be on or off, not 'x'."
    )
    with pytest.raises(UserError, match="never dry"):
        Paint.parse({"coats": 6, "gloss": 1})


def test_values_set_in_code_are_checked_as_if_they_were_typed() -> None:
    Paint().check()
    with pytest.raises(ParameterError, match="coats must be at least 1"):
        Paint(coats=0).check()
    with pytest.raises(UserError, match="never dry"):
        Paint(coats=6, gloss=1).check()


def test_options_survive_being_stored_as_json_in_their_order() -> None:
    paint = Paint.parse(
        {"colour": "blue", "tin": "t", "tags": "b,a", "pictures": ["p"], "method": {"k": 3}, "shops": "a.example"}
    )
    stored = json.dumps(paint.as_dict())
    assert list(json.loads(stored)) == [spec.name for spec in Paint.specs()]
    assert Paint.parse(json.loads(stored)) == paint


def test_options_of_a_class_come_before_those_it_inherits() -> None:
    @dataclass(frozen=True)
    class Wall(Paint):
        width: float = option(1.0)

    assert [spec.name for spec in Wall.specs()][:2] == ["width", "colour"]
    assert list(Wall().as_dict())[-1] == "width"
    assert isinstance(Wall.parse({"width": 2, "coats": 3}), Wall)

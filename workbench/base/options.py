"""Options as data: one declaration gives the field of a form, the argument of a verb, the check and the stored value.

A set of options is a frozen dataclass that inherits :class:`Options`; its fields are declared with :func:`option`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from pathlib import Path
from typing import Any, Self

from workbench.base.errors import ParameterError
from workbench.base.messages import Message
from workbench.base.tags import checked


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of value that is not simply a number, switch, text, path or member of an enumeration.

    ``metavar`` represents a value in the help of the command line. ``read`` makes a value from typed or stored input
    and raises TypeError, ValueError or UserError; ``words`` then completes "… must be". ``plain`` converts it to JSON.
    ``choices`` gives the values that a form offers, each with the words for it; only forms call it, because it may take
    longer than a short command.
    """

    metavar: str
    read: Callable[[Any], Any]
    plain: Callable[[Any], Any] = list
    words: str = Message("a list")
    choices: Callable[[], Mapping[Any, str]] | None = None


def _number(value: Any, kind: type[float] = float) -> float:
    converted = kind(value)
    if isinstance(value, bool) or not abs(converted) < float("inf") or converted != float(value):
        raise ValueError(value)
    return converted


def _each(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        raise TypeError(value)
    return tuple(dict.fromkeys(map(str, value)))


_NEXT_HOST = re.compile(r",(?=(?:https?://)?[\w-]+(?:\.[\w-]+)+)")


def _hosts(value: Any) -> tuple[str, ...]:
    words = [word for one in ([value] if isinstance(value, str) else value) for word in str(one).split()]
    # Addresses may contain commas.
    parts = [_NEXT_HOST.split(word) if "/" in word else word.split(",") for word in words]
    return _each(part.rstrip(",") for of_word in parts for part in of_word if part.rstrip(","))


def _tags(value: Any) -> tuple[str, ...]:
    lists = [value] if isinstance(value, str) else value
    return checked(name for names in lists for name in str(names).split(","))


def _queries(value: Any) -> tuple[str, ...]:
    lists = [value] if isinstance(value, str) else value
    return _each(query for one in lists for query in map(str.strip, str(one).split(",")) if query)


SHARE = Kind("SHARE", _number, float, Message("a number"))
"""A number from 0 to 1; shown in percent in forms."""
TAGS = Kind("NAME", _tags)
HOSTS = Kind("HOST", _hosts)
"""Hosts (with their subdomains), or URLs (with everything below them)."""
URLS = Kind("URL", _hosts)
IDS = Kind("ID", _each)
QUERIES = Kind("WORDS", _queries)
"""Queries of one or more words each."""
LISTS = (TAGS, HOSTS, URLS, IDS, QUERIES)
"""The kinds of several values."""
PATHS = Kind("PATH", lambda value: tuple(map(Path, value)), lambda paths: [*map(str, paths)])
SECRET = Kind("TEXT", str, str, Message("text"))
"""Text that is masked in forms."""
FILE = Kind(
    "FILE", lambda value: str(Path(value).expanduser().absolute()) if str(value) else "", str, Message("a file")
)
"""The path of a file, absolute; "" for none."""
SETTINGS = Kind("NAME=VALUE", dict, dict, Message("names and values"))
"""Settings of a method, by name; the method checks them."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    ``title`` names it in a form; options of tasks without a title are not in the form. ``help`` adds to the
    title. ``kind`` is a type or a :class:`Kind`; an option whose default is None may be left empty. ``low`` and
    ``high`` are inclusive. ``choices`` are the only valid values, each with the words for it in a form. ``empty`` says
    what None, or 0, means. ``paper`` is the value in a method's paper. ``flag`` is the name on the command line if it
    does not follow from ``name``.
    """

    name: str
    kind: Any
    default: Any
    help: str = ""
    title: str = ""
    low: float | None = None
    high: float | None = None
    unit: str = ""
    choices: Collection[Any] = ()
    empty: str = ""
    paper: Any = None
    flag: str = ""

    @property
    def as_in_the_paper(self) -> Any:
        """The paper's value; the default if there is none or it is defined differently."""
        try:
            return self.default if self.paper is None else self.check(self.paper)
        except ParameterError:
            return self.default

    def check(self, value: Any, name: str = "") -> Any:
        """``value`` converted to this option's kind.

        Raises ParameterError, which calls the option ``name``, outside kind, range or choices.
        """
        name = name or self.name
        if self.default is None and value in (None, ""):
            return None
        try:
            converted = self._convert(value)
        except (KeyError, OverflowError, TypeError, ValueError):
            converted = None
        if self.choices and converted not in self.choices:
            choices = ", ".join(str(self.plain(choice)) for choice in self.choices)
            raise ParameterError(
                Message("{name} must be one of {choices}, not {value}.", name=name, choices=choices, value=repr(value))
            )
        if converted is None:
            kinds = self.kind.words if isinstance(self.kind, Kind) else _KINDS[self.kind]
            raise ParameterError(
                Message("{name} must be {kinds}, not {value}.", name=name, kinds=kinds, value=repr(value))
            )
        if self.low is not None and converted < self.low:
            raise ParameterError(
                Message("{name} must be at least {low}, not {value}.", name=name, low=f"{self.low:g}", value=value)
            )
        if self.high is not None and converted > self.high:
            raise ParameterError(
                Message("{name} must be at most {high}, not {value}.", name=name, high=f"{self.high:g}", value=value)
            )
        return converted

    def _convert(self, value: Any) -> Any:
        if isinstance(self.kind, Kind):
            return self.kind.read(value)
        if self.kind is bool:
            return _SWITCH[str(value).lower()]
        if self.kind in (int, float):
            return _number(value, self.kind)
        if isinstance(value, bool) or (self.kind is Path and not str(value)):
            raise ValueError(value)
        return self.kind(value)

    def plain(self, value: Any) -> Any:
        """``value`` in JSON form."""
        if isinstance(self.kind, Kind):
            return self.kind.plain(value)
        return value.value if isinstance(value, Enum) else str(value) if isinstance(value, Path) else value


_SWITCH = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(("false", "no", "off", "0"), False)
_KINDS = {
    int: Message("a whole number"),
    float: Message("a number"),
    bool: Message("on or off"),
    str: Message("text"),
    Path: Message("a path"),
}


def option(default: Any, help: str = "", *, kind: Any = None, **facts: Any) -> Any:  # noqa: A002
    """A field of a class of options; ``kind`` is the type of ``default`` by default, ``facts`` are further fields of
    :class:`Option`.
    """
    metadata = {"option": Option("", kind or type(default), default, help, **facts)}
    if default == {}:
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


def as_typed(value: Any) -> str:
    """A value as it would be typed, with all its digits."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def own_name(option: Option) -> str:
    """The name of an option in code and stored data."""
    return option.name


@dataclass(frozen=True)
class Options:
    """Base of every set of options. Fields not declared with :func:`option` are ignored."""

    @classmethod
    def specs(cls) -> tuple[Option, ...]:
        """The options in order of declaration, inherited ones last."""
        classes = [getattr(base, "__dataclass_fields__", ()) for base in cls.__mro__]
        declared = [f for f in fields(cls) if "option" in f.metadata]
        declared.sort(key=lambda f: sum(f.name in inherited for inherited in classes))
        return tuple(replace(f.metadata["option"], name=f.name) for f in declared)

    @classmethod
    def parse(cls, raw: Mapping[str, Any], call: Callable[[Option], str] = own_name) -> Self:
        """Options from names and values, typed or stored; missing ones get their defaults.

        Raises one ParameterError that lists every problem and names options by ``call``, and what :meth:`rules` raises.
        """
        known = {option.name: option for option in cls.specs()}
        values: dict[str, Any] = {}
        problems: list[str] = []
        for name, value in raw.items():
            if name not in known:
                names = ", ".join(known)
                problems.append(
                    Message("There is no parameter {name}; the parameters are {names}.", name=name, names=names)
                )
                continue
            try:
                values[name] = known[name].check(value, call(known[name]))
            except ParameterError as error:
                problems.append(error.message)
        if problems:
            raise ParameterError(problems[0] if len(problems) == 1 else Message.joined(" ", problems))
        options = cls(**values)
        options.rules()
        return options

    @classmethod
    def valid(cls, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The valid ones among ``raw``, from an untrusted source."""
        values: dict[str, Any] = {}
        for option in cls.specs():
            with suppress(KeyError, ParameterError):
                values[option.name] = option.check(raw[option.name])
        return values

    def rules(self) -> None:
        """Raise UserError if values are incompatible with each other."""

    def check(self) -> None:
        """Raise UserError if :meth:`parse` would refuse the values."""
        for option in self.specs():
            option.check(getattr(self, option.name))
        self.rules()

    def as_dict(self) -> dict[str, Any]:
        """Names to JSON-compatible values."""
        known = {option.name: option for option in self.specs()}
        return {f.name: known[f.name].plain(getattr(self, f.name)) for f in fields(self) if f.name in known}

"""Messages to the user from the code below the window: sentences that keep their id and their values.

A :class:`Message` is a string, the sentence in English, so the command line, logs and JSON use it as it is. The window
looks up the translation of its ``id``, which is the English sentence with ``{names}`` in place of the values (as
gettext does), and fills the values in. Nothing parses a sentence back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from decimal import ROUND_FLOOR, Context, Decimal
from functools import lru_cache
from math import inf, isclose
from typing import Any, cast

_NAME = re.compile(r"\{(\w+)\}")
_MARK = "\x1f"
"""Separates the id and values of a stored message; never occurs in user interface text."""


def fill(sentence: str, values: Mapping[str, object]) -> str:
    """``sentence`` with each ``{name}`` replaced; a name without a value is left as is. Nothing is evaluated."""
    return _NAME.sub(lambda name: str(values.get(name[1], name[0])), sentence)


class Message(str):
    """An English sentence that knows its ``id`` and ``values``; values that are messages are translated too."""

    id: str
    values: Mapping[str, object]

    def __new__(cls, id_: str, /, **values: object) -> Message:
        """The sentence ``id_`` with its names replaced by ``values``; an exception by its reason."""
        plain = {name: _fillable(value) for name, value in values.items()}
        message = super().__new__(cls, fill(id_, plain))
        message.id, message.values = id_, plain
        return message

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (str(self), self.id, dict(self.values))

    def __add__(self, other: str) -> Message:
        return Message.joined("", (self, other))

    def __radd__(self, other: str) -> Message:
        return Message.joined("", (other, self))

    @staticmethod
    def joined(separator: str, parts: Iterable[str]) -> Message:
        """``parts`` joined by ``separator``, each translated separately."""
        named = {f"part{number}": part for number, part in enumerate(parts)}
        return Message(separator.join(f"{{{name}}}" for name in named), **named)

    def stored(self) -> str:
        """The form stored in the project file, which :func:`read` turns back into the message."""
        return f"{self.id}{_MARK}{json.dumps(_plain(self.values), ensure_ascii=False)}" if self.values else self.id


class Counted(Message):
    """A sentence about a number of things: ``one`` for one, ``many`` for several, both with ``{count}``."""

    forms: tuple[str, str]
    number: int

    def __new__(cls, one: str, many: str, number: int, /, **values: object) -> Counted:
        """The form for ``number``, with its digits grouped by thousands, and other names replaced by ``values``."""
        form = one if number == 1 else many
        counted = cast(Counted, super().__new__(cls, form, **values | {"count": f"{number:,}"}))
        counted.forms, counted.number = (one, many), number
        return counted

    def __reduce__(self) -> tuple[Any, ...]:
        return _counted, (*self.forms, self.number, dict(self.values))

    def stored(self) -> str:
        """The stored form, with both sentences: other languages choose by the number, too."""
        return _MARK.join((*self.forms, str(self.number), json.dumps(_plain(self.values), ensure_ascii=False)))


_SYSTEM = (
    Message("All connection attempts failed"),
    Message("Disk quota exceeded"),
    Message("File name too long"),
    Message("Input/output error"),
    Message("Is a directory"),
    Message("Name or service not known"),
    Message("No space left on device"),
    Message("No such file or directory"),
    Message("Not a directory"),
    Message("Permission denied"),
    Message("Read-only file system"),
    Message("Server disconnected without sending a response"),
    Message("Temporary failure in name resolution"),
    Message("certificate has expired"),
    Message("self-signed certificate"),
    Message("self-signed certificate in certificate chain"),
    Message("unable to get local issuer certificate"),
)
"""The most common messages of the system and of libraries, listed so that the catalogues contain them."""


def reason(error: BaseException) -> str:
    """Why ``error`` was raised: its own message, the system's message, or its text."""
    if isinstance(error, OSError) and error.strerror:
        return Message(error.strerror)
    sentence = getattr(error, "sentence", None) or next(iter(error.args), "")
    return sentence if isinstance(sentence, Message) else str(error)


def stored(text: str) -> str:
    """``text`` in the form stored in project files: a message with its id and values, other text unchanged."""
    return text.stored() if isinstance(text, Message) else text


def pack(text: str) -> str:
    """As :func:`stored`, but marked, for places where messages are mixed with the user's own words (see
    :func:`unpack`).
    """
    if not isinstance(text, Message):
        return text
    return text.stored() if text.values else f"{text.id}{_MARK}{{}}"


def unpack(text: str) -> str:
    """Reverses :func:`pack`: messages become messages again, other text is unchanged."""
    return read(text) if _MARK in text else text


def read(text: str) -> str:
    """Reverses :func:`stored`; other text (from an earlier version or another program) is unchanged."""
    # Many blocks share their reasons.
    return _read_once(text) if len(text) <= _SHORT else _read(text)


_SHORT = 400
"""Longest stored text, in characters, whose message is cached: short ones recur in many rows."""


@lru_cache(maxsize=4096)
def _read_once(text: str) -> str:
    return _read(text)


def _read(text: str) -> str:
    id_, mark, packed = text.partition(_MARK)
    if not mark:
        return Message(id_)
    if counted := _COUNTED.fullmatch(packed):
        packed = counted[3]
    try:
        values = json.loads(packed)
    except (ValueError, RecursionError):
        return id_
    # A name used twice on each of several levels would expand a short text into a very long one.
    if not isinstance(values, dict) or _repeats(id_) or (counted and _repeats(counted[1])):
        return id_
    named = {str(name): _value(value) for name, value in values.items()}
    return Counted(id_, counted[1], int(counted[2]), **named) if counted else Message(id_, **named)


def _plain(values: Mapping[str, object]) -> dict[str, object]:
    """Values as JSON: messages in their stored form as lists of length one, numbers and text unchanged."""
    return {name: [value.stored()] if isinstance(value, Message) else value for name, value in values.items()}


def _repeats(sentence: str) -> bool:
    return len(names := _NAME.findall(sentence)) > len(set(names))


_COUNTED = re.compile(f"([^{_MARK}]*){_MARK}([0-9]{{1,18}}){_MARK}([^{_MARK}]*)")
"""What follows the first sentence of a stored :class:`Counted`."""
_KEPT = (Message, int, float)


def _fillable(value: object) -> object:
    if isinstance(value, BaseException):
        value = reason(value)
    return value if isinstance(value, _KEPT) else str(value)


def _value(value: object) -> object:
    return read(str(value[0])) if isinstance(value, list) and value else value


def _counted(one: str, many: str, number: int, values: dict[str, object]) -> Counted:
    return Counted(one, many, number, **values)


def _rebuilt(text: str, id_: str, values: dict[str, object]) -> Message:
    """Unpickle, without filling in the values again."""
    message = str.__new__(Message, text)
    message.id, message.values = id_, values
    return message


def rate(value: float, digits: int = 3) -> str:
    """A rate with so many decimals; one between 0 and 1 is never rounded to 0 or 1."""
    least = 10.0**-digits
    return f"{min(max(value, least), 1 - least) if 0 < value < 1 else value:.{digits}f}"


def beside(value: float, limit: float, digits: int = 3) -> str:
    """``value`` with so many decimals, or as many more as show on which side of ``limit`` it is, unless they differ
    by no more than a rounding error.
    """
    texts = (f"{value:.{decimals}f}" for decimals in range(digits, 13))
    right = (text for text in texts if (float(text) < limit) == (value < limit))
    return f"{value:.{digits}f}" if isclose(value, limit) else next(right, repr(value))


def threshold_text(value: float, below: float = -inf, digits: int = 6) -> str:
    """A threshold with so many significant digits, or as many more as are above ``below``, the next lower score. It is
    rounded down: whoever types it selects what ``value`` selects.
    """
    for n in range(digits, 18):
        text = f"{value:.{n}g}"
        if float(text) > value:
            down = Context(prec=n, rounding=ROUND_FLOOR).create_decimal(Decimal(value))
            text = f"{float(down):.{n}g}"
        if below < float(text) <= value:
            return text
    return repr(value)


def threshold_words(value: float) -> str:
    """A threshold as screens and reports write it: like :func:`threshold_text`, whole ones with separators."""
    if value == int(value) and abs(value) < 1e7:
        return f"{value:,.0f}"
    return threshold_text(value, digits=max(6, len(str(int(abs(value)))) + 1))


def percent(part: float) -> str:
    """A share (0 to 1) in percent, with one decimal below ten; never rounded to 0 % or 100 %."""
    if 0 < part < 0.001:
        return "< 0.1 %"
    if 0.995 <= part < 1:
        return "> 99 %"
    return f"{100 * part:.1f} %" if 0 < part < 0.0995 else f"{100 * part:.0f} %"

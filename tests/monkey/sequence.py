"""What a random user does, as data: each step follows from a seed and its number alone.

A step names no widget. It holds random numbers, by which one of what is there at that moment is chosen; so any
part of a sequence can be done without the rest.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

KINDS = {
    "shortcut": 30,
    "action": 8,
    "key": 18,
    "type": 5,
    "click": 14,
    "press": 12,
    "row": 9,
    "drag": 4,
    "wheel": 6,
    "resize": 2,
    "place": 6,
    "language": 0.15,
    "open": 0.4,
    "drop": 0.4,
    "run": 0.25,
    "label": 1.6,
    "lock": 0.4,
    "wait": 1,
}
"""How often each kind of step is drawn, relative to the others."""
TEXTS = (
    "the ",
    "a",
    "1",
    "2",
    "3",
    "-1",
    "0.5",
    "99999999999",
    "夏目漱石",
    "吾輩は猫である。",
    "项羽本纪",
    "がぎぐ",
    "e\u0301\u0323",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\u202eabc",
    "שלום",
    "<b>x</b> & y",
    "a\nb",
    "\t",
    "%s {0} {name}",
    "http://127.0.0.1:9/",
    "*",
    "([",
)
"""What is typed. No address leads out of this machine."""
PATIENT = 0.6
"""Share of steps after which the user waits until all is shown."""


@dataclass(frozen=True, slots=True)
class Step:
    """``kind`` is one of KINDS; ``n`` chooses among what is there, ``x`` and ``y`` (0 to 1) place and vary.

    ``patient``: everything it set off is shown before the next step.
    """

    number: int
    kind: str
    n: int
    x: float
    y: float
    text: str
    patient: bool


def step(seed: int, number: int) -> Step:
    """Step ``number`` of the sequence of ``seed``."""
    drawn = random.Random(f"{seed}:{number}")
    kind = drawn.choices(tuple(KINDS), tuple(KINDS.values()))[0]
    patient = drawn.random() < PATIENT
    return Step(number, kind, drawn.randrange(1 << 30), drawn.random(), drawn.random(), drawn.choice(TEXTS), patient)


def written(numbers: list[int]) -> str:
    """Step numbers, ascending, as ranges: "0-4,7"."""
    parts: list[str] = []
    first = None
    for at, number in enumerate(numbers):
        first = number if first is None else first
        if at + 1 == len(numbers) or numbers[at + 1] != number + 1:
            parts.append(str(first) if first == number else f"{first}-{number}")
            first = None
    return ",".join(parts)


def read(text: str) -> list[int]:
    """The numbers that :func:`written` wrote. Raises ValueError for anything else."""
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers

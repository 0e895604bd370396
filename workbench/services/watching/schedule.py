"""Entries for the system's own scheduler, so that watches are checked while no window is open."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from locale import getencoding
from pathlib import Path

from workbench.base.errors import ParameterError, UserError
from workbench.base.messages import Message
from workbench.jobs.children import Done, run, windows_line
from workbench.services.writing import atomic_write

_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)")
_NO_TABLE = re.compile(rb"\bno crontab for\b")
"""The (English) message that every cron prints for a user without a table."""


class System(StrEnum):
    """Schedulers: systemd's user timers, cron, and the Task Scheduler of Windows."""

    SYSTEMD = "systemd"
    CRON = "cron"
    TASK = "task"


@dataclass(frozen=True, slots=True)
class Schedule:
    """``files`` to write (path, text), the crontab ``line`` to add in place of those that end with ``check``, and the
    ``commands`` that then enable it.
    """

    files: tuple[tuple[Path, str], ...] = ()
    line: str = ""
    check: str = ""
    commands: tuple[tuple[str, ...], ...] = ()


def schedule(project: Path, name: str, system: System, at: str, program: Sequence[str], home: Path) -> Schedule:
    """The entries that check the watch ``name`` ("": all) of ``project`` every day ``at`` HH:MM by ``program``.

    ``home`` is the user's home folder. Raises ParameterError for an invalid time, or a path with a line end.
    """
    if not (time := _TIME.fullmatch(at)):
        raise ParameterError(Message("Write the time of day as HH:MM."))
    checking = ["watch", str(project.absolute()), "check", *([name] if name else []), "--once"]
    command = [*program, *checking]
    if any(not part.isprintable() for part in command):
        raise ParameterError(Message("A path with line breaks or control characters cannot be scheduled."))
    hours, minutes = time.groups()
    unit = _unit(project, name)
    if system is System.CRON:
        line = f"{int(minutes)} {int(hours)} * * * {_in_crontab(command)}"
        return Schedule(line=line, check=f" {_in_crontab(checking)}")
    if system is System.TASK:
        quoted = windows_line(command)
        return Schedule(
            commands=(("schtasks", "/Create", "/F", "/SC", "DAILY", "/ST", at, "/TN", unit, "/TR", quoted),)
        )
    folder = home / ".config" / "systemd" / "user"
    service = (
        f"[Unit]\nDescription=Palimpsest: {_escaped(project.name)}\n\n"
        f"[Service]\nType=oneshot\nExecStart={' '.join(map(_argument, command))}\n"
    )
    timer = (
        f"[Unit]\nDescription=Palimpsest: {_escaped(project.name)}\n\n"
        f"[Timer]\nOnCalendar=*-*-* {at}:00\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
    )
    files = ((folder / f"{unit}.service", service), (folder / f"{unit}.timer", timer))
    reload = ("systemctl", "--user", "daemon-reload")
    return Schedule(files, commands=(reload, ("systemctl", "--user", "enable", "--now", f"{unit}.timer")))


def install(planned: Schedule) -> None:
    """Write the files and run the commands of ``planned``. Raises UserError naming the file or command that failed."""
    for path, text in planned.files:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path, Message("The schedule")) as part:
            part.write_text(text, encoding="utf-8")
    if planned.line:
        lines = [line for line in _crontab().splitlines() if line.startswith("#") or not line.endswith(planned.check)]
        _accepted(("crontab", "-"), os.fsencode("\n".join([*lines, planned.line, ""])))
    for command in planned.commands:
        _accepted(command)


def _crontab() -> str:
    """The user's table. A table that could not be listed is not empty: writing would overwrite it."""
    done = _run(("crontab", "-l"))
    if done.code and not _NO_TABLE.search(done.errors):
        raise _refused("crontab", done)
    return "" if done.code else os.fsdecode(done.output)


def _accepted(command: Sequence[str], sent: bytes = b"") -> None:
    done = _run(command, sent)
    if done.code:
        raise _refused(command[0], done)


def _refused(program: str, done: Done) -> UserError:
    reason = done.errors.decode(getencoding(), "replace").strip()[:300] or done.code
    return UserError(Message("{program} refused the schedule ({reason}).", program=program, reason=reason))


def _run(command: Sequence[str], sent: bytes = b"") -> Done:
    try:
        return run(command[0], command[1:], sent=sent, seconds=60)
    except OSError as error:
        raise UserError(Message("{program} cannot be run ({reason}).", program=command[0], reason=error)) from error


def _unit(project: Path, name: str) -> str:
    """A name in plain letters for the entries of one watch of one project: no other watch or project has it."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", "-".join(part for part in (project.stem, name) if part)).strip("-").lower()
    digest = hashlib.sha256(os.fsencode(f"{project.absolute()}\0{name}")).hexdigest()[:8]
    return f"palimpsest-{plain or 'watch'}-{digest}"


def _in_crontab(command: Sequence[str]) -> str:
    """``command`` for the shell; cron treats a bare % as the end of the line."""
    return shlex.join(command).replace("%", "\\%")


def _argument(word: str) -> str:
    """``word`` as systemd reads it in ExecStart: its own quotes, and no specifiers or variables."""
    return '"' + _escaped(word).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$") + '"'


def _escaped(words: str) -> str:
    return words.replace("%", "%%")

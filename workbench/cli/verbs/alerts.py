"""Verb ``alerts``: how you are notified of the findings of watches."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.cli.output import Output

if TYPE_CHECKING:
    from workbench.services.watching.alerts import Alerts

_NONE = "No alerts are set up."

name = "alerts"
summary = "how you are notified of the findings of watches"
description = (
    "Alerts are your own, for all projects; they are off until set up. set replaces the kinds that are passed: "
    "mail, a webhook or the desktop. The password of the mail server and the address of the webhook are read from "
    "standard input, one per line, and kept in the system's keyring. test sends one; off deletes all of this."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("show", "set", "test", "off"), nargs="?", default="show", help="what to do")
    add = parser.add_argument
    add("--smtp", metavar="HOST:PORT", default="", help="set: your mail server (465, or another port with STARTTLS)")
    add("--from", metavar="ADDRESS", default="", dest="sender", help="set: the sender's address")
    add("--to", metavar="ADDRESS", default="", help="set: the recipient's address")
    add("--user", metavar="NAME", default="", help="set: the name to log in with; the password is asked for")
    add("--webhook", action="store_true", help="set: post to a webhook, whose address is asked for")
    add("--desktop", action="store_true", help="set: desktop notifications")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.watching import alerts

    if arguments.action == "off":
        alerts.switch_off()
    elif arguments.action == "set":
        chosen = _changed(alerts.load(), arguments)
        password = _secret("Password of the mail server") if arguments.user else ""
        webhook = _secret("Address of the webhook") if arguments.webhook else ""
        alerts.save(chosen, password=password, webhook=webhook)
    current = alerts.load()
    if arguments.action == "test":
        problems = alerts.tell(current, "Palimpsest: test", "Alerts of watches arrive here.")
        if not current.is_any:
            problems = [_NONE]
        for problem in problems:
            output.note(str(problem))
        output.record({"sent": not problems, "problems": [str(problem) for problem in problems]})
        return 1 if problems else 0
    output.record({"smtp": current.smtp, "to": current.to, "webhook": current.webhook, "desktop": current.desktop})
    output.say(_described(current))
    return 0


def _changed(before: Alerts, arguments: argparse.Namespace) -> Alerts:
    """The alerts with the kinds in ``arguments``, and the others as ``before``. Raises ParameterError without any."""
    from workbench.base.errors import ParameterError

    names = ("smtp", "sender", "to", "user", "webhook", "desktop")
    passed = {name: value for name in names if (value := getattr(arguments, name))}
    if not passed:
        raise ParameterError("alerts set needs a kind of alerts: --smtp, --webhook or --desktop.")
    others = {"sender": "", "to": "", "user": ""} if arguments.smtp else {}
    return replace(before, **{**others, **passed})


def _described(current: Alerts) -> str:
    ways = [f"mail to {current.to} by {current.smtp}"] * bool(current.smtp)
    ways += ["webhook"] * current.webhook + ["desktop"] * current.desktop
    return f"Alerts: {', '.join(ways)}." if ways else _NONE


def _secret(what: str) -> str:
    """One line of standard input; on a terminal, prompted for without echo."""
    if sys.stdin.isatty():
        from getpass import getpass

        return getpass(f"{what}: ")
    return sys.stdin.readline().rstrip("\n")

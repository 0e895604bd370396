"""Verb ``labels`` for the values of a label set: list, rename, remove."""

from __future__ import annotations

import argparse

from workbench.cli.output import Column, Output, plural


def list_values(arguments: argparse.Namespace, output: Output) -> int:
    """``labels P values``: the values of a set, and how many labels have each."""
    from workbench.base.errors import UserError
    from workbench.base.messages import Message
    from workbench.services.labels.definitions import read_sets
    from workbench.services.labels.values import value_counts
    from workbench.services.session import Session

    name = arguments.label_set or "class"
    with Session(arguments.project, write=False) as session:
        label_set, counts = read_sets(session).get(name), value_counts(session, name)
    if label_set is None:
        raise UserError(Message("There is no label set {set}.", set=name))
    rows = [(v, counts.get(v.name, 0)) for v in label_set.values]
    values = [{"value": v.name, "key": v.key, "labels": count, "retired": v.retired} for v, count in rows]
    output.record({"set": name, "values": values})
    output.table(
        [Column("value"), Column("key"), Column("labels", right=True), Column("")],
        [(v.name, v.key, f"{count:,}", "retired" if v.retired else "") for v, count in rows],
    )
    return 0


def rename(arguments: argparse.Namespace, output: Output) -> int:
    """``labels P rename``: the labels are renamed too; ``--undo`` undoes it."""
    from workbench.base.errors import ParameterError
    from workbench.services.labels.values import rename_value, undo_renaming
    from workbench.services.review.verdicts import reviewer
    from workbench.services.session import Session

    name, value, to = arguments.label_set or "class", arguments.value, arguments.to
    if not value or bool(to) == arguments.undo:
        raise ParameterError("labels rename needs --value and either --to or --undo.")
    who = arguments.who or reviewer()
    with Session(arguments.project) as session:
        if arguments.undo:
            count = undo_renaming(session, name, value, who)
        else:
            count = rename_value(session, name, value, to, who, merge=arguments.merge)
    output.record({"set": name, "value": value, "to": to or value, "labels": count})
    if arguments.undo:
        output.say(f"{plural(count, 'label')} called {value} again.")
    else:
        output.say(f"{plural(count, 'label')} of {value} now called {to}. To undo it: --value {value} --undo")
    return 0


def remove(arguments: argparse.Namespace, output: Output) -> int:
    """``labels P remove``: remove a value, or retire it if labels have it."""
    from workbench.base.errors import ParameterError
    from workbench.services.labels.values import remove_value
    from workbench.services.review.verdicts import reviewer
    from workbench.services.session import Session

    name = arguments.label_set or "class"
    if not arguments.value:
        raise ParameterError("labels remove needs --value.")
    with Session(arguments.project) as session:
        who = arguments.who or reviewer()
        count = remove_value(session, name, arguments.value, who, retire=arguments.retire)
    output.record({"set": name, "value": arguments.value, "labels": count, "retired": bool(count)})
    kept = f"; {plural(count, 'label')} keep it, and it is given no more" if count else ""
    output.say(f"{arguments.value} was taken out{kept}.")
    return 0

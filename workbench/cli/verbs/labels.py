"""Verb ``labels``: import and export labels, and compare annotators."""

from __future__ import annotations

import argparse
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from workbench.cli.arguments import add_project, check_used, path_argument
from workbench.cli.label_merge import merge, undo
from workbench.cli.output import Column, Output, plural
from workbench.cli.results import SHOWN_FAILURES, note_failures
from workbench.services.tasks import failure_records

if TYPE_CHECKING:
    from workbench.evaluation.agreement import Coefficient
    from workbench.services.labels.labelling import Compared


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
        output.say(f"{plural(count, 'label')} renamed back to {value}.")
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
    kept = f"; {plural(count, 'label')} keep it, and it is no longer offered" if count else ""
    output.say(f"{arguments.value} was removed{kept}.")
    return 0


name = "labels"
summary = "import and export labels, or compare annotators"
description = (
    "Labels of documents (id), pairs (a, b) or passages (a, a_start, a_end, b, b_start, b_end), as .jsonl or .csv "
    "with the fields label, annotator, time, note, set. A file with one column label:NAME per annotator can also be "
    "read, and any other headings with --columns. assign assigns entries to annotators, share writes the batch of "
    "one annotator, a small project, and merge brings its labels back: in any order, as often as you like. merge also "
    "accepts a copy of the project, with all decisions made in it, including verdicts and exclusions. It lists the "
    "decisions that change and the share of each suspect that counts before and after; events that contradict the "
    "same person's decisions here, are dated in the future, or rename a value are held back and listed. values "
    "lists the values of a set, rename renames one with all its labels, remove removes one."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("action", choices=tuple(_ACTIONS), help="what to do")
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        type=path_argument,
        help=".jsonl or .csv (export: default printed); share, merge: a project",
    )
    parser.add_argument(
        "--set",
        dest="label_set",
        metavar="NAME",
        help="label set (default: the standard one of its kind; import: of rows that name none)",
    )
    parser.add_argument(
        "--who",
        metavar="NAME",
        default="",
        help="import: annotator of rows without one; share: whose batch; rename, remove: the person who does it",
    )
    parser.add_argument("--value", metavar="VALUE", default="", help="rename, remove: the value")
    parser.add_argument("--to", metavar="NAME", default="", help="rename: its new name")
    parser.add_argument("--merge", action="store_true", help="rename: if a value of that name exists, merge the two")
    parser.add_argument("--retire", action="store_true", help="remove: keep the labels that have the value")
    parser.add_argument(
        "--undo",
        action="store_true",
        help="rename: give --value, once renamed, its name back; import, merge: undo the last import or merge",
    )
    parser.add_argument("--dry-run", action="store_true", help="merge: show the changes without making them")
    parser.add_argument(
        "--accept",
        metavar="A,B,...",
        default="",
        help="merge: people whose events are accepted although they were held back: they change what these people "
        "said here (a value, a note, the text it was given for), rename a value, come from an altered log or are dated "
        "in the future ('*': everybody)",
    )
    parser.add_argument("--values", metavar="A,B,...", help="import: additional values of the set")
    parser.add_argument(
        "--columns",
        default="",
        metavar="HEADING=FIELD,...",
        help="import: contents of the columns, as in 'Doc=id,Sato=label:Sato,Remark=note'; 'X=' ignores X",
    )
    parser.add_argument("--overwrite", action="store_true", help="import: change existing labels of the annotators")
    parser.add_argument("--annotators", metavar="A,B,...", help="assign: the annotators")
    parser.add_argument("--each", metavar="N", type=int, help="assign: annotators per entry (default: 1)")
    parser.add_argument("--encoding", metavar="NAME", help="import: encoding of the file (default: detected)")
    parser.add_argument(
        "--history",
        action="store_true",
        help="export: every event, not only the current labels; renamed ones also as they were written",
    )
    parser.add_argument(
        "--adjudicated",
        action="store_true",
        help="import: these labels settle disagreements; export: the settled labels",
    )


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError

    check_used(arguments, _USES)
    if arguments.file is not None and arguments.action not in _WITH_FILE:
        raise ParameterError(f"labels {arguments.action} takes no FILE.")
    return _ACTIONS[arguments.action](arguments, output)


def _import(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.cli.monitor import run_job
    from workbench.reading.formats.rows import columns_of
    from workbench.services.labels.labelling import LabelOptions, import_labels

    if arguments.undo:
        return undo(arguments, output)
    if arguments.file is None:
        raise ParameterError("labels import needs a FILE.")
    values = [v.strip() for v in (arguments.values or "").split(",") if v.strip()]
    options = LabelOptions(
        arguments.label_set or "",
        arguments.who,
        values,
        arguments.adjudicated,
        encoding=arguments.encoding,
        columns=columns_of(arguments.columns),
        overwrite=arguments.overwrite,
    )
    result = run_job(output, import_labels, arguments.project, arguments.file, options)
    output.record(
        {
            "imported": result.imported,
            "unchanged": result.unchanged,
            "failed": failure_records(result.failed),
            "sets": list(result.sets),
            "not_changed": [
                {"path": c.where, "name": c.name, "annotator": c.who, "label": c.before, "in_file": c.after}
                for c in result.changes
            ],
        }
    )
    output.say(
        f"{plural(result.imported, 'label')} imported, {result.unchanged:,} unchanged, {len(result.failed):,} failed."
    )
    note_failures(output, result.failed)
    if result.changes and not output.as_json:
        for change in result.changes[:SHOWN_FAILURES]:
            after = change.after or "nothing"
            output.note(f"{change.where}: {change.who} labelled {change.name} {change.before}, not {after}.")
        if len(result.changes) > SHOWN_FAILURES:
            output.note(f"... and {len(result.changes) - SHOWN_FAILURES:,} more; --json lists them all.")
        output.note(
            f"{plural(len(result.changes), 'row')} would have changed the existing label of an annotator; "
            "--overwrite imports them, too."
        )
    if result.strange and not output.as_json:
        more = shlex.quote(",".join(result.strange))
        output.note(f"--values {more} adds these values to the set; --set NAME imports the labels into another one.")
    everything = not result.failed and not result.changes
    return 0 if everything and (result.imported or result.unchanged) else 1


def _share(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.cli.monitor import run_job
    from workbench.services.labels.batches import export_batch

    if arguments.file is None or not arguments.who:
        raise ParameterError("labels share needs a FILE and --who.")
    label_set = arguments.label_set or "class"
    result = run_job(output, export_batch, arguments.project, label_set, arguments.who, arguments.file)
    output.record(
        {
            "file": str(arguments.file),
            "entries": result.entries,
            "documents": result.documents,
            "labels": result.labels,
        }
    )
    output.say(
        f"Wrote {arguments.file}: {result.entries:,} to label, {plural(result.documents, 'document')}, "
        f"{plural(result.labels, 'label')} so far."
    )
    return 0


def _assign(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.labels.batches import assign_all
    from workbench.services.session import Session

    names = [name.strip() for name in (arguments.annotators or "").split(",") if name.strip()]
    with Session(arguments.project) as session:
        assignments = assign_all(
            session, arguments.label_set or "class", names, 1 if arguments.each is None else arguments.each
        )
    shares = {who: sum(name == who for _, name in assignments) for who in names}
    output.record({"assigned": shares})
    output.table([Column("annotator"), Column("assigned", right=True)], [(w, f"{n:,}") for w, n in shares.items()])
    return 0


def _export(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.labels.export import export_rows, refuse_file, write_rows
    from workbench.services.labels.rows import UNRESOLVED
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        rows = export_rows(session, arguments.label_set, history=arguments.history, adjudicated=arguments.adjudicated)
        if arguments.file is None:
            for row in rows:
                output.row(row)
            return 0
        refuse_file(session, arguments.file)
        how: Counter[str] = Counter()
        count = write_rows(_counted(rows, how), arguments.file)
    unresolved = how[UNRESOLVED]
    output.record({"file": str(arguments.file), "labels": count - unresolved, "unresolved": unresolved})
    rest = f"; {plural(unresolved, 'entry', 'entries')} without one, as unresolved" if unresolved else ""
    output.say(f"Wrote {arguments.file}: {plural(count - unresolved, 'label')}{rest}.")
    return 0


def _counted(rows: Iterable[dict[str, Any]], how: Counter[str]) -> Iterator[dict[str, Any]]:
    """``rows``, counted by how they were settled."""
    for row in rows:
        how[row.get("how", "")] += 1
        yield row


def _agreement(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.labels.labelling import compare_annotators
    from workbench.services.session import Session

    with Session(arguments.project, write=False) as session:
        comparison = compare_annotators(session, arguments.label_set or "class")
    output.record(agreement_record(comparison))
    output.table(
        [Column("annotator"), Column("labels", right=True)], [(w, f"{n:,}") for w, n in comparison.annotators.items()]
    )
    ways = {"single": "by one annotator alone"}
    if comparison.how:
        output.say(", ".join(f"{count:,} {ways.get(how, how)}" for how, count in sorted(comparison.how.items())) + ".")
    for sentence in comparison.alike:
        output.say(sentence)
    if comparison.removed:
        output.say(f"Not counted: labels of {plural(comparison.removed, 'entry', 'entries')} no longer in the project.")
    if comparison.of_others:
        output.say(
            f"Given for another text than the present one: the labels of "
            f"{plural(comparison.of_others, 'entry', 'entries')}."
        )
    if comparison.apart:
        output.say(f"Not compared, as others are for a newer text of the entry: {plural(comparison.apart, 'label')}.")
    if comparison.agreement is not None:
        rows = [("Krippendorff's alpha", comparison.agreement.alpha)]
        if comparison.agreement.fleiss is not None:
            rows.append((f"Fleiss' kappa, {comparison.agreement.raters} labels each", comparison.agreement.fleiss))
        rows += [(f"Cohen's kappa, {a} and {b}", k) for (a, b), k in comparison.agreement.cohen.items()]
        rows += [(f"Specific agreement on {value}", k) for value, k in comparison.agreement.values.items()]
        columns = [Column(""), Column("value", right=True), Column("95 %"), Column("of", right=True)]
        output.table(columns, [(n, f"{c.value:.3f}", _interval(c), f"{c.documents:,}") for n, c in rows])
    else:
        output.note(comparison.problem)
    for name in comparison.unresolved:
        output.say(f"  unresolved: {name}")
    return 0 if comparison.agreement is not None else 1


def _interval(coefficient: Coefficient) -> str:
    return "" if coefficient.interval is None else f"{coefficient.interval[0]:.3f} to {coefficient.interval[1]:.3f}"


def agreement_record(comparison: Compared) -> dict[str, Any]:
    """The JSON shape of ``labels agreement``; figures that are undefined are null, ``problem`` says why."""
    measured = comparison.agreement
    return {
        "set": comparison.label_set,
        "annotators": dict(comparison.annotators),
        "documents": measured.documents if measured else 0,
        "alpha": _coefficient(measured.alpha) if measured else None,
        "fleiss": _coefficient(measured.fleiss) if measured else None,
        "raters": measured.raters if measured else 0,
        "cohen": [{"a": a, "b": b} | (_coefficient(k) or {}) for (a, b), k in measured.cohen.items()]
        if measured
        else [],
        "values": {value: _coefficient(k) for value, k in measured.values.items()} if measured else {},
        "settled": dict(comparison.how),
        "unresolved": list(comparison.unresolved),
        "problem": comparison.problem,
        "removed": comparison.removed,
        "of_other_texts": comparison.of_others,
        "not_compared": comparison.apart,
        "alike": list(comparison.alike),
    }


def _coefficient(coefficient: Coefficient | None) -> dict[str, Any] | None:
    if coefficient is None:
        return None
    interval = None if coefficient.interval is None else list(coefficient.interval)
    return {"value": coefficient.value, "interval": interval, "documents": coefficient.documents}


_ACTIONS = {
    "import": _import,
    "export": _export,
    "agreement": _agreement,
    "assign": _assign,
    "share": _share,
    "merge": merge,
    "values": list_values,
    "rename": rename,
    "remove": remove,
}
_WITH_FILE = ("import", "export", "share", "merge")
_USES = {
    "--who": ("import", "share", "merge", "rename", "remove"),
    "--value": ("rename", "remove"),
    "--to": ("rename",),
    "--merge": ("rename",),
    "--retire": ("remove",),
    "--undo": ("rename", "import", "merge"),
    "--dry-run": ("merge",),
    "--accept": ("merge",),
    "--values": ("import",),
    "--columns": ("import",),
    "--overwrite": ("import",),
    "--encoding": ("import",),
    **dict.fromkeys(("--annotators", "--each"), ("assign",)),
    "--history": ("export",),
    "--adjudicated": ("import", "export"),
}
"""The actions that use an option."""

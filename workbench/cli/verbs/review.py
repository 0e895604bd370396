"""Verb ``review``: give, settle and list verdicts without the window."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from workbench.cli.arguments import add_project, add_run, check_used, finite, not_negative, positive, run_of
from workbench.cli.output import Column, Output, plural

if TYPE_CHECKING:
    from workbench.services.choosing import Chosen
    from workbench.services.review.judgement import Judgement
    from workbench.services.review.overview import Overview, RunColumns
    from workbench.services.review.unplaced import UnplacedItem
    from workbench.services.session import Session

_LISTS, _VERDICTS = ("passages", "conflicts"), ("judge", "settle", "decide")
_USES = {
    "--note": _VERDICTS,
    "--suspect": ("suspects", "unplaced", *_LISTS, *_VERDICTS),
    "--source": (*_LISTS, "unplaced", "judge", "settle"),
    "--passage": (*_LISTS, "judge", "settle"),
    "--below": (*_LISTS, "judge", "settle"),
    **dict.fromkeys(("--share", "--sample", "--seed"), ("assign",)),
}
"""The actions that use an option."""
ACTIONS = ("suspects", "passages", "conflicts", "unplaced", "judge", "settle", "decide", "assign")

name = "review"
summary = "list verdicts, give them, settle them where reviewers differ"
description = (
    "suspects, passages and conflicts list verdicts; unplaced lists verdicts without a passage in the run, and "
    "passages added by hand whose text is gone. judge gives a verdict on passages, decide on the suspect itself "
    "(only this closes it), settle sets the verdict where reviewers differ. assign assigns suspects to a reviewer. "
    "The verdict of a second reviewer never replaces that of the first."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from workbench.services.labels.verdicts import PAIR, SUSPECT, values

    add_project(parser)
    parser.add_argument("action", choices=ACTIONS, help="what to do")
    parser.add_argument(
        "value",
        metavar="VERDICT",
        nargs="?",
        default="",
        help=f"{', '.join(values(SUSPECT))} (decide); {', '.join(values(PAIR))} (judge, settle: pairs of whole "
        "documents); or none to withdraw (judge, settle, decide)",
    )
    add_run(parser, positional=False)
    parser.add_argument("--who", metavar="NAME", default="", help="the reviewer (default: the login name)")
    parser.add_argument(
        "--blind", action="store_true", help="show verdicts of others only for items that the reviewer has also judged"
    )
    parser.add_argument("--note", metavar="TEXT", default="", help="a note for the report")
    parser.add_argument("--suspect", metavar="ID", help="only this suspect")
    parser.add_argument("--source", metavar="ID", help="only passages of this source")
    parser.add_argument(
        "--passage", metavar="N", type=positive, help="the Nth passage in the order of the suspect, with all its parts"
    )
    parser.add_argument("--below", metavar="X", type=finite, help="judge: only passages that score less than X")
    parser.add_argument(
        "--share", metavar="X", type=finite, help="assign: a share (0 to 1) of the suspects (default: 1)"
    )
    parser.add_argument("--sample", metavar="N", type=positive, help="assign: this many suspects")
    parser.add_argument("--seed", metavar="N", type=not_negative, help="assign: seed of the random draw (default: 0)")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.services.choosing import choose
    from workbench.services.review.judgement import Reviewer
    from workbench.services.review.overview import read_overview
    from workbench.services.review.verdicts import reviewer
    from workbench.services.session import Session

    check_used(arguments, _USES)
    if arguments.value and arguments.action not in _VERDICTS:
        raise ParameterError(f"review {arguments.action} takes no verdict.")
    viewer = Reviewer(arguments.who or reviewer(), arguments.blind)
    writes = arguments.action in ("judge", "settle", "decide", "assign")
    with Session(arguments.project, write=writes, viewer=viewer) as session:
        chosen = choose(session, run_of(arguments), arguments.suspect, arguments.source)
        overview = read_overview(session, chosen.run.id)
        _name(session, arguments, chosen)
        actions = {
            "suspects": _suspects,
            "passages": _passages,
            "conflicts": _passages,
            "unplaced": _unplaced,
            "judge": _judge,
            "settle": _settle,
            "decide": _decide,
            "assign": _assign,
        }
        return actions[arguments.action](session, overview, arguments, output)


def _name(session: Session, arguments: argparse.Namespace, chosen: Chosen) -> None:
    """Replace the documents in ``arguments`` with the chosen ones; a page becomes its text in the run."""
    from workbench.services.listing import document_ids

    keys = {"suspect": chosen.a, "source": chosen.b}
    if any(key is not None for key in keys.values()):
        ids = document_ids(session)
        for side, key in keys.items():
            if key is not None:
                setattr(arguments, side, ids[key])


def _suspects(session: Session, overview: Overview, arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.labels.sets import SUSPECT_LABELS
    from workbench.services.labels.targets import document_target, person
    from workbench.services.review.assigning import assigned
    from workbench.services.review.either_side import listed_suspects

    assignments = assigned(session)
    rows = [row for row in listed_suspects(session, overview) if arguments.suspect in (None, row.id)]
    earlier = {
        row.id: session.verdicts.earlier(SUSPECT_LABELS, document_target(row.id), {row.id: row.key}) for row in rows
    }
    for row in rows:
        output.record(
            {
                "id": row.id,
                "title": row.title,
                "passages": row.passages,
                "matches": row.matches,
                "judged": row.judged,
                "verdicts": dict(row.verdicts),
                "state": "open" if row.decision is None or row.decision.conflict else row.decision.value,
                "decision": judgement_record(row.decision),
                "notes_without_verdict": [asdict(note) for note in session.verdicts.suspect_notes(row.id, row.key)],
                "earlier": [asdict(label) for label in earlier[row.id]],
                "is_earlier_version": row.key in overview.replaced,
                "assigned": sorted(who for who, ids in assignments.items() if row.id in ids),
            }
        )
    columns = [Column("suspect", limit=40), Column("judged", right=True), Column("verdicts"), Column("state")]
    output.table(
        columns,
        ((r.id, f"{r.judged:,} of {r.passages:,}", _counts(r.verdicts), _state(r.decision)) for r in rows),
    )
    for row in rows:
        for label in earlier[row.id]:
            output.note(f"{row.id}: {person(label.who)} gave {label.value} for another text of this document.")
    if overview.newer:
        shown = f"; run {overview.successor} has newer texts" if overview.successor else ""
        output.note(f"The run is out of date: {plural(overview.newer, 'document')} imported later{shown}.")
    replaced = sum(row.key in overview.replaced for row in rows)
    if replaced:
        output.note(f"In this run as an earlier version: {plural(replaced, 'suspect')}.")
    if overview.unplaced:
        output.note(f"{plural(overview.unplaced, 'judged passage')} without a passage in this run: review P unplaced")
    if overview.gone:
        output.note(f"{plural(overview.gone, 'added passage')} whose text is gone: review P unplaced")
    return 0


def _counts(verdicts: Any) -> str:
    return ", ".join(f"{count} {value}" for value, count in sorted(verdicts.items()))


def _state(decision: Judgement | None) -> str:
    return "open" if decision is None else decision.value


def _passages(session: Session, overview: Overview, arguments: argparse.Namespace, output: Output) -> int:
    columns, rows = _columns(overview), _chosen(overview, arguments)
    shown: list[tuple[str, ...]] = []
    for number, part, row in rows:
        unit = columns.unit(row)
        judgement = _judgement(session, columns, row)
        if arguments.action == "conflicts" and (judgement is None or not judgement.conflict):
            continue
        spans = unit.spans or ((None, None), (None, None))
        output.record(
            {
                "suspect": unit.a,
                "passage": number,
                "part": part,
                "start": spans[0][0],
                "end": spans[0][1],
                "source": unit.b,
                "source_start": spans[1][0],
                "source_end": spans[1][1],
                "score": float(columns.matches.score[row]),
                "judgement": judgement_record(judgement),
            }
        )
        words = "" if judgement is None else ", ".join(f"{label.who}: {label.value}" for label in judgement.verdicts)
        shown.append((unit.a, f"{number:,}", f"{part:,}", unit.b, "" if judgement is None else judgement.value, words))
    if arguments.action == "conflicts":
        shown += _conflicts_on_suspects(session, overview, arguments, output)
    numbers = Column("passage", right=True), Column("part", right=True)
    table = [Column("suspect", limit=30), *numbers, Column("source", limit=30)]
    output.table([*table, Column("holds"), Column("verdicts", limit=60)], shown)
    return 0


def _conflicts_on_suspects(
    session: Session, overview: Overview, arguments: argparse.Namespace, output: Output
) -> list[tuple[str, ...]]:
    """Rows for the suspects on which reviewers differ as a whole."""
    from workbench.services.review.either_side import listed_suspects

    shown: list[tuple[str, ...]] = []
    for row in listed_suspects(session, overview):
        decision = row.decision
        chosen = arguments.source is None and arguments.suspect in (None, row.id)
        if chosen and decision is not None and decision.conflict:
            output.record({"suspect": row.id, "passage": None, "part": None, "judgement": judgement_record(decision)})
            words = ", ".join(f"{label.who}: {label.value}" for label in decision.verdicts)
            shown.append((row.id, "", "", "", decision.value, words))
    return shown


def judgement_record(judgement: Judgement | None) -> dict[str, Any] | None:
    """The JSON shape of the reviewers' verdicts; None if there are none."""
    if judgement is None:
        return None

    def record(label: Any) -> dict[str, Any]:
        return {
            "who": label.who,
            "value": label.value,
            "when": label.when,
            "note": label.note,
            "carried": label.who in judgement.carried,
        }

    return {
        "value": judgement.value,
        "conflict": judgement.conflict,
        "verdicts": [record(label) for label in judgement.verdicts],
        "settled": None if judgement.settled is None else record(judgement.settled),
        "settled_by_party": judgement.settled_by_party,
    }


def _verdict_words(row: UnplacedItem) -> str:
    return f"added by {row.judgement.label.who}" if row.added else row.judgement.value


def _unplaced(session: Session, overview: Overview, arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.review.unplaced import unplaced

    wanted = {"a": arguments.suspect, "b": arguments.source}
    rows = [
        row
        for row in unplaced(session, _columns(overview))
        if all(identity in (None, getattr(row.unplaced, side)) for side, identity in wanted.items())
    ]
    for row in rows:
        (a, b), passage = row.unplaced.spans, row.unplaced
        output.record(
            {
                "suspect": passage.a,
                "start": a.start,
                "end": a.end,
                "source": passage.b,
                "source_start": b.start,
                "source_end": b.end,
                "text": row.a_text,
                "by_hand": row.added,
                "judgement": None if row.added else judgement_record(row.judgement),
            }
        )
    table = [Column("suspect", limit=30), Column("from", right=True), Column("source", limit=30), Column("verdict")]
    output.table(
        [*table, Column("text", limit=50)],
        ((r.unplaced.a, str(r.unplaced.spans[0].start), r.unplaced.b, _verdict_words(r), r.a_text) for r in rows),
    )
    return 0


def _judge(session: Session, overview: Overview, arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError
    from workbench.services.review.verdicts import judge

    if not (arguments.suspect or arguments.source or arguments.below is not None):
        raise ParameterError("judge needs --suspect, --source or --below to choose passages.")
    columns = _columns(overview)
    chosen = _chosen(overview, arguments)
    units = [columns.unit(row) for _, _, row in chosen]
    value = _value(arguments, columns)
    passages = len({(unit.a, number) for unit, (number, _, _) in zip(units, chosen, strict=True)})
    judge(session, units, value, arguments.who, arguments.note)
    output.record({"judged": len(units), "passages": passages, "value": value})
    parts = f" ({plural(len(units), 'match', 'matches')})" if len(units) > passages else ""
    output.say(f"{plural(passages, 'pair' if columns.whole else 'passage')}{parts}: {value or 'withdrawn'}.")
    return 0 if units else 1


def _settle(session: Session, overview: Overview, arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError, UserError
    from workbench.services.review.either_side import listed_suspects
    from workbench.services.review.verdicts import Unit, reviewer, settle

    if not arguments.suspect:
        raise ParameterError("settle needs --suspect, and --passage to settle a passage.")
    if not arguments.passage and (arguments.source or arguments.below is not None):
        raise ParameterError("settle settles the suspect as a whole; --passage N settles one of its passages.")
    columns = _columns(overview)
    if arguments.passage:
        rows = [row for _, _, row in _chosen(overview, arguments)]
        units = [(columns.unit(row), _judgement(session, columns, row)) for row in rows]
    else:
        listed = {row.id: row for row in listed_suspects(session, overview)}.get(arguments.suspect)
        decision = None if listed is None else listed.decision
        units = [(Unit(arguments.suspect, keys=(0 if listed is None else listed.key, 0)), decision)]
    open_ones = [(unit, of) for unit, of in units if of is not None and (of.conflict or of.settled)]
    if not open_ones:
        raise UserError("No verdicts differ there: review P conflicts lists those that do.")
    who = arguments.who or reviewer()
    value, is_party = _value(arguments, columns), any(of.own(who) is not None for _, of in open_ones)
    for unit, of in open_ones:
        settle(session, unit, value, arguments.note, who)
        output.record({"settled": unit.target, "value": value, "by_party": of.own(who) is not None})
    output.say(f"Settled: {value or 'reopened'}.")
    if is_party and value:
        output.note(f"{who} is one of those who differ; reports say so.")
    return 0


def _decide(session: Session, overview: Overview, arguments: argparse.Namespace, output: Output) -> int:
    from workbench.base.errors import ParameterError, UserError
    from workbench.services.review.either_side import listed_suspects
    from workbench.services.review.verdicts import Unit, give_verdict

    if not arguments.suspect:
        raise ParameterError("decide needs --suspect.")
    keys = {row.id: row.key for row in listed_suspects(session, overview)}
    if arguments.suspect not in keys:
        raise UserError(f"{arguments.suspect} has no passages in this run.")
    value = _value(arguments, _columns(overview))
    unit = Unit(arguments.suspect, keys=(keys[arguments.suspect], 0))
    give_verdict(session, unit, value, arguments.note, arguments.who)
    output.record({"suspect": arguments.suspect, "value": value})
    output.say(f"{arguments.suspect}: {value or 'reopened'}.")
    return 0


def _assign(session: Session, overview: Overview, arguments: argparse.Namespace, output: Output) -> int:
    from workbench.services.review.assigning import assign, draw, how_drawn
    from workbench.services.review.verdicts import reviewer

    ids = [row.id for row in overview.suspects]
    share, seed = 1.0 if arguments.share is None else arguments.share, arguments.seed or 0
    drawn = draw(ids, share=share, count=arguments.sample, seed=seed)
    who = arguments.who or reviewer()
    assign(session, drawn, who, how_drawn(len(drawn), len(ids), seed, reviewer()))
    output.record({"reviewer": who, "assigned": drawn, "of": len(ids), "seed": seed})
    output.say(f"{who}: {plural(len(drawn), 'suspect')} of {len(ids):,} (seed {seed}).")
    return 0


def _value(arguments: argparse.Namespace, columns: RunColumns) -> str:
    """The requested verdict, "" for "none"; raises ParameterError without one or for an unknown one."""
    from workbench.base.errors import ParameterError
    from workbench.services.labels.sets import LABEL_SET, PAIR_LABELS, SUSPECT_LABELS, VALUES

    of_suspect = arguments.action == "decide" or (arguments.action == "settle" and not arguments.passage)
    allowed = VALUES[SUSPECT_LABELS if of_suspect else PAIR_LABELS if columns.whole else LABEL_SET]
    if arguments.value not in (*allowed, "none"):
        raise ParameterError(f"The verdict must be one of {', '.join(allowed)}, none.")
    return "" if arguments.value == "none" else str(arguments.value)


def _columns(overview: Overview) -> RunColumns:
    from workbench.base.errors import UserError
    from workbench.base.messages import Message

    if overview.columns is None or not len(overview.columns.matches):
        raise UserError(Message("This run found no passages."))
    return overview.columns


def _chosen(overview: Overview, arguments: argparse.Namespace) -> list[tuple[int, int, int]]:
    """The matches of the selected passages: numbers of the passage in its suspect and of its part, and the row."""
    from workbench.base.errors import ParameterError, UserError
    from workbench.services.review.either_side import numbered_parts, of_suspect, rows_of_either

    columns = _columns(overview)
    for identity in (arguments.suspect, arguments.source):
        if identity is not None and identity not in columns.key_of:
            raise UserError(f"{identity} has no passages in this run.")
    if arguments.suspect is None:
        keys, of = columns.keys.tolist(), of_suspect
    else:
        keys, of = [columns.key_of[arguments.suspect]], rows_of_either
    numbered_rows = [numbered for key in keys for numbered in numbered_parts(columns, key, of(columns, key))]
    if arguments.source is not None:
        source, m = columns.key_of[arguments.source], columns.matches
        first = arguments.suspect is not None
        numbered_rows = [row for row in numbered_rows if m.b[row[2]] == source or (first and m.a[row[2]] == source)]
    if arguments.below is not None:
        numbered_rows = [row for row in numbered_rows if columns.matches.score[row[2]] < arguments.below]
    if arguments.passage is not None:
        numbered_rows = [row for row in numbered_rows if row[0] == arguments.passage]
        if arguments.suspect is None or not numbered_rows:
            raise ParameterError("--passage needs --suspect, and the number of one of its passages.")
    return numbered_rows


def _judgement(session: Session, columns: RunColumns, row: int) -> Judgement | None:
    """The reviewers' judgement of the match in ``row``, among all passages of its pair."""
    import numpy as np

    unit = columns.unit(row)
    if unit.spans is None:
        return session.verdicts.whole(unit.label_set, unit.target, unit.by_id)
    rows = columns.rows_of(int(columns.matches.a[row]), int(columns.matches.b[row]))
    return session.verdicts.of(unit.a, unit.b).on(columns.matches.take(rows), np.flatnonzero(rows == row))[0]

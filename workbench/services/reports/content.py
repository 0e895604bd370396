"""The content of a report as plain values with texts, for both the HTML and the PDF template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from workbench.base.evidence import figures
from workbench.base.messages import Message, percent
from workbench.base.options import as_typed
from workbench.base.tags import shown
from workbench.base.types import Document, Label, Run, RunState
from workbench.methods.core import registry
from workbench.project import clock
from workbench.project.runs import has_only_scores, is_whole
from workbench.services.labels.targets import is_adjudicator, person
from workbench.services.labels.verdicts import VERDICTS
from workbench.services.measuring.thresholds import described as described_threshold
from workbench.services.relations.earlier import chain_in_words
from workbench.services.reports.cases import Case
from workbench.services.reports.cited_pages import CitedSide
from workbench.services.reports.data import (
    PassageSide,
    ReportDocument,
    ReportMatch,
    ReportPair,
    ReportPassage,
    tier_name,
)
from workbench.services.reports.gathering import Report
from workbench.services.reports.pdf import MOST_MATCHES, MOST_PAIRS
from workbench.services.reports.strings import ReportLanguage
from workbench.services.review.counting import not_compared
from workbench.services.review.evidence import measured, words_of
from workbench.services.review.exclusions import described
from workbench.services.review.judgement import Judgement
from workbench.services.review.pairs import PairRow
from workbench.services.review.shares import share_words
from workbench.services.review.visible import visible
from workbench.text.disguises import in_words
from workbench.text.quotation import CitationKind

Content = dict[str, Any]
"""Maps names to text, numbers, booleans, and lists of these; texts of documents are unchanged."""

_NO_METHOD_SEES = (
    Message("Sources that are not in the project: only documents that were compared can match."),
    Message("Pictures, formulas and tables as such; only their text is compared, if they have any."),
    Message("Which document came first, and whether copying was permitted."),
)
MOST_HOLDERS = 5
"""Maximum number of documents named for a common phrase; tables for programs name all."""
CITED = {
    CitationKind.QUOTATION: "cited_quotation",
    CitationKind.BLOCK_QUOTATION: "cited_block",
    CitationKind.REFERENCES: "cited_references",
    CitationKind.NOTE: "cited_note",
}


def opening(report: Report, words: ReportLanguage) -> Content:
    """Everything of a report except its pairs."""
    t, run, findings = words.texts, report.run, report.findings
    facts = registry.get(run.method).facts
    cases = [_case(case, report.named(case.id, case.title), words) for case in report.cases.values()]
    return {
        "language": t["code"],
        "title": t["title"],
        "subtitle": t[f"subtitle_{report.selection.kind}"],
        "heading": f"{report.project}, {t['run']} {run.id}",
        "facts": [
            (t["made"], datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
            (t["project"], report.project),
            (t["run"], str(run.id)),
            (t["method"], f"{run.method} · {t['version']} {run.version}"),
            (t["pairs"], f"{len(report.rows):,}"),
            *(() if is_whole(run) else _passages(report, t)),
            *_coverage(report, t),
            *((t["threshold"], words.say(described_threshold(used))) for used in report.thresholds),
            *((t[name], value) for name, value in (("pack", report.pack), ("key", report.key)) if value),
        ],
        "cases": [case for case in cases if case["judged"]["said"] or not is_whole(run)],
        "whole": is_whole(run),
        "score": words.say(words_of("score", 0).name),
        "summary": [
            _summary(number, row, findings.passages_in(row), report, words)
            for number, row in enumerate(report.summary, 1)
        ],
        "none": t[_reason(report)],
        "limits": [words.say(limit) for limit in (facts.cannot_see, *_NO_METHOD_SEES)],
        "method": _method(run, words),
        "settings": _settings(run, words),
        "excluded": [(words.say(reason), f"{count:,}") for reason, count in run.excluded.items()],
        "left_out": _left_out(report, words),
        "reading": [
            t[name]
            for name in (
                "reading_translated" if facts.across_languages else "reading_marks",
                *("reading_around", "reading_hidden"),
                "reading_hash" if report.disguise is None else "reading_anonymous",
            )
        ],
    }


def _reason(report: Report) -> str:
    """The name of the sentence that says why a report has no pairs."""
    if not report.compared:
        return "not_compared"
    if has_only_scores(report.run):
        return "only_scores"
    return "none_found" if report.run.state is RunState.DONE else "none_so_far"


def _passages(report: Report, t: dict[str, str]) -> list[tuple[str, str]]:
    """The numbers of passages, and of common phrases among them."""
    rows, findings = report.rows, report.findings
    return [
        (t["passages"], _of_matches(sum(map(findings.passages_in, rows)), sum(row.matches for row in rows), t)),
        (t["common"].format(count=f"{findings.common_from:,}"), f"{findings.common_passages:,}"),
    ]


def _coverage(report: Report, t: dict[str, str]) -> list[tuple[str, str]]:
    """The documents that a report without findings is about, and what the run leaves open."""
    run = report.run
    facts: list[tuple[str, str]] = []
    if not report.rows and report.disguise is None:
        facts += zip((t["document"], t["source"]), report.about, strict=False)
    if run.state is not RunState.DONE:
        facts += [(t["state"], _state(run, t)), (t["examined"], f"{run.documents:,}")]
    if report.uncovered:
        facts.append((t["uncovered"], f"{report.uncovered:,}"))
    return facts


def _state(run: Run, t: dict[str, str]) -> str:
    return t.get(f"state_{run.state.value}", run.state.value)


def _case(case: Case, name: str, words: ReportLanguage) -> Content:
    t, shares = words.texts, case.shares
    cited = [
        (t[CITED[kind]], f"{count:,}", percent(count / shares.length))
        for kind, count in shares.cited.items()
        if count and shares.length
    ]
    return {
        "name": name,
        "id": case.id,
        "shares": words.say(share_words(shares)),
        "matched": shares.matched_share,
        "counted": shares.counted_share,
        "passages": _of_matches(case.passages, case.matches, t),
        "sentence": t["share_sentence"].format(
            matched=f"{shares.matched:,}", counted=f"{shares.counted:,}", length=f"{shares.length:,}"
        ),
        "cited": cited,
        "judged": _judgement(case.judgement, words)
        | {
            "said": case.judgement is not None or bool(case.notes or case.earlier),
            "notes": [*_notes(case.notes), *_earlier(case.earlier, t)],
        },
        "conflicts": t["conflicts"].format(count=case.conflicts) if case.conflicts else "",
        "not_copies_words": t["not_copies"].format(count=shares.not_copies) if shares.not_copies else "",
        "exclusions": [
            {
                "what": words.say(described(effect.exclusion)),
                "scope": t["scope_one"] if effect.exclusion.suspect else t["scope_all"],
                "reason": words.say(reason) if isinstance(reason := effect.exclusion.reason, Message) else reason,
                "who": person(effect.exclusion.who),
                "when": moment(effect.exclusion.when),
                "passages": f"{effect.passages:,}",
                "characters": f"{effect.characters:,}",
            }
            for effect in shares.effects
        ],
    }


def _of_matches(passages: int, matches: int, t: dict[str, str]) -> str:
    """The number of passages, and of matches if some passages have several."""
    if passages == matches:
        return f"{passages:,}"
    return t["of_matches"].format(passages=f"{passages:,}", matches=f"{matches:,}")


def _summary(number: int, row: PairRow, passages: int, report: Report, words: ReportLanguage) -> Content:
    t = words.texts
    return {
        "number": number,
        "a": report.named(row.a_id, row.a_title),
        "b": report.named(row.b_id, row.b_title),
        "passages": _of_matches(passages, row.matches, t),
        "share_a": percent(row.coverage_a),
        "share_b": percent(row.coverage_b),
        "part": row.coverage_a,
        "longest": f"{row.longest:,}",
        "score": words.say(words_of("score", row.score).value),
        "verdicts": [(_role(value), t.get(value, value), count) for value, count in row.verdicts.items()],
    }


def _left_out(report: Report, words: ReportLanguage) -> str:
    printed = report.printed
    if printed is None or not (printed.pairs_left_out or printed.matches_left_out):
        return ""
    return words.texts["not_printed"].format(
        pairs=f"{printed.pairs_left_out:,}",
        matches=f"{printed.matches_left_out:,}",
        pairs_most=f"{MOST_PAIRS:,}",
        matches_most=f"{MOST_MATCHES:,}",
    )


def _method(run: Run, words: ReportLanguage) -> Content:
    t, method = words.texts, registry.get(run.method)
    return {
        "summary": words.say(method.summary),
        "facts": [
            (t["method"], f"{run.method} · {t['version']} {run.version}"),
            (t["origin"], words.say(method.source)),
            (t["begun"], moment(run.created)),
            (t["duration"], f"{run.seconds:.1f} {t['seconds']}"),
            (t["state"], _state(run, t)),
            (t["examined"], f"{run.documents:,}"),
            (t["found"], f"{run.matches:,}"),
        ],
        "corpus": (t["corpus"], run.corpus_hash),
    }


def _settings(run: Run, words: ReportLanguage) -> list[Content]:
    """All settings of the run with the method's descriptions, including settings it no longer has."""
    specs = {spec.name: spec for spec in registry.get(run.method).parameters.specs()}
    rows = []
    for name, value in run.parameters.items():
        spec = specs.get(name)
        unit = words.say(spec.unit) if spec else ""
        rows.append(
            {
                "name": name,
                "value": f"{as_typed(value)} {unit}".strip(),
                "default": as_typed(spec.default) if spec else "",
                "paper": "" if spec is None or spec.paper is None else as_typed(spec.paper),
                "help": words.say(spec.help) if spec else "",
            }
        )
    return rows


def pair_content(pair: ReportPair, report: Report, words: ReportLanguage) -> Content:
    """A pair with its passages."""
    return {
        "number": pair.number,
        "a_language": pair.a.document.language,
        "b_language": pair.b.document.language,
        "a_name": report.named(pair.a.document.id, pair.a.document.title),
        "b_name": report.named(pair.b.document.id, pair.b.document.title),
        "a_facts": [
            *_facts(pair.a, None if pair.whole else pair.coverage_a, report.run, words),
            *_figures(pair, words),
            *_direction(pair, words),
            *_printed(pair, report, words),
        ],
        "b_facts": _facts(pair.b, None if pair.whole else pair.coverage_b, report.run, words),
        "judged": {"said": False}
        if pair.whole is None
        else _judgement(pair.whole.judgement, words) | {"notes": _earlier(pair.whole.earlier, words.texts)},
        "passages": [_passage(pair, passage, report, words) for passage in pair.passages],
    }


def _figures(pair: ReportPair, words: ReportLanguage) -> list[tuple[str, str, bool]]:
    """The figures of a pair of whole documents, in words."""
    figures = [] if pair.whole is None else [words_of(*figure) for figure in pair.whole.figures.items()]
    return [(words.say(figure.name), words.say(figure.value), False) for figure in figures]


def _direction(pair: ReportPair, words: ReportLanguage) -> list[tuple[str, str, bool]]:
    """Which of the two documents copied from the other, in words, from the suspect's side."""
    verdict = pair.direction
    return [] if verdict is None else [(words.texts["direction"], words.say(verdict.in_words), False)]


def _printed(pair: ReportPair, report: Report, words: ReportLanguage) -> list[tuple[str, str, bool]]:
    """How many matches of a pair are printed, if not all are."""
    every = report.rows[pair.number - 1].matches
    count = every if report.printed is None else report.printed.matches[pair.number - 1]
    if count == every:
        return []
    return [(words.texts["printed"], words.texts["printed_of"].format(count=f"{count:,}", all=f"{every:,}"), False)]


def _published(document: Document, texts: Mapping[str, str]) -> str:
    """The date of a document, and its source."""
    source = texts.get(f"by {document.dated_by}", "")
    return f"{document.published} ({source})" if document.published and source else document.published


def _facts(
    facts: ReportDocument, coverage: float | None, run: Run, words: ReportLanguage
) -> list[tuple[str, str, bool]]:
    """Name, value, and whether the value is an identifier rather than words; unknown facts are left out."""
    t, d = words.texts, facts.document
    apart = not_compared(run, d)
    by_name = (
        (t["id"], d.id, True),
        (t["name"], d.title, False),
        (t["address"], d.url, True),
        (t["published"], _published(d, t), False),
        (t["created"], d.extraction.created, False),
        (t["language"], d.language, False),
        (t["tags"], shown(d.tags), False),
        (t["length"], f"{len(d.text):,} {t['characters']}", False),
        (t["outside"], f"{apart:,} {t['characters']}" if apart else "", False),
        (t["covered"], "" if coverage is None else percent(coverage), False),
        (t["imported"], moment(facts.imported), False),
        (t["captured"], moment(facts.captured), False),
        (t["body_sha"], facts.body_sha256, True),
        (t["encoding"], _encoding(facts), False),
        (t["recognised"], words.say(read) if (read := d.extraction.recognition) else "", False),
        (t["repairs"], "; ".join(map(words.say, d.extraction.repairs)), False),
        (t["hidden"], f"{d.extraction.hidden:,} {t['characters']}" if d.extraction.hidden else "", False),
        (t["integrity"], "; ".join(words.say(in_words(flag)) for flag in d.extraction.integrity), False),
        (t["sha"], facts.sha256, True),
    )
    return [fact for fact in by_name if fact[1]]


def _encoding(facts: ReportDocument) -> str:
    extraction = facts.document.extraction
    source = extraction.encoding_source
    return extraction.encoding + (f" ({source})" if source not in ("", extraction.encoding) else "")


def _passage(pair: ReportPair, passage: ReportPassage, report: Report, words: ReportLanguage) -> Content:
    """A passage with its parts; judgements common to all parts appear once."""
    t, several = words.texts, len(passage.parts) > 1
    number = f"{pair.number}.{passage.number}"
    verdicts = [_verdict(part, words) for part in passage.parts]
    alike = [_without_time(verdict) | {"history": len(verdict["history"])} for verdict in verdicts]
    together = several and all(verdict == alike[0] for verdict in alike)
    parts = []
    for part, verdict in zip(passage.parts, verdicts, strict=True):
        named = f"{number}.{part.number}" if several else number
        parts.append(_part(named, pair, part, report, words) | (verdict if not together else {"said": False}))
    title = f"{len(passage.parts)} {t['parts']} · {passage.characters:,} {t['characters']}" if several else ""
    return {"number": number, "title": title, "parts": parts, **(verdicts[0] if together else {"said": False})}


def _without_time(value: Any) -> Any:
    """A judgement without its time: one keystroke judges the parts of a passage in sequence."""
    if isinstance(value, dict):
        return {name: _without_time(part) for name, part in value.items() if name != "when"}
    return [_without_time(part) for part in value] if isinstance(value, list) else value


def _part(number: str, pair: ReportPair, match: ReportMatch, report: Report, words: ReportLanguage) -> Content:
    t, case = words.texts, report.cases.get(pair.a.document.key)
    shown = figures(match.evidence).items()
    in_words = [words_of(name, value) for name, value in shown if measured(name, match.evidence)]
    counted = match.characters if case is None else case.counting(pair, match)
    return {
        "number": number,
        "figures": [
            f"{match.characters:,} {t['characters']}",
            t[tier_name(match.tier, match.evidence, match.same_but_for)],
            *(f"{words.say(figure.name)} {words.say(figure.value)}" for figure in in_words),
        ],
        "common": _common(match, report, t),
        "earlier": words.say(chain_in_words(match.earlier, report.findings.titles)) if match.earlier else "",
        "counting": _counting(counted, match, t),
        "a": _side(match.a, words) | _pages(pair.a, match.a, report, words),
        "b": _side(match.b, words) | _pages(pair.b, match.b, report, words),
    }


def _common(match: ReportMatch, report: Report, t: dict[str, str]) -> str:
    """Other documents with the text of a common phrase; empty for any other match."""
    if match.others <= report.findings.common_from:
        return ""
    sentence = t["common_phrase"].format(count=f"{match.others:,}")
    if not match.holders:
        return sentence
    named, more = match.holders[:MOST_HOLDERS], len(match.holders) - MOST_HOLDERS
    return f"{sentence}: {'; '.join(named)}" + (f" {t['and_more'].format(count=f'{more:,}')}" if more > 0 else "")


def _counting(counted: int, match: ReportMatch, t: dict[str, str]) -> str:
    """A note if part of a match does not count or is not copied; otherwise empty."""
    own = match.a.span.end - match.a.span.start - match.characters
    if counted == match.characters:
        return t["own_part"].format(count=f"{own:,}") if own else ""
    return t["counts_not"] if not counted else t["counts_part"].format(counted=f"{counted:,}")


def _side(side: PassageSide, words: ReportLanguage) -> Content:
    t = words.texts
    offsets = f"{t['at']} {'; '.join(f'{start:,}–{end:,}' for start, end in side.stretches)}"
    return {
        "where": f"{visible(words.say(side.place.words))} · {offsets}",
        "before": visible(side.before),
        "pieces": [{**asdict(piece), "text": visible(piece.text)} for piece in side.pieces],
        "after": visible(side.after),
        "left_out": f"… {t['cut'].format(characters=f'{side.left_out:,}')}" if side.left_out else "",
    }


def _pages(facts: ReportDocument, side: PassageSide, report: Report, words: ReportLanguage) -> Content:
    """Pictures of the pages of a passage, each after its number."""
    cited = CitedSide() if report.pages is None else report.pages.of(facts.document, side.stretches)
    left = words.texts["pages_left_out"].format(count=f"{cited.left_out:,}") if cited.left_out else ""
    pages = [(words.texts["page"].format(number=visible(page.label)), page.png) for page in cited.pages]
    return {"pages": pages, "pages_left_out": left}


def _verdict(match: ReportMatch, words: ReportLanguage) -> Content:
    t = words.texts
    history = match.history if len(match.history) > 1 else ()
    return _judgement(match.judgement, words) | {
        "notes": _notes(match.notes),
        "history": [_event(event, t) for event in history],
        "undone": t["undone"].format(count=f"{match.undone:,}") if match.undone else "",
    }


def _notes(notes: Sequence[Label]) -> list[str]:
    """Notes without a verdict."""
    return [_line(moment(note.when), person(note.who), note.note) for note in notes]


def _earlier(labels: Sequence[Label], t: dict[str, str]) -> list[str]:
    """Verdicts that were given for other texts."""
    return [f"{_event(label, t)} ({t['of_earlier_text']})" for label in labels]


def _judgement(judgement: Judgement | None, words: ReportLanguage) -> Content:
    """The judgement of a passage or a suspect, and separately how it was settled if reviewers differ."""
    t = words.texts
    settled = None if judgement is None else judgement.settled
    by_party = judgement is not None and judgement.settled_by_party
    return {
        "said": True,
        "conflict": t["conflict"] if judgement is not None and judgement.conflict else "",
        "verdicts": [] if judgement is None else [_verdict_row(label, judgement, t) for label in judgement.verdicts],
        "settled": None if judgement is None or settled is None else _verdict_row(settled, judgement, t),
        "settled_words": t["settled_by_party"] if by_party else t["settled"],
        "notes": [],
        "history": [],
        "undone": "",
    }


def _event(event: Label, t: dict[str, str]) -> str:
    """An event of the log: time, person and effect."""
    value = t.get(event.value, event.value)
    if is_adjudicator(event.who):
        did = f"{t['settled']}: {value}" if event.value else t["left_open"]
    elif event.value == event.old and event.note:
        did = t["note"]
    else:
        did = value if event.value else t["withdrawn"]
    return _line(moment(event.when), person(event.who), did, event.note)


def _line(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _role(value: str) -> str:
    """The colour of a verdict or another state."""
    verdict = VERDICTS.get(value)
    return verdict.role if verdict else value


def _verdict_row(label: Label, judgement: Judgement, t: dict[str, str]) -> Content:
    by = dict(judgement.attached).get(label.who)
    carried = t["attached"].format(name=by) if by else t["carried"] if label.who in judgement.carried else ""
    return {
        "role": _role(label.value),
        "words": t.get(label.value, label.value),
        "who": person(label.who),
        "when": moment(label.when),
        "note": label.note,
        "carried": carried,
    }


def moment(when: str) -> str:
    """An ISO 8601 time (in UTC if it has no zone) to the second, in readable form; anything else unchanged."""
    time = clock.moment(when)
    try:
        return when if time is None else f"{time.astimezone(UTC).replace(tzinfo=None).isoformat(' ', 'seconds')} UTC"
    except (ValueError, OverflowError):
        return when

"""What is said at the end of a run."""

import io
from collections.abc import Callable
from dataclasses import replace

import pytest

from workbench.base.messages import Message
from workbench.base.types import PairScore, Run, RunState
from workbench.cli.output import Output
from workbench.cli.results import SHOWN_FAILURES, note_failures, print_next_command, print_run
from workbench.cli.verbs.pairs import direction_words
from workbench.methods.rare_sentences.relations import Direction
from workbench.reading.formats import Failure

RUN = Run(1, "simhash", 1, {}, "", RunState.DONE, "2026-01-01T00:00:00Z", documents=4)


def spoken(say: Callable[[Output], None]) -> str:
    out = io.StringIO()
    say(Output(False, out, io.StringIO()))
    return out.getvalue()


def test_a_run_that_found_pairs_alone_does_not_say_that_nothing_was_found() -> None:
    assert "Nothing was found" not in spoken(lambda output: print_run(output, replace(RUN, pairs=3)))
    assert "Nothing was found" in spoken(lambda output: print_run(output, RUN))


def test_documents_that_were_scored_are_counted() -> None:
    assert "4 documents scored" in spoken(lambda output: print_run(output, replace(RUN, scores=4)))


def test_findings_of_an_earlier_run_are_counted_apart_from_those_of_this_one() -> None:
    lines = spoken(lambda output: print_run(output, replace(RUN, matches=3, pairs=2, continues=7, taken_over=1)))
    assert "3 documents examined" in lines
    assert "reused from run 7: the findings in 1 document," in lines
    assert "reused" not in spoken(lambda output: print_run(output, RUN))


@pytest.mark.parametrize(
    ("run", "verbs"),
    [
        (RUN, []),
        (replace(RUN, scores=4), ["scores"]),
        (replace(RUN, pairs=3), ["pairs", "report"]),
        (replace(RUN, matches=2, pairs=1), ["matches", "report"]),
        (replace(RUN, matches=2, pairs=1, scores=4), ["matches", "report"]),
    ],
    ids=["nothing", "scores", "pairs", "passages", "all"],
)
def test_only_what_has_something_to_show_is_suggested(run: Run, verbs: list[str]) -> None:
    lines = spoken(lambda output: print_next_command(output, "case", run)).splitlines()
    assert [line.split("palimpsest ")[1].split()[0] for line in lines] == verbs


def test_the_direction_of_a_pair_is_given_in_words_with_its_strength_where_it_has_one() -> None:
    def words(**evidence: str) -> str:
        return direction_words(PairScore(1, 2, 1.0, 1.0, 1.0, "mirror", evidence))

    assert words() == ""
    for way, strength, expected in (
        (Direction.B_FROM_A, "weak", "the source from the suspect (weak)"),
        (Direction.A_FROM_B, "strong", "the suspect from the source (strong)"),
        (Direction.UNKNOWN, "none", "cannot tell"),
    ):
        assert words(direction=str(way), direction_strength=strength) == expected
    assert words(direction=str(Direction.UNKNOWN)) == "cannot tell"


@pytest.mark.parametrize(("number", "rest"), [(SHOWN_FAILURES, []), (SHOWN_FAILURES + 1200, ["1,200"])])
def test_the_first_failures_are_named_and_the_rest_is_counted(number: int, rest: list[str]) -> None:
    failures = [Failure(f"{n}.txt", Message("It is empty.")) for n in range(number)]
    for as_json in (False, True):
        err = io.StringIO()
        note_failures(Output(as_json, io.StringIO(), err), failures)
        lines = err.getvalue().splitlines()
        assert lines[:SHOWN_FAILURES] == ([] if as_json else [f"{n}.txt: It is empty." for n in range(SHOWN_FAILURES)])
        assert lines[SHOWN_FAILURES:] == (
            [] if as_json else [f"... and {n} more; --json lists them all." for n in rest]
        )

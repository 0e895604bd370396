"""Settings, ranges and outcomes in words, without a window."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.base.options import Option
from workbench.base.page_sources import PageSource, PlaceKind
from workbench.base.types import Run, RunState
from workbench.gui import i18n
from workbench.gui.judging.label_import import _problem
from workbench.gui.kit.forms import problem_text
from workbench.gui.kit.runs import settings_text
from workbench.gui.screens.label.session import kept, options_from
from workbench.gui.screens.watch.watch_panel import _message, summary
from workbench.methods.core import registry
from workbench.project.watches import Check, Watch
from workbench.services.labels.queue import QueueOptions
from workbench.services.watching.settings import WatchSettings


@pytest.fixture(autouse=True)
def english() -> None:
    i18n.use("en")


def test_a_watch_is_summed_up_in_three_lines() -> None:
    def lines(**settings: object) -> list[str]:
        return summary(Watch(1, "mine", WatchSettings(**settings).as_dict(), "")).splitlines()  # type: ignore[arg-type]

    assert lines() == [
        "imported suspects",
        "digest · score at least the project's threshold, if there is one",
        "every 24 hours",
    ]
    places = tuple(
        PageSource(kind, f"https://a.example/{kind.value}")
        for kind in (PlaceKind.URL, PlaceKind.FEED, PlaceKind.SITEMAP)
    )
    assert lines(places=places, min_score=2.5, min_characters=1200, every=1.0, parameters={"min_run": 2}) == [
        "https://a.example/url, feed https://a.example/feed, sitemap https://a.example/sitemap",
        "digest · Minimum run 2 · score at least 2.5 · at least 1,200 characters",
        "every hour",
    ]


def test_the_end_of_a_check_is_reported_if_its_figures_do_not_show_it() -> None:
    check = Check(1, 1, "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z", run_id=3)
    assert _message(check, running=False) == ""
    assert _message(replace(check, finished=""), running=True) == "Running"
    assert _message(replace(check, finished=""), running=False) == "Interrupted"
    assert _message(replace(check, run_id=None, message="It stopped."), running=False) == "It stopped."
    fuller = replace(check, failures=(("https://a.example/", "Gone."),), gone=("x", "y"), ignored=1)
    assert _message(replace(fuller, message="Fewer pages."), running=False) == (
        "Fewer pages. · Not fetched: https://a.example/ (Gone.) · 2 reported pages are gone · 1 match ignored"
    )


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (Option("n", int, 3, "", low=1, high=5_000), "Enter a whole number, 1 to 5,000."),
        (Option("n", float, 0.5, "", low=0.25), "Enter a number, at least 0.25."),
        (Option("n", float, 0.5, "", high=2_000_000), "Enter a number, at most 2,000,000."),
        (Option("n", int, 3, ""), "Enter a whole number."),
        (Option("n", float, 3.0, ""), "Enter a number."),
    ],
)
def test_what_a_field_takes_is_reported_with_its_limits(spec: Option, words: str) -> None:
    assert problem_text(spec) == words


def test_a_run_is_told_by_what_differs_from_the_defaults_and_where_it_is_from() -> None:
    version = registry.get("copied-strings").version
    run = Run(1, "copied-strings", version, {"min_length": 4}, "", RunState.DONE, "2026-01-01T00:00:00Z")
    assert settings_text(run) == "Minimum length 4"
    assert settings_text(replace(run, version=0)) == "Minimum length 4; version 0 of the method"
    assert settings_text(replace(run, parameters={})) == "defaults"
    assert settings_text(replace(run, watch=1)) == "Minimum length 4; check of a watch"
    assert settings_text(replace(run, varied_from=7)) == "Minimum length 4; sweep of run 7"
    assert settings_text(replace(run, continues=2, taken_over=1)) == "Minimum length 4; 1 document reused from run 2"


def test_columns_of_labels_that_cannot_be_imported_say_why() -> None:
    assert _problem(["label:ann"], ["ann"]).startswith("No column identifies the document of a row.")
    assert _problem(["a", "label:ann"], ["ann"]).startswith("No column identifies the document of a row.")
    assert _problem(["id", "id", "label:ann"], ["ann"]).startswith("Two columns have the same content.")
    assert _problem(["id"], []).startswith("No column contains labels.")
    for used in (["id", "label:ann"], ["target", "label:ann"], ["a", "b", "label:ann"]):
        assert _problem(used, ["ann"]) == ""


def test_the_options_of_a_queue_come_back_and_broken_ones_are_the_usual() -> None:
    usual = QueueOptions()
    for name in ("everything", "conflicts", "mine", "suspects"):
        changed = replace(usual, **{name: not getattr(usual, name)})
        assert options_from(kept(changed)) == changed
    assert options_from(kept(replace(usual, tag="mail"))).tag == "mail"
    assert options_from({}) == usual
    assert options_from(dict.fromkeys(("order", "everything", "conflicts", "mine", "suspects"), "yes")) == usual

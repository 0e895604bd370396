import pytest

from tests.golden.splog import DATA, corpora, evaluated


@pytest.mark.skipif(not (DATA / "splog_ja").is_dir(), reason="the real texts are not beside the repository")
def test_copied_strings_tell_splogs_better_than_length_and_templates_do() -> None:
    _, collection, positive = next(corpora(DATA))
    by_default = evaluated(collection, positive, "copied-strings", {})
    as_published = evaluated(collection, positive, "copied-strings", {"min_length": 15, "score": "length"})
    by_template = evaluated(collection, positive, "template", {})
    assert by_default.f1[by_default.best()] >= 0.85
    assert as_published.f1[as_published.best()] >= 0.75
    assert by_default.average_precision > as_published.average_precision > by_template.average_precision

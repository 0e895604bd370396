import pytest

from tests.golden.splog import DATA, corpora, evaluated


@pytest.mark.skipif(not (DATA / "splog_ja").is_dir(), reason="the real texts are not beside the repository")
def test_copied_strings_tell_splogs_better_than_length_and_templates_do():
    _, collection, positive = next(corpora(DATA))
    by_length = evaluated(collection, positive, "copied-strings", {})
    by_rate = evaluated(collection, positive, "copied-strings", {"min_length": 5, "score": "rate"})
    by_template = evaluated(collection, positive, "template", {})
    assert by_length.f1[by_length.best()] >= 0.75
    assert by_rate.f1[by_rate.best()] >= 0.85
    assert by_rate.average_precision > by_length.average_precision > by_template.average_precision
